/** TLS before a server that has none, as a load balancer's: what it deciphers goes to a port of this machine. */
import { type AddressInfo, connect } from "node:net";
import { createServer } from "node:tls";
import { type Authority, makeAuthority } from "./certificates.ts";

export interface TlsFront extends AsyncDisposable {
  readonly port: number;
  /** PEM: the authority that signed the certificate. */
  readonly authority: string;
}

interface FrontOptions {
  /** The certificate's. */
  readonly name?: string;
  readonly authority?: Authority;
}

export async function startTlsFront(
  target: number,
  { name = "localhost", authority = makeAuthority("the front's CA") }: FrontOptions = {},
): Promise<TlsFront> {
  const { certificate: cert, key } = authority.issue(name);
  const sockets = new Set<{ destroy(): void }>();
  const server = createServer({ cert, key }, (client) => {
    const inner = connect(target, "127.0.0.1");
    for (const [from, to] of [
      [client, inner],
      [inner, client],
    ] as const) {
      sockets.add(from);
      from.on("error", () => {});
      from.on("close", () => {
        sockets.delete(from);
        to.destroy();
      });
      from.pipe(to);
    }
  });
  // A caller that does not trust the certificate.
  server.on("tlsClientError", () => {});
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    port: (server.address() as AddressInfo).port,
    authority: authority.certificate,
    async [Symbol.asyncDispose]() {
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      for (const socket of sockets) socket.destroy();
      await closed;
    },
  };
}

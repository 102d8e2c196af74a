/** The receivers of `hostile-tls.ts`, in a process of their own. */
import { type Socket, createServer } from "node:net";
import type { AddressInfo } from "node:net";
import { makeCostlyChain, startAnswering, startDhe, startLongChain } from "../test/kit/servers/costly-tls.ts";
import { readCertificate, readKey, startReceiver } from "../test/kit/servers/receiver.ts";

export const HOSTILE_TLS = ["DHE", "long chain", "client key", "drip"] as const;
/** Their URLs, and the certificates to trust. */
export type HostileUrls = Readonly<Record<HostileTls | "honest" | "ca", string>>;
export type HostileTls = (typeof HOSTILE_TLS)[number];

/** Bytes of one chunk extension, each in a packet of its own. */
const DRIPS = 300_000;

export async function serveHostileTls(): Promise<void> {
  process.on("disconnect", () => process.exit());
  const files = { key: readKey("hook.test"), cert: readCertificate("hook.test") };
  const dhe = await startDhe();
  const receivers = {
    honest: (await startReceiver({ status: 200 })).port,
    DHE: dhe.port,
    "long chain": (await startLongChain(makeCostlyChain())).port,
    "client key": (await startAnswering({ ...files, requestCert: true, rejectUnauthorized: false }, true)).port,
    drip: await startDrip(),
  };
  const scheme = (name: string): string => (name === "honest" || name === "drip" ? "http" : "https");
  const urls = Object.entries(receivers).map(([name, port]) => [name, `${scheme(name)}://127.0.0.1:${port}/`]);
  process.send?.({ ...Object.fromEntries(urls), ca: readCertificate("hook.test") + dhe.certificate });
}

async function startDrip(): Promise<number> {
  const server = createServer({ noDelay: true }, (socket) => {
    socket.on("error", () => {});
    socket.once("data", () => drip(socket));
  });
  await new Promise<void>((resolve) => {
    server.listen(0, "127.0.0.1", resolve);
  });
  return (server.address() as AddressInfo).port;
}

function drip(socket: Socket): void {
  socket.write("HTTP/1.1 200 OK\r\nconnection: close\r\ntransfer-encoding: chunked\r\n\r\n1;");
  let left = DRIPS;
  const step = (): void => {
    for (let count = 0; count < 20 && left > 0; count += 1, left -= 1) socket.write("a");
    if (left === 0) socket.end("\r\na\r\n0\r\n\r\n");
    else if (!socket.destroyed) setImmediate(step);
  };
  step();
}

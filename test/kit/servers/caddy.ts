/**
 * The shipped Caddyfile in the program that it is for, as a process before real nodes: ports and addresses of the test
 * stand in the place of those of Compose, and the certificate is of Caddy's own authority, as for `localhost` there.
 */
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { Agent, request } from "undici";
import { startChild } from "../process/child.ts";
import { freePort } from "../process/running.ts";
import { eventually } from "../wait.ts";

const CADDYFILE = join(import.meta.dirname, "..", "..", "..", "ops", "caddy", "Caddyfile");

export interface Caddy extends AsyncDisposable {
  /** `https://localhost:<port>` */
  readonly url: string;
  readonly port: number;
  /** A file with the certificate of its authority. */
  readonly authority: string;
}

export interface CaddyOptions {
  readonly program: string;
  /** For its certificates. */
  readonly folder: string;
  readonly port: number;
  /** Ports of the nodes. */
  readonly nodes: readonly number[];
}

export async function startCaddy({ program, folder, port, nodes }: CaddyOptions): Promise<Caddy> {
  const path = join(folder, "Caddyfile");
  const shipped = nodes.reduce(
    (text, node, place) => text.replace(`bellwire-${place + 1}:7070`, `127.0.0.1:${node}`),
    readFileSync(CADDYFILE, "utf8"),
  );
  if (/bellwire-\d/.test(shipped)) throw new Error(`the Caddyfile has other nodes than ${nodes.length}`);
  // No redirect on a port of the machine's, nothing into its store of authorities, and no port for administrators.
  const global = `{\n\tadmin off\n\tskip_install_trust\n\thttp_port ${await freePort()}\n\thttps_port ${port}\n}\n`;
  writeFileSync(path, global + shipped);
  const env = { XDG_DATA_HOME: folder, XDG_CONFIG_HOME: folder, SITE_NAME: `localhost:${port}` };
  const child = startChild({ node: program, args: ["run", "--config", path, "--adapter", "caddyfile"], env });
  const authority = join(folder, "caddy", "pki", "authorities", "local", "root.crt");
  const url = `https://localhost:${port}`;
  await eventually("Caddy answers by TLS", async () => {
    if (!existsSync(authority)) return false;
    const dispatcher = new Agent({ connect: { ca: readFileSync(authority, "utf8") } });
    const answer = await request(`${url}/healthz`, { dispatcher }).catch(() => null);
    await answer?.body.dump();
    await dispatcher.destroy();
    return answer?.statusCode === 404;
  });
  return { url, port, authority, [Symbol.asyncDispose]: () => child[Symbol.asyncDispose]() };
}

/**
 * `npm run dev`: the service and the page, both with reload, at one address. Vite serves the page from its sources and
 * passes every other call on to the service, which starts again when one of its files changes. Settings are those of
 * `bellwire serve`; Ctrl-C ends both.
 *
 * Not by `node --watch`: that mixes messages of its own into those of the SQLite store's thread.
 *
 * The service's Content-Security-Policy does not hold for this page; `npm start` shows it under the policy.
 */
import { type ChildProcess, spawn } from "node:child_process";
import { realpathSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { type ViteDevServer, createServer as createVite } from "vite";

const ROOT = join(import.meta.dirname, "..");
const DEFAULT_PORT = "7070";
const SERVED_BY_SERVICE = "^/(v1|dashboard|healthz|readyz|metrics|openapi\\.json)(/|\\?|$)";

/** An editor writes a file in several steps, and a checkout many files. */
const SETTLE_MS = 150;

let isEnding = false;
const { values } = parseArgs({ options: { port: { type: "string", default: DEFAULT_PORT } } });
const servicePort = await findFreePort();
const vite = await servePage(Number(values.port));
const url = `http://localhost:${values.port}`;
let service = startService();
let restart: NodeJS.Timeout | null = null;
vite.watcher.add(join(ROOT, "src"));
vite.watcher.on("all", (_event, path) => {
  if (!path.startsWith(join(ROOT, "src")) || path.endsWith(".test.ts")) return;
  clearTimeout(restart ?? undefined);
  restart = setTimeout(() => void startAgain(), SETTLE_MS);
});
for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => void end());
console.error(`The page with reload is at ${url}, the service behind it at http://localhost:${servicePort}`);

async function findFreePort(): Promise<number> {
  const probe = createServer();
  await new Promise<void>((resolve) => probe.listen(0, "127.0.0.1", resolve));
  const address = probe.address();
  await new Promise((resolve) => probe.close(resolve));
  if (address === null || typeof address === "string") throw new Error("there is no free port");
  return address.port;
}

async function servePage(port: number): Promise<ViteDevServer> {
  const server = await createVite({
    configFile: join(ROOT, "web", "vite.config.ts"),
    cacheDir: join(ROOT, "node_modules", ".cache", "vite"),
    clearScreen: false,
    logLevel: "warn",
    server: {
      port,
      strictPort: true,
      host: "localhost",
      proxy: { [SERVED_BY_SERVICE]: { target: `http://127.0.0.1:${servicePort}` } },
      fs: { allow: [ROOT, realpathSync(join(ROOT, "node_modules"))] },
    },
  });
  return await server.listen();
}

interface Life {
  readonly child: ChildProcess;
  readonly exited: Promise<unknown>;
}

/** Its links lead to the page's address, and the browser's calls come from there. */
function startService(): Life {
  const env = { ...process.env, BELLWIRE_PORT: String(servicePort), BELLWIRE_PUBLIC_URL: url };
  const args = [join(ROOT, "bin", "bellwire.js"), "serve"];
  const child = spawn(process.execPath, args, { cwd: ROOT, env, stdio: ["ignore", "inherit", "inherit"] });
  return { child, exited: new Promise((resolve) => child.once("exit", resolve)) };
}

async function stopService(): Promise<void> {
  service.child.kill("SIGTERM");
  await service.exited;
}

async function startAgain(): Promise<void> {
  await stopService();
  if (!isEnding) service = startService();
}

async function end(): Promise<void> {
  isEnding = true;
  await Promise.all([stopService(), vite.close()]);
  process.exit(0);
}

/** Starts a reference receiver, in its own process, on a free port; and ends it. */
import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { type AddressInfo, createServer as createTcpServer } from "node:net";
import { type IncomingMessage, type ServerResponse, createServer } from "node:http";
import { dirname, join } from "node:path";
import type { Language } from "./languages.ts";
import { installForBuild } from "../../test/kit/process/debian-packages.ts";
import { pause } from "../../test/kit/wait.ts";

export interface RunningReceiver extends AsyncDisposable {
  readonly url: string;
  readonly printed: Printed;
}

/** A first build may have to fetch and compile what it stands on. */
const START_MS_MAX = 180_000;

/** For a busy machine; what prints does so within milliseconds. */
const PRINT_MS_MAX = 10_000;

export function isOnThisMachine({ probe: [command = "", ...args] }: Language): boolean {
  return spawnSync(command, args, { stdio: "ignore" }).status === 0;
}

/** PHP and Ruby on a machine for builds, which rarely has them. */
export function bringLanguages(): void {
  const isHere = (command: string, ...args: string[]) => spawnSync(command, args, { stdio: "ignore" }).status === 0;
  if (isHere("php", "-r", "curl_init();") && isHere("ruby", "-e", "require 'webrick'")) return;
  installForBuild(["php-cli", "php-curl", "ruby", "ruby-webrick"]);
}

/** `keys`: secrets, or public keys where the language checks with those. */
export async function runReceiver(language: Language, keys: readonly string[]): Promise<RunningReceiver> {
  const folder = join(import.meta.dirname, dirname(language.file));
  const env = { ...process.env, WEBHOOK_SECRETS: keys.join(","), WEBHOOK_PUBLIC_KEYS: keys.join(",") };
  return language.isCgi === true ? await serveCgi(folder, language, env) : await serveProcess(folder, language, env);
}

type Environment = NodeJS.ProcessEnv;

/**
 * Everything that a receiver has printed so far. Its two streams come in pieces, and are kept apart so that lines stay
 * whole.
 */
class Printed {
  readonly #streams = { out: "", err: "" };
  readonly #told = new Set<() => void>();

  get text(): string {
    return `${this.#streams.out}\n${this.#streams.err}`;
  }

  add(stream: "out" | "err", chunk: Buffer | string): void {
    this.#streams[stream] += chunk.toString();
    for (const tell of this.#told) tell();
  }

  /** Some print after they have answered. Rejects when the line has not come by then. */
  async line(line: RegExp): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const look = (): void => {
      if (this.text.split(/\r?\n/).some((one) => line.test(one))) resolve();
    };
    const timer = setTimeout(() => reject(new Error(`no line is like ${line} in:\n${this.text}`)), PRINT_MS_MAX);
    this.#told.add(look);
    look();
    await promise.finally(() => {
      clearTimeout(timer);
      this.#told.delete(look);
    });
  }
}

async function serveProcess(folder: string, language: Language, env: Environment): Promise<RunningReceiver> {
  // PHP's server cannot say which free port it took, so all get one that was free a moment ago.
  const port = await freePort();
  const [command = "", ...args] = language.start.map((part) => part.replace("$PORT", String(port)));
  // A group of its own, so that what `go run` and `cargo run` start ends with it.
  const child = spawn(command, args, { cwd: folder, env: { ...env, PORT: String(port) }, detached: true });
  const stop = () => stopGroup(child);
  const printed = new Printed();
  child.stdout.on("data", (chunk: Buffer) => printed.add("out", chunk));
  child.stderr.on("data", (chunk: Buffer) => printed.add("err", chunk));
  await listening(child, { port, printed }).catch(async (error: unknown) => {
    await stop();
    throw error;
  });
  return { url: `http://127.0.0.1:${port}/webhooks`, printed, [Symbol.asyncDispose]: stop };
}

interface Starting {
  readonly port: number;
  readonly printed: Printed;
}

async function listening(child: ChildProcess, { port, printed }: Starting): Promise<void> {
  const giveUpAtMs = Date.now() + START_MS_MAX;
  while (Date.now() < giveUpAtMs) {
    if (child.exitCode !== null) throw new Error(`the receiver ended at its start:\n${printed.text}`);
    const answer = await fetch(`http://127.0.0.1:${port}/webhooks`, { method: "POST" }).catch(() => null);
    if (answer !== null) return;
    await pause(50);
  }
  throw new Error(`the receiver did not start in ${START_MS_MAX} ms:\n${printed.text}`);
}

async function stopGroup(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.pid === undefined) return;
  const exited = new Promise((resolve) => child.once("exit", resolve));
  process.kill(-child.pid, "SIGKILL");
  await exited;
}

/** The little of CGI (RFC 3875) that a receiver needs: headers in the environment, the body on standard input. */
async function serveCgi(folder: string, language: Language, env: Environment): Promise<RunningReceiver> {
  const [command = ""] = language.start;
  const printed = new Printed();
  const program = { command, folder, env, printed };
  const server = createServer((request, response) => void callCgi(request, response, program));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}/webhooks`,
    printed,
    [Symbol.asyncDispose]: () => new Promise((resolve) => server.close(() => resolve())),
  };
}

interface Program {
  readonly command: string;
  readonly folder: string;
  readonly env: Environment;
  readonly printed: Printed;
}

async function callCgi(request: IncomingMessage, response: ServerResponse, program: Program): Promise<void> {
  const body = Buffer.concat(await Array.fromAsync(request as AsyncIterable<Buffer>));
  const headers = Object.entries(request.headers).map(([name, value]) => [
    `HTTP_${name.toUpperCase().replaceAll("-", "_")}`,
    String(value),
  ]);
  const env = { ...program.env, ...Object.fromEntries(headers), CONTENT_LENGTH: String(body.length) };
  const { stdout, stderr } = spawnSync(program.command, { cwd: program.folder, env, input: body, encoding: "utf8" });
  program.printed.add("err", stderr);
  const [, status = "500"] = /^Status: (\d{3})/.exec(stdout) ?? [];
  response.writeHead(Number(status)).end();
}

async function freePort(): Promise<number> {
  const server = createTcpServer();
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}

/**
 * The service as a real process, `bellwire serve` on a data folder, and its intake as the product's back end calls it.
 * Disposing it kills it with SIGKILL; `stop` is the orderly way.
 */
import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { type Dispatcher, Pool } from "undici";
import { type Child, type Exit, startChild } from "./child.ts";
import { eventually, soon } from "../wait.ts";

export const BIN = join(import.meta.dirname, "..", "..", "..", "bin", "bellwire.js");
/** The same service with a retry schedule of milliseconds, for tests that cannot wait for the real one. */
export const SHORT_RETRIES = join(import.meta.dirname, "short-retries.ts");
/** The same service with a wrong clock. */
export const ODD_NODE = join(import.meta.dirname, "odd-node.ts");

/** A clock that is set while a service runs: its environment, and how many milliseconds it is ahead from now on. */
export function jumpingClock(file: string) {
  const set = (aheadMs: number): void => writeFileSync(file, String(aheadMs));
  set(0);
  const preload = pathToFileURL(join(import.meta.dirname, "jumping-clock.ts")).href;
  return { set, env: { NODE_OPTIONS: `--import ${preload}`, E2E_CLOCK_AHEAD_FILE: file } };
}

export const ACCOUNT = "acct-e2e";

export interface ServiceOptions {
  readonly dataDir: string;
  /** 0, unless given, takes any that is free. */
  readonly port?: number;
  readonly env?: Readonly<Record<string, string>>;
  /** `BIN serve`, unless given. */
  readonly program?: readonly string[];
  /** Another Node, or what runs one. */
  readonly node?: string;
  /** A file for the log. */
  readonly output?: number;
}

export interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly text: string;
  /** The body as JSON, loosely typed: tests look at what they expect. */
  readonly json: Record<string, unknown>;
}

export interface Running extends AsyncDisposable {
  readonly child: Child;
  readonly url: string;
  readonly apiKey: string;
  get(path: string): Promise<Answer>;
  /** Posts to `/v1/accounts/<ACCOUNT>/<noun>`; a text with line ends at each record's end is sent as NDJSON. */
  post(noun: Noun, body: string, options?: PostOptions): Promise<Answer>;
  /** SIGTERM, and how it ended. */
  stop(): Promise<Exit & { readonly tookMs: number }>;
  /** SIGKILL: what a crash is. */
  crash(): Promise<void>;
}

export interface PostOptions {
  /** `application/json`, unless given. */
  readonly type?: "application/x-ndjson";
  /** Besides the usual ones. */
  readonly headers?: Readonly<Record<string, string>>;
}

export type Noun = "demo-sessions" | "chat-conversations" | `events/${string}`;

/** As many as a test ever posts at once. */
const CONNECTIONS = 256;

export async function startService(options: ServiceOptions): Promise<Running> {
  const { dataDir, port = 0, env = {}, program = [BIN, "serve"], node, output } = options;
  const child = startChild({
    args: program,
    ...(node === undefined ? {} : { node }),
    ...(output === undefined ? {} : { output }),
    env: { BELLWIRE_DATA_DIR: dataDir, BELLWIRE_PORT: String(port), BELLWIRE_EGRESS_ALLOW: "127.0.0.0/8", ...env },
  });
  const started = await child.err.match(/^Bellwire is running at \S+:(\d+)$/).catch(async (error) => {
    await child[Symbol.asyncDispose]();
    throw error;
  });
  // What it says is where people reach it, which may be a proxy.
  const url = `http://127.0.0.1:${port === 0 ? started[1] : port}`;
  return running(child, { url, apiKey: readFileSync(join(dataDir, "intake-key"), "utf8").trim() });
}

function running(child: Child, { url, apiKey }: { readonly url: string; readonly apiKey: string }): Running {
  const pool = new Pool(url, { connections: CONNECTIONS });
  const call = async (options: Dispatcher.RequestOptions): Promise<Answer> => {
    const { statusCode, headers, body } = await pool.request(options);
    return toAnswer(statusCode, headers, await body.text());
  };
  const ended = async (signal: "SIGTERM" | "SIGKILL") => {
    const startedMs = performance.now();
    child.kill(signal);
    const exit = await soon(child.exited, `the end of the service after ${signal}`);
    await pool.destroy();
    return { ...exit, tookMs: performance.now() - startedMs };
  };
  return {
    child,
    url,
    apiKey,
    get: (path) => call({ method: "GET", path }),
    post: (noun, body, { type, headers = {} } = {}) =>
      call({
        method: "POST",
        path: `/v1/accounts/${ACCOUNT}/${noun}`,
        headers: { authorization: `Bearer ${apiKey}`, "content-type": type ?? "application/json", ...headers },
        body,
      }),
    stop: () => ended("SIGTERM"),
    async crash() {
      const { signal } = await ended("SIGKILL");
      assert.equal(signal, "SIGKILL", `it ended before it was killed:\n${child.err.text}`);
    },
    async [Symbol.asyncDispose]() {
      await ended("SIGKILL");
    },
  };
}

function toAnswer(status: number, headers: Answer["headers"], text: string): Answer {
  const isJson = /^application\/(?:problem\+)?json/.test(String(headers["content-type"]));
  return { status, headers, text, json: isJson ? (JSON.parse(text) as Record<string, unknown>) : {} };
}

/** Resolves when nothing waits in the store any more, that is when every delivery has ended. */
export async function drained(service: Running, forMs?: number): Promise<void> {
  const isDrained = async () => /^bellwire_deliveries_waiting 0$/m.test((await service.get("/metrics")).text);
  await eventually("that no delivery waits in the store", isDrained, forMs);
}

/**
 * A port for a service that is to come back on it. Below the range that the system gives to outgoing connections: one
 * of those could take the port while the service is down, or even be connected to itself.
 */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = 20_000 + Math.floor(Math.random() * 10_000);
    const isFree = await new Promise<boolean>((resolve) => {
      const server = createServer();
      server.once("error", () => resolve(false));
      server.listen(port, "127.0.0.1", () => server.close(() => resolve(true)));
    });
    if (isFree) return port;
  }
}

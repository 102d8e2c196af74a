/**
 * A receiver for tests: a real server on a free loopback port that does to each request what the script says, hostile
 * things included, and records every byte that arrived. It stands on `node:net`, because an HTTP library would not let
 * a test send garbage. Requests must carry `content-length`, as ours always do.
 *
 *     await using receiver = await startReceiver({ status: 503 });
 *     await using receiver = await startReceiver((request) => (request.number === 1 ? { kind: "reset" } : {}));
 *
 * Disposing it kills its sockets and timers.
 */
import { readFileSync } from "node:fs";
import { type AddressInfo, type Server, type Socket, createServer } from "node:net";
import { createServer as createTlsServer } from "node:tls";

export interface ReceivedRequest {
  /** 1 for the first request of this receiver. */
  readonly number: number;
  /** 1 for the first connection; requests on one socket share it. */
  readonly connection: number;
  readonly atMs: number;
  readonly method: string;
  /** Path and query, as sent. */
  readonly path: string;
  /** Lower-case names; of repeated ones the last value. `raw` has them all. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
  /** The request as it was on the wire, from the first byte of the request line to the last of the body. */
  readonly raw: Buffer;
  /** The name asked for in the TLS handshake; `null` without TLS or without a name. */
  readonly serverName: string | null;
}

/** An ordinary answer. */
export interface Answer {
  readonly kind?: "answer";
  /** 200 unless given. */
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array;
  readonly delayMs?: number;
}

export type Behaviour =
  | Answer
  /** 307 to another place. */
  | { readonly kind: "redirect"; readonly to: string }
  /** Reads the request and never answers. */
  | { readonly kind: "hang" }
  /** Closes in order, without an answer. */
  | { readonly kind: "close" }
  /** A TCP reset instead of an answer. */
  | { readonly kind: "reset" }
  /** Announces 100 bytes, sends `sentBytes` (3), then closes or resets. */
  | { readonly kind: "truncate"; readonly sentBytes?: number; readonly reset?: boolean }
  /** A chunked body without end, as fast as it is read. */
  | { readonly kind: "endless_body" }
  /** One byte of the body, or of a header, every `everyMs` (20) without end. */
  | { readonly kind: "drip_body" | "drip_header"; readonly everyMs?: number }
  /** `103 Early Hints` every `everyMs` (20) without end; 0 sends as fast as they are read. */
  | { readonly kind: "endless_103"; readonly everyMs?: number }
  | Raw;

/** These bytes instead of an answer, then `forEver` as fast as it is read. The socket stays open unless `close`. */
export interface Raw {
  readonly kind: "raw";
  readonly bytes: string;
  readonly forEver?: string;
  /** Said 20 ms later, when an answer is long over. */
  readonly laterBytes?: string;
  readonly close?: boolean;
}

export type Script = (request: ReceivedRequest) => Behaviour | Promise<Behaviour>;

export interface ReceiverOptions {
  /** The certificate to serve HTTPS with: `hook.test` is also good for localhost, 127.0.0.1 and ::1. */
  readonly tls?: "hook.test" | "other.test";
  /** The treatment of a connection before any request. */
  readonly onConnect?: OnConnect;
  /** The address to listen at, of this machine's. */
  readonly host?: string;
}

export type OnConnect =
  | "serve"
  | "close"
  | "reset"
  /** Reads, and never answers. */
  | "hang"
  /** Reads nothing, so that the other side cannot write on; from `DEAF_MS` on reads without answering. */
  | "deaf"
  /** Says these bytes unasked, then a byte every `everyMs` if that is given. */
  | { readonly raw: string; readonly everyMs?: number };

/** Longer than any test's deadline. Without an end the socket would never learn that the other side has gone. */
const DEAF_MS = 800;

export interface Receiver extends AsyncDisposable {
  /** `http://127.0.0.1:<port>`, or `https:`; no slash at the end. */
  readonly url: string;
  readonly port: number;
  /** In the order in which they were complete. */
  readonly requests: readonly ReceivedRequest[];
  /** May be replaced while it runs. */
  script: Script;
  /** Sockets that are open now, and connections since the start. */
  socketCount(): number;
  connectionCount(): number;
  /** Resolves when this many requests have arrived since the start. */
  received(count: number): Promise<void>;
  /** Resolves when no socket is open. */
  allClosed(): Promise<void>;
}

export async function startReceiver(script: Script | Behaviour = {}, options: ReceiverOptions = {}): Promise<Receiver> {
  const state = newState(script);
  const server = options.tls === undefined ? createServer() : createTlsServer(tlsFiles(options.tls));
  server.on(options.tls === undefined ? "connection" : "secureConnection", (socket: Socket) =>
    accept(state, socket, options.onConnect ?? "serve"),
  );
  // A handshake that the other side broke off is part of some tests; the socket is gone already.
  server.on("tlsClientError", () => {});
  server.on("connection", (socket: Socket) => track(state, socket));
  const { host = "127.0.0.1" } = options;
  const port = await listen(server, host);
  const scheme = options.tls === undefined ? "http" : "https";
  return {
    url: `${scheme}://${host}:${port}`,
    port,
    requests: state.requests,
    get script() {
      return state.script;
    },
    set script(next) {
      state.script = next;
    },
    socketCount: () => state.sockets.size,
    connectionCount: () => state.connections,
    received: (count) => when(state, () => state.requests.length >= count),
    allClosed: () => when(state, () => state.sockets.size === 0),
    [Symbol.asyncDispose]: () => stop(server, state),
  };
}

/** The certificate of a receiver, to be trusted by the sender under test. PEM. */
export const readCertificate = (name: "hook.test" | "other.test"): string => readTls(`${name}.cert.pem`);

export const readKey = (name: "hook.test" | "other.test"): string => readTls(`${name}.key.pem`);

const tlsFiles = (name: "hook.test" | "other.test") => ({ key: readKey(name), cert: readCertificate(name) });

const readTls = (file: string): string => readFileSync(new URL(`../../tls/${file}`, import.meta.url), "utf8");

interface State {
  script: Script;
  readonly requests: ReceivedRequest[];
  readonly sockets: Set<Socket>;
  connections: number;
  /** Those that got as far as a request might: behind the handshake, with TLS. */
  served: number;
  waiters: { readonly isTrue: () => boolean; readonly wake: () => void }[];
}

function newState(script: Script | Behaviour): State {
  const asScript = typeof script === "function" ? script : () => script;
  return { script: asScript, requests: [], sockets: new Set(), connections: 0, served: 0, waiters: [] };
}

function when(state: State, isTrue: () => boolean): Promise<void> {
  if (isTrue()) return Promise.resolve();
  return new Promise((wake) => {
    state.waiters.push({ isTrue, wake });
  });
}

function notify(state: State): void {
  for (const waiter of state.waiters.filter(({ isTrue }) => isTrue())) {
    state.waiters = state.waiters.filter((other) => other !== waiter);
    waiter.wake();
  }
}

function listen(server: Server, host: string): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once("error", reject);
    server.listen(0, host, () => resolve((server.address() as AddressInfo).port));
  });
}

function stop(server: Server, state: State): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => resolve());
    for (const socket of state.sockets) socket.destroy();
  });
}

/** The TCP socket, also under TLS: what the other side still holds open. */
function track(state: State, socket: Socket): void {
  state.sockets.add(socket);
  state.connections += 1;
  socket.on("error", () => {});
  socket.on("close", () => {
    state.sockets.delete(socket);
    notify(state);
  });
}

function accept(state: State, socket: Socket, onConnect: OnConnect): void {
  socket.on("error", () => {});
  if (onConnect === "close") socket.destroy();
  if (onConnect === "reset") socket.resetAndDestroy();
  if (onConnect === "deaf") return after(socket, DEAF_MS, () => socket.resume());
  if (typeof onConnect === "object") {
    socket.write(onConnect.raw, "latin1");
    if (onConnect.everyMs !== undefined) drip(socket, "x", onConnect.everyMs);
  }
  // Reads on, or it would never learn that the other side has closed.
  if (onConnect !== "serve") return void socket.resume();
  state.served += 1;
  const connection = state.served;
  let buffered: Buffer = Buffer.alloc(0);
  socket.on("data", (chunk: Buffer) => {
    buffered = Buffer.concat([buffered, chunk]);
    for (let parsed = parseRequest(buffered); parsed !== null; parsed = parseRequest(buffered)) {
      buffered = buffered.subarray(parsed.raw.length);
      const request: ReceivedRequest = {
        ...parsed,
        raw: Buffer.from(parsed.raw),
        number: state.requests.length + 1,
        connection,
        atMs: Date.now(),
        serverName: findServerName(socket),
      };
      state.requests.push(request);
      notify(state);
      void Promise.resolve(state.script(request)).then((behaviour) => behave(socket, behaviour));
    }
  });
}

function findServerName(socket: Socket): string | null {
  return "servername" in socket && typeof socket.servername === "string" ? socket.servername : null;
}

/** `null` until the request is complete. */
function parseRequest(bytes: Buffer) {
  const headEnd = bytes.indexOf("\r\n\r\n");
  if (headEnd === -1) return null;
  const [requestLine = "", ...lines] = bytes.subarray(0, headEnd).toString("latin1").split("\r\n");
  const headers = Object.fromEntries(lines.map(parseHeaderLine));
  const bodyStart = headEnd + 4;
  const end = bodyStart + Number(headers["content-length"] ?? 0);
  if (bytes.length < end) return null;
  const [method = "", path = ""] = requestLine.split(" ");
  return { method, path, headers, body: Buffer.from(bytes.subarray(bodyStart, end)), raw: bytes.subarray(0, end) };
}

function parseHeaderLine(line: string): [name: string, value: string] {
  const colon = line.indexOf(":");
  return [line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim()];
}

function behave(socket: Socket, behaviour: Behaviour): void {
  switch (behaviour.kind) {
    case undefined:
    case "answer":
      return answerLater(socket, behaviour);
    case "redirect":
      return answerLater(socket, { status: 307, headers: { location: behaviour.to } });
    case "hang":
      return;
    case "close":
      return void socket.end();
    case "reset":
      return void socket.resetAndDestroy();
    case "truncate":
      return truncate(socket, behaviour);
    case "endless_body":
      socket.write("HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n");
      return pour(socket, `1000\r\n${"x".repeat(4096)}\r\n`);
    case "drip_body":
      socket.write("HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n");
      return drip(socket, "1\r\nx\r\n", behaviour.everyMs);
    case "drip_header":
      socket.write("HTTP/1.1 200 OK\r\nx-drip: ");
      return drip(socket, "x", behaviour.everyMs);
    case "endless_103": {
      const hint = "HTTP/1.1 103 Early Hints\r\nlink: </style.css>\r\n\r\n";
      return behaviour.everyMs === 0 ? pour(socket, hint) : drip(socket, hint, behaviour.everyMs);
    }
    case "raw":
      return speak(socket, behaviour);
  }
}

function speak(socket: Socket, { bytes, forEver, laterBytes, close }: Raw): void {
  socket.write(bytes, "latin1");
  if (forEver !== undefined) pour(socket, forEver);
  if (laterBytes !== undefined) after(socket, LATER_MS, () => socket.write(laterBytes, "latin1"));
  if (close === true) socket.end();
}

const LATER_MS = 20;

function answerLater(socket: Socket, answer: Answer): void {
  const { delayMs = 0 } = answer;
  if (delayMs === 0) return writeAnswer(socket, answer);
  after(socket, delayMs, () => writeAnswer(socket, answer));
}

/** Unless the socket is closed before. */
function after(socket: Socket, delayMs: number, act: () => void): void {
  const cancel = () => clearTimeout(timer);
  const timer = setTimeout(() => {
    socket.off("close", cancel);
    act();
  }, delayMs);
  socket.once("close", cancel);
}

function writeAnswer(socket: Socket, { status = 200, headers = {}, body = "" }: Answer): void {
  const bytes = Buffer.from(body);
  const lines = Object.entries({ "content-length": `${bytes.length}`, ...headers }).map(([n, v]) => `${n}: ${v}\r\n`);
  socket.write(Buffer.concat([Buffer.from(`HTTP/1.1 ${status} X\r\n${lines.join("")}\r\n`, "latin1"), bytes]));
}

function truncate(socket: Socket, { sentBytes = 3, reset = false }: { sentBytes?: number; reset?: boolean }): void {
  const head = "HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\n";
  socket.write(head + "x".repeat(sentBytes), () => (reset ? socket.resetAndDestroy() : socket.end()));
}

function drip(socket: Socket, bytes: string, everyMs = 20): void {
  const timer = setInterval(() => socket.write(bytes), everyMs);
  socket.on("close", () => clearInterval(timer));
}

/** As fast as the other side reads, without filling the memory. */
function pour(socket: Socket, bytes: string): void {
  // Small writes would take the time of the test that the other side is in.
  const block = bytes.repeat(Math.ceil(4_096 / bytes.length));
  const fill = () => {
    while (!socket.destroyed && socket.write(block));
  };
  socket.on("drain", fill);
  fill();
}

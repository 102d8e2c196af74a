/**
 * The least program that keeps the main promise: a record is answered when it is committed, its webhook is signed twice
 * and sent over sockets that are kept, and what came of it is committed with the next records. It stands on bare
 * sockets and SQLite, so no library is in it. It takes every record as right, knows no repeats, retries nothing, shows
 * nothing, measures nothing and times nothing out.
 */
import { createHmac } from "node:crypto";
import { type AddressInfo, type Socket, connect, createServer } from "node:net";
import { Worker } from "node:worker_threads";
import { webhookHeaders } from "../record.ts";
import type { ToLeastStore } from "./least-store.ts";

export interface ToLeast {
  /** The receiver's. */
  readonly port: number;
  /** Of the database, in a folder that is there. */
  readonly path: string;
}

export interface FromLeast {
  readonly port: number;
}

interface Waiting {
  readonly answer: () => void;
  readonly webhooks: readonly Webhook[];
}

interface Webhook {
  readonly n: number;
  readonly body: Buffer;
}

const SECRET = "a".repeat(32);
const HEAD_END = "\r\n\r\n";
/** What has succeeded waits for the next records for so long. */
const PATIENCE_MS = 10;
const SOCKET_BYTES = 64 * 1024;

process.on("disconnect", () => process.exit(0));
process.once("message", ({ port, path }: ToLeast) => {
  const store = new Store(path, startSending(port));
  const server = createServer({ noDelay: true }, (socket) => takeRequests(socket, store));
  server.listen(0, "127.0.0.1", () => process.send?.({ port: (server.address() as AddressInfo).port }));
});

function takeRequests(socket: Socket, store: Store): void {
  let rest: Buffer | null = null;
  socket.on("error", () => socket.destroy());
  socket.on("data", (chunk: Buffer) => {
    rest = rest === null ? chunk : Buffer.concat([rest, chunk]);
    const headEnd = rest.indexOf(HEAD_END);
    if (headEnd === -1) return;
    const head = rest.toString("latin1", 0, headEnd);
    const bodyAt = headEnd + HEAD_END.length;
    const end = bodyAt + Number(/content-length: (\d+)/i.exec(head)?.[1]);
    if (rest.length < end) return;
    const isBatch = head.includes("application/x-ndjson");
    const text = rest.toString("utf8", bodyAt, end);
    rest = null;
    const status = isBatch ? "200 OK" : "202 Accepted";
    const answer = `HTTP/1.1 ${status}\r\ncontent-type: application/json\r\ncontent-length: 2\r\n\r\n{}`;
    store.accept(isBatch ? text.trimEnd().split("\n") : [text], () => void socket.write(answer, "latin1"));
  });
}

type Send = (webhook: Webhook, onSent: () => void) => void;

/** Commits records together while one commit is under way, and what came of webhooks with them. */
class Store {
  readonly #worker: Worker;
  readonly #send: Send;
  #lastN = 0;
  #waiting: Waiting[] = [];
  #settled: number[] = [];
  #isCommitting = false;
  #isTimed = false;

  constructor(path: string, send: Send) {
    this.#worker = new Worker(new URL("least-store.ts", import.meta.url), { name: "store", workerData: path });
    this.#send = send;
  }

  accept(records: readonly string[], answer: () => void): void {
    const webhooks = records.map((record) => ({ n: (this.#lastN += 1), body: Buffer.from(toBody(record)) }));
    this.#waiting.push({ answer, webhooks });
    this.#commit();
  }

  #commit(): void {
    if (this.#isCommitting || (this.#waiting.length === 0 && this.#settled.length === 0)) return;
    this.#isCommitting = true;
    const taken = this.#waiting;
    const webhooks = taken.flatMap((each) => each.webhooks);
    const message: ToLeastStore = {
      firstN: webhooks[0]?.n ?? 0,
      bodies: Buffer.concat(webhooks.map(({ body }) => body)),
      lengths: webhooks.map(({ body }) => body.length),
      settled: this.#settled,
    };
    [this.#waiting, this.#settled] = [[], []];
    this.#worker.once("message", () => {
      this.#isCommitting = false;
      for (const { answer } of taken) answer();
      this.#commit();
      for (const webhook of webhooks) this.#send(webhook, () => this.#settle(webhook.n));
    });
    this.#worker.postMessage(message);
  }

  #settle(n: number): void {
    this.#settled.push(n);
    if (this.#isTimed) return;
    this.#isTimed = true;
    setTimeout(() => {
      this.#isTimed = false;
      this.#commit();
    }, PATIENCE_MS);
  }
}

const toBody = (record: string): string => JSON.stringify(JSON.parse(record));

/** Over as many sockets as are needed at once. */
function startSending(port: number): Send {
  const idle: Line[] = [];
  return (webhook, onSent) => {
    const line = idle.pop() ?? openLine(port);
    line.onAnswer = () => {
      idle.push(line);
      onSent();
    };
    line.socket.write(toRequest(webhook));
  };
}

interface Line {
  readonly socket: Socket;
  onAnswer: () => void;
}

/** One buffer for all sockets: an answer is looked at before the next one is read. */
const answers = Buffer.allocUnsafeSlow(SOCKET_BYTES);

function openLine(port: number): Line {
  const callback = (count: number): boolean => {
    const answer = answers.toString("latin1", 0, count);
    if (!answer.startsWith("HTTP/1.1 2") || !answer.endsWith(HEAD_END)) throw new Error(`not a success: ${answer}`);
    line.onAnswer();
    return true;
  };
  const socket = connect({ port, host: "127.0.0.1", noDelay: true, onread: { buffer: answers, callback } });
  const line: Line = { socket, onAnswer: () => {} };
  return line;
}

function toRequest({ body }: Webhook): Buffer {
  const headers = {
    ...webhookHeaders(body.length),
    "x-service-signature": createHmac("sha256", SECRET).update(body).digest("base64"),
    "webhook-signature": `v1,${createHmac("sha256", SECRET).update("1.1.").update(body).digest("base64")}`,
  };
  let head = "POST /in HTTP/1.1\r\nhost: 127.0.0.1\r\n";
  for (const name in headers) head += `${name}: ${headers[name as keyof typeof headers]}\r\n`;
  const bytes = Buffer.allocUnsafe(head.length + 2 + body.length);
  bytes.write(head, 0, "latin1");
  bytes.write("\r\n", head.length, "latin1");
  body.copy(bytes, head.length + 2);
  return bytes;
}

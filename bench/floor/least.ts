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
import type { FromLeastStore, ToLeastStore } from "./least-store.ts";

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
  const store = startStore(path, startSending(port));
  const server = createServer({ noDelay: true }, (socket) => takeRequests(socket, store.accept));
  server.listen(0, "127.0.0.1", () => process.send?.({ port: (server.address() as AddressInfo).port }));
});

type Accept = (records: readonly string[], answer: () => void) => void;

function takeRequests(socket: Socket, accept: Accept): void {
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
    accept(isBatch ? text.trimEnd().split("\n") : [text], () => void socket.write(answer, "latin1"));
  });
}

/** Commits records together while one commit is under way, and what came of webhooks with them. */
function startStore(path: string, send: (webhook: Webhook, onSent: () => void) => void) {
  const worker = new Worker(new URL("least-store.ts", import.meta.url), { name: "store", workerData: path });
  let lastN = 0;
  let waiting: Waiting[] = [];
  let settled: number[] = [];
  let isCommitting = false;
  let timer: NodeJS.Timeout | null = null;

  const commit = (): void => {
    if (isCommitting || (waiting.length === 0 && settled.length === 0)) return;
    isCommitting = true;
    const taken = waiting;
    const bodies = taken.flatMap(({ webhooks }) => webhooks);
    const message: ToLeastStore = {
      firstN: bodies[0]?.n ?? 0,
      bodies: Buffer.concat(bodies.map(({ body }) => body)),
      lengths: bodies.map(({ body }) => body.length),
      settled,
    };
    [waiting, settled] = [[], []];
    worker.once("message", (_answer: FromLeastStore) => {
      isCommitting = false;
      for (const { answer } of taken) answer();
      commit();
      for (const webhook of bodies) send(webhook, () => settle(webhook.n));
    });
    worker.postMessage(message);
  };
  const settle = (n: number): void => {
    settled.push(n);
    timer ??= setTimeout(() => {
      timer = null;
      commit();
    }, PATIENCE_MS);
  };
  return {
    accept: (records: readonly string[], answer: () => void): void => {
      const webhooks = records.map((record) => ({ n: (lastN += 1), body: Buffer.from(toBody(record)) }));
      waiting.push({ answer, webhooks });
      commit();
    },
  };
}

const toBody = (record: string): string => JSON.stringify(JSON.parse(record));

/** Over as many sockets as are needed at once. */
function startSending(port: number) {
  const idle: Line[] = [];
  return (webhook: Webhook, onSent: () => void): void => {
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
    if (answers.toString("latin1", 9, 10) !== "2" || answers.indexOf(HEAD_END) >= count)
      throw new Error("not a success");
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

/**
 * The receiver of the benchmark, a process of its own: answers every request with the same 200 and notes which record
 * it was. It stands on bare sockets, so that as little as possible of the machine goes into it.
 */
import { type AddressInfo, type Socket, createServer } from "node:net";
import { DIGITS_AT, readSequence, sharedClockMs } from "./record.ts";

/** From the bench: which records are going to come, and "tell me when this many have". */
export type ToReceiver =
  | { readonly kind: "expect"; readonly first: number; readonly most: number; readonly stamp: boolean }
  | { readonly kind: "await"; readonly count: number };

export type FromReceiver =
  | { readonly kind: "listening"; readonly port: number }
  | { readonly kind: "expecting" }
  | {
      readonly kind: "arrived";
      /** Expected records, each counted once; requests that came again or were not expected. */
      readonly count: number;
      readonly others: number;
      readonly lastAtMs: number;
      /** When each arrived, in the order of their numbers; 0 for those that did not. Empty unless `stamp`. */
      readonly atMs: Float64Array;
    };

const ANSWER = Buffer.from("HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n");
const HEAD_END = "\r\n\r\n";
const LENGTH = "content-length: ";

let first = 0;
let seen = new Uint8Array(0);
let atMs = new Float64Array(0);
let count = 0;
let others = 0;
let awaited = Infinity;

const send = (message: FromReceiver) => void process.send?.(message);

process.on("message", (message: ToReceiver) => {
  if (message.kind === "await") {
    awaited = message.count;
    return tellIfDone();
  }
  first = message.first;
  seen = new Uint8Array(message.most);
  atMs = new Float64Array(message.stamp ? message.most : 0);
  count = 0;
  others = 0;
  awaited = Infinity;
  send({ kind: "expecting" });
});
process.on("disconnect", () => process.exit(0));

const server = createServer({ noDelay: true }, (socket) => {
  let rest: Buffer | null = null;
  socket.on("error", () => socket.destroy());
  socket.on("data", (chunk: Buffer) => {
    rest = takeRequests(socket, rest === null ? chunk : Buffer.concat([rest, chunk]));
  });
});
server.listen(0, "127.0.0.1", () => send({ kind: "listening", port: (server.address() as AddressInfo).port }));

/** Answers every whole request, and gives back the bytes of one that is not whole yet. */
function takeRequests(socket: Socket, bytes: Buffer): Buffer | null {
  let start = 0;
  while (start < bytes.length) {
    const headEnd = bytes.indexOf(HEAD_END, start, "latin1");
    if (headEnd === -1) break;
    const body = headEnd + HEAD_END.length;
    const end = body + parseLength(bytes, start);
    if (end > bytes.length) break;
    note(readSequence(bytes, body + DIGITS_AT) - first);
    socket.write(ANSWER);
    start = end;
  }
  return start === bytes.length ? null : bytes.subarray(start);
}

function parseLength(bytes: Buffer, start: number): number {
  let length = 0;
  const at = bytes.indexOf(LENGTH, start, "latin1") + LENGTH.length;
  for (let place = at; (bytes[place] ?? 0) >= 0x30; place += 1) length = length * 10 + ((bytes[place] ?? 0) - 0x30);
  return length;
}

function note(index: number): void {
  if (seen[index] !== 0) {
    others += 1;
    return;
  }
  seen[index] = 1;
  if (index < atMs.length) atMs[index] = sharedClockMs();
  count += 1;
  if (count >= awaited) tellIfDone();
}

function tellIfDone(): void {
  if (count < awaited) return;
  send({ kind: "arrived", count, others, lastAtMs: sharedClockMs(), atMs: atMs.subarray(0, count) });
  awaited = Infinity;
}

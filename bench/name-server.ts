/**
 * A name server of the benchmark: every name is this machine, and some names fall silent while a test asks for it. The
 * answer is 40 lines of RFC 1035, so that look-ups take the same way through c-ares and UDP as in production.
 */
import { createSocket } from "node:dgram";
import { once } from "node:events";

export interface NameServer extends AsyncDisposable {
  /** `127.0.0.1:<port>`, as `setServers` takes it. */
  readonly address: string;
  /** Names for which this is true get no answer at all. */
  isSilent: (name: string) => boolean;
}

const HEADER_BYTES = 12;
const TYPE_A = 1;
/** Seconds. As long as the service keeps one at most. */
const TTL = 60;
/** A pointer to the question's name, type A, class IN, TTL, four bytes: 127.0.0.1. */
const ANSWER = Buffer.from([0xc0, 0x0c, 0, TYPE_A, 0, 1, 0, 0, 0, TTL, 0, 4, 127, 0, 0, 1]);

export async function startNameServer(): Promise<NameServer> {
  const socket = createSocket("udp4");
  socket.bind(0, "127.0.0.1");
  await once(socket, "listening");
  const server: NameServer = {
    address: `127.0.0.1:${socket.address().port}`,
    isSilent: () => false,
    [Symbol.asyncDispose]: () => new Promise((resolve) => socket.close(() => resolve())),
  };
  socket.on("message", (question, { port, address }) => {
    const { name, end } = readName(question);
    if (!server.isSilent(name)) socket.send(answerTo(question, end), port, address);
  });
  return server;
}

/** The name asked for, and where the question ends: behind its type and class. */
function readName(question: Buffer): { readonly name: string; readonly end: number } {
  const labels: string[] = [];
  let at = HEADER_BYTES;
  for (let length = question[at] ?? 0; length > 0; length = question[at] ?? 0) {
    labels.push(question.toString("latin1", at + 1, at + 1 + length));
    at += length + 1;
  }
  return { name: labels.join(".").toLowerCase(), end: at + 5 };
}

/** One address for A; for anything else the name exists and has none. */
function answerTo(question: Buffer, end: number): Buffer {
  const isA = question.readUInt16BE(end - 4) === TYPE_A;
  const header = Buffer.from(question.subarray(0, HEADER_BYTES));
  // A response without error, recursion available; one question, at most one answer, nothing else.
  header.writeUInt16BE(0x8180, 2);
  header.writeUInt16BE(1, 4);
  header.writeUInt16BE(isA ? 1 : 0, 6);
  header.writeUInt32BE(0, 8);
  return Buffer.concat([header, question.subarray(HEADER_BYTES, end), ...(isA ? [ANSWER] : [])]);
}

/**
 * A keep-alive connection that sends ready bytes and says when the answer is there: all that a load generator needs of
 * HTTP, at a fraction of what a client costs. One request at a time.
 */
import { type Socket, connect } from "node:net";

/** Called with the status, and the whole answer as bytes. */
export type OnAnswer = (status: number, answer: Buffer) => void;

export interface Caller {
  /** `bytes` may be written over once the answer is there. */
  send(bytes: Buffer, onAnswer: OnAnswer): void;
  close(): void;
}

const HEAD_END = "\r\n\r\n";
const LENGTH = "content-length: ";

export async function openCaller(port: number): Promise<Caller> {
  const socket = connect({ host: "127.0.0.1", port, noDelay: true });
  await new Promise<void>((resolve, reject) => {
    socket.once("connect", resolve);
    socket.once("error", reject);
  });
  return over(socket);
}

function over(socket: Socket): Caller {
  let rest: Buffer | null = null;
  let waiting: OnAnswer | null = null;
  socket.on("data", (chunk: Buffer) => {
    const bytes = rest === null ? chunk : Buffer.concat([rest, chunk]);
    const length = answerLength(bytes);
    if (length === null || bytes.length < length) {
      rest = bytes;
      return;
    }
    rest = null;
    const onAnswer = waiting;
    waiting = null;
    onAnswer?.(Number(bytes.toString("latin1", 9, 12)), bytes);
  });
  socket.on("close", () => {
    if (waiting !== null) throw new Error("the service closed a connection that waited for an answer");
  });
  return {
    send(bytes, onAnswer) {
      waiting = onAnswer;
      socket.write(bytes);
    },
    close: () => void socket.destroy(),
  };
}

/** Bytes of head and body together; `null` while the head is not complete. */
function answerLength(bytes: Buffer): number | null {
  const headEnd = bytes.indexOf(HEAD_END, 0, "latin1");
  if (headEnd === -1) return null;
  const lengthAt = bytes.indexOf(LENGTH, 0, "latin1") + LENGTH.length;
  return headEnd + HEAD_END.length + Number.parseInt(bytes.toString("latin1", lengthAt, lengthAt + 10), 10);
}

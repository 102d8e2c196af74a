/**
 * A keep-alive connection that sends ready bytes and says when the answer is there: all that a load generator needs of
 * HTTP, at a fraction of what a client costs. One request at a time. The service ends a connection that has not sent
 * anything for a while; the next request opens another.
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
  return over(port, await openSocket(port));
}

async function openSocket(port: number): Promise<Socket> {
  const socket = connect({ host: "127.0.0.1", port, noDelay: true });
  await new Promise<void>((resolve, reject) => {
    socket.once("connect", resolve);
    socket.once("error", reject);
  });
  return socket;
}

function over(port: number, first: Socket): Caller {
  let socket = first;
  let waiting: OnAnswer | null = null;
  const listen = (): void => {
    let rest: Buffer | null = null;
    socket.on("data", (chunk: Buffer) => {
      const bytes = rest === null ? chunk : Buffer.concat([rest, chunk]);
      const length = answerLength(bytes);
      rest = length === null || bytes.length < length ? bytes : null;
      if (rest !== null) return;
      const onAnswer = waiting;
      waiting = null;
      onAnswer?.(Number(bytes.toString("latin1", 9, 12)), bytes);
    });
    socket.on("close", () => {
      if (waiting !== null) throw new Error("the service closed a connection that waited for an answer");
    });
  };
  const reopen = async (): Promise<void> => {
    socket = await openSocket(port);
    listen();
  };
  listen();
  return {
    send(bytes, onAnswer) {
      waiting = onAnswer;
      if (socket.writable) socket.write(bytes);
      else void reopen().then(() => socket.write(bytes));
    },
    close() {
      waiting = null;
      socket.destroy();
    },
  };
}

/** Bytes of head and body together; `null` while the head is not complete. */
function answerLength(bytes: Buffer): number | null {
  const headEnd = bytes.indexOf(HEAD_END, 0, "latin1");
  if (headEnd === -1) return null;
  const lengthAt = bytes.indexOf(LENGTH, 0, "latin1") + LENGTH.length;
  return headEnd + HEAD_END.length + Number.parseInt(bytes.toString("latin1", lengthAt, lengthAt + 10), 10);
}

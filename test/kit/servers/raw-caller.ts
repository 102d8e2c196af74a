/**
 * A caller that is a bare socket: it sends what a test tells it, byte for byte, and keeps its own side open whatever
 * the server does, as careless clients do. A test can wait for its answers.
 */
import { type Socket, connect } from "node:net";
import { soon } from "../wait.ts";

export interface RawCaller extends Disposable {
  readonly socket: Socket;
  /** Everything that was answered so far. */
  readonly text: string;
  write(bytes: string | Uint8Array): void;
  /** Resolves with all that was answered, once that matches. */
  answered(pattern: RegExp): Promise<string>;
  /** Resolves when the server has let go of the connection: it ended its side, or reset it. */
  readonly ended: Promise<void>;
}

export async function openRawCaller(port: number): Promise<RawCaller> {
  const socket = connect({ host: "127.0.0.1", port, allowHalfOpen: true });
  await new Promise<void>((resolve, reject) => {
    socket.once("connect", resolve);
    socket.once("error", reject);
  });
  let text = "";
  const { promise: ended, resolve: end } = Promise.withResolvers<void>();
  const waiters = new Set<() => void>();
  socket.on("data", (chunk) => {
    text += chunk.toString("latin1");
    for (const waiter of waiters) waiter();
  });
  socket.once("end", end);
  socket.once("close", () => end());
  // A reset is one of the ways in which a server lets go.
  socket.on("error", () => end());
  return {
    socket,
    ended,
    get text() {
      return text;
    },
    write: (bytes) => void socket.write(bytes),
    async answered(pattern) {
      const { promise, resolve } = Promise.withResolvers<string>();
      const look = (): void => void (pattern.test(text) && resolve(text));
      waiters.add(look);
      look();
      return await soon(promise, `an answer like ${pattern}`).finally(() => waiters.delete(look));
    },
    [Symbol.dispose]: () => void socket.destroy(),
  };
}

/** A POST's head, and as much of its body as is given; `bodyBytes` is what it announces. */
export function postHead(path: string, bodyBytes: number, headers: Readonly<Record<string, string>> = {}): string {
  const given = { host: "localhost", "content-type": "application/json", "content-length": bodyBytes, ...headers };
  const lines = Object.entries(given).map(([name, value]) => `${name}: ${value}`);
  return [`POST ${path} HTTP/1.1`, ...lines, "", ""].join("\r\n");
}

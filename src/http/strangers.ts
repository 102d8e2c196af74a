/**
 * Connections of callers that nobody has let in yet. There may be so many of them and no more: one more takes the place
 * of the one that has been silent the longest. New callers are never refused for it, because somebody who holds all the
 * places could then lock everybody out; who has a key or a session has shown it long before its turn to go.
 */
import type { Socket } from "node:net";

export interface Strangers {
  /** A new connection. */
  arrived(socket: Socket): void;
  /** It has sent the head of a request. */
  spoke(socket: Socket): void;
  /** It has shown a key or a session, and counts no more. */
  becameKnown(socket: Socket): void;
}

export function createStrangers(max: number): Strangers {
  /** The longest silent first. */
  const sockets = new Set<Socket>();
  return {
    arrived(socket) {
      sockets.add(socket);
      socket.once("close", () => sockets.delete(socket));
      const [first] = sockets;
      if (sockets.size > max) first?.destroy();
      if (sockets.size > max && first !== undefined) sockets.delete(first);
    },
    spoke(socket) {
      if (sockets.delete(socket)) sockets.add(socket);
    },
    becameKnown: (socket) => void sockets.delete(socket),
  };
}

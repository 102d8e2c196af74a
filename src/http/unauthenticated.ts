/**
 * Connections of callers that have shown no key and no session yet. Their number has a maximum, and one more takes the
 * place of the connection that has been silent for longest. New callers are never refused, because an attacker that
 * holds all the places could then lock all others out. A caller with a key or a session has shown it long before its
 * connection would have to go.
 */
import type { Socket } from "node:net";

export interface Unauthenticated {
  /** A new connection. */
  arrived(socket: Socket): void;
  /** It has sent the head of a request. */
  spoke(socket: Socket): void;
  /** It has shown a key or a session, and counts no more. */
  becameKnown(socket: Socket): void;
}

export function limitUnauthenticated(max: number): Unauthenticated {
  /** The longest silent one is first. */
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

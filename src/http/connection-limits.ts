/**
 * What a caller may take of the server's connections: the times for which one may be busy without progress, and how
 * many may be open without a key or a session. Tests that wait for one of the times make it short.
 */
import { secondsMs } from "../lib/duration.ts";
import type { Socket } from "node:net";

export interface ServerTimes {
  /** From a connection's start, or the end of the request before, to the end of a head. */
  readonly headMs: number;
  /** The same to the end of the body. */
  readonly requestMs: number;
  /** The interval at which the two above are checked, so that they may be late by this much. */
  readonly checkMs: number;
  /** The longest silence in a body that is only discarded. */
  readonly silenceMs: number;
  /**
   * The longest time in which the caller reads no byte of its answer. Above the deadline of a test from the dashboard,
   * 15 s.
   */
  readonly stallMs: number;
  /**
   * When the server closes: for callers that have not sent their whole request. Attempts in
   * flight have the other 15 s of a stop.
   */
  readonly leaveMs: number;
}

/** Guesses, except the request's: 8 MiB in 30 s are a line of 2.2 Mbit/s. */
export const SERVER_TIMES: ServerTimes = {
  headMs: secondsMs(15),
  requestMs: secondsMs(30),
  checkMs: secondsMs(2),
  silenceMs: secondsMs(5),
  stallMs: secondsMs(30),
  leaveMs: secondsMs(5),
};

/*
 * Connections of callers that have shown no key and no session yet. Their number has a maximum, and one more takes the
 * place of the connection that has been silent for longest. New callers are never refused, because an attacker that
 * holds all the places could then lock all others out. A caller with a key or a session has shown it long before its
 * connection would have to go.
 */

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

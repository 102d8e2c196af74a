/**
 * Which requests a connection still waits to have answered, for what ends connections by itself.
 *
 * A server that closes: Node then stops watching for slow requests, closes the connections that are idle, and waits for
 * all others, also behind their answer. One stranger that drips a head would make every stop wait for its deadline,
 * which is time that the attempts in flight need.
 *
 * A request that cannot be read: those before it may still be worked on, and HTTP/1.1 gives answers in the order of
 * their requests. A caller that reads the refusal first would take it for the answer to a record that was accepted.
 */
import type { IncomingMessage, Server, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { type CancelTimer, systemClock } from "../lib/clock.ts";

interface Exchange {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
}

export interface Unfinished {
  /**
   * Calls `end`, which ends the connection, when each whole request on it has its answer. A connection on which that
   * takes longer than `withinMs` is destroyed.
   */
  endBehindAnswers(socket: Socket, withinMs: number, end: () => void): void;
  /**
   * The server closes: from now on a connection ends behind its answer, and after this time those end on which no
   * answer is being worked on.
   */
  leave(graceMs: number): CancelTimer;
}

export function watchUnfinished(server: Server): Unfinished {
  const open = new Map<Socket, Set<Exchange>>();
  /** Ends a connection behind its answers. */
  const ending = new Map<Socket, () => void>();
  let isLeaving = false;
  let isOverdue = false;
  const isWaitedFor = (socket: Socket): boolean =>
    [...(open.get(socket) ?? [])].some(({ request }) => request.complete);
  server.on("connection", (socket: Socket) => {
    open.set(socket, new Set());
    socket.once("close", () => {
      open.delete(socket);
      ending.delete(socket);
    });
  });
  server.on("request", (request, response) => {
    const { socket } = request;
    const exchanges = open.get(socket);
    const exchange = { request, response };
    exchanges?.add(exchange);
    response.once("close", () => {
      exchanges?.delete(exchange);
      if (isWaitedFor(socket)) return;
      ending.get(socket)?.();
      if (isLeaving && (isOverdue || exchanges?.size === 0)) socket.destroySoon();
    });
  });
  return {
    endBehindAnswers(socket, withinMs, end) {
      if (!isWaitedFor(socket)) return end();
      // Each further piece of an unreadable request is reported again.
      if (ending.has(socket)) return;
      ending.set(socket, end);
      const cancel = systemClock.after(withinMs, () => socket.destroy());
      socket.once("close", cancel);
    },
    leave(graceMs) {
      isLeaving = true;
      return systemClock.after(graceMs, () => {
        isOverdue = true;
        for (const [socket, exchanges] of open) if (![...exchanges].some(isBeingAnswered)) socket.destroy();
      });
    },
  };
}

const isBeingAnswered = ({ request, response }: Exchange): boolean => request.complete && !response.writableEnded;

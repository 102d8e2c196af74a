/**
 * Callers that would keep a server from closing although nothing is being done for them: they have not sent their whole
 * request, or wait with the next one. When a server begins to close, Node stops watching for slow requests, closes the
 * connections that are idle then, and waits for all others, also behind their answer. One stranger that drips a head
 * would make every stop wait for its deadline, which is time that the attempts in flight need.
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
   * The server closes: from now on a connection ends behind its answer, and after this time those end on which no
   * answer is being worked on.
   */
  leave(graceMs: number): CancelTimer;
}

export function watchUnfinished(server: Server): Unfinished {
  const open = new Map<Socket, Exchange | null>();
  let isLeaving = false;
  server.on("connection", (socket: Socket) => {
    open.set(socket, null);
    socket.once("close", () => open.delete(socket));
  });
  server.on("request", (request, response) => {
    const { socket } = request;
    const exchange = { request, response };
    open.set(socket, exchange);
    response.once("close", () => {
      if (open.get(socket) !== exchange) return;
      open.set(socket, null);
      if (isLeaving) socket.destroySoon();
    });
  });
  return {
    leave(graceMs) {
      isLeaving = true;
      return systemClock.after(graceMs, () => {
        for (const [socket, exchange] of open) if (!isBeingAnswered(exchange)) socket.destroy();
      });
    },
  };
}

const isBeingAnswered = (exchange: Exchange | null): boolean =>
  exchange !== null && exchange.request.complete && !exchange.response.writableEnded;

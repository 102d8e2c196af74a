/**
 * The direct way in: requests that a part of the service answers without Node's HTTP server and Fastify. Those cost
 * more than all that is done with a record at intake (`docs/adr/0023-a-direct-way-in.md`). Node's server listens as
 * before. Each new connection is read here first, and becomes its own with the first request of another kind.
 */
import type { Server } from "node:http";
import type { Socket } from "node:net";
import type { Problem } from "../../domain/problem.ts";
import { pathBelow } from "../base-path.ts";
import type { ServerTimes } from "../server-times.ts";
import type { Strangers } from "../strangers.ts";
import type { DirectAnswer } from "./direct-answer.ts";
import { DirectConnection, type DirectServer } from "./direct-connection.ts";
import type { DirectRequest } from "./direct-request.ts";

/** Makes the problem that a caller is told of an error that was thrown for its request. */
export type Explain = (error: unknown, what: string) => Problem;

/**
 * `null` leaves the request to the server's routes. The caller of an answered one has shown its key; the promise never
 * rejects. The request's target has no base path.
 */
export type AnswerDirectly = (request: DirectRequest, explain: Explain) => Promise<DirectAnswer> | null;

export interface DirectWay {
  /** Connections that come from now on are read directly. */
  take(answer: AnswerDirectly): void;
  /** No request is read here from now on; silent connections are closed. */
  close(): void;
}

export interface DirectWayOptions {
  readonly basePath: string;
  readonly times: ServerTimes;
  readonly strangers: Strangers;
  readonly explain: Explain;
  readonly isStopping: () => boolean;
}

/** To be called before others listen for the server's connections: its own listeners get what is handed over. */
export function openDirectWay(server: Server, options: DirectWayOptions): DirectWay {
  const { basePath, times, strangers, explain, isStopping } = options;
  const toNode = server.listeners("connection");
  const open = new Map<Socket, DirectConnection>();
  let answer: AnswerDirectly | null = null;
  let isClosed = false;

  const handOver = (socket: Socket): void => {
    open.delete(socket);
    for (const listener of toNode) listener.call(server, socket);
  };
  const own: DirectServer = {
    firstMs: times.headMs,
    stallMs: times.stallMs,
    get keptMs() {
      return server.keepAliveTimeout;
    },
    isClosing: () => isClosed || isStopping(),
    answer(request, socket) {
      const below = basePath === "" ? request : { ...request, target: pathBelow(basePath, request.target) };
      const answered = answer?.(below, explain) ?? null;
      if (answered !== null) strangers.becameKnown(socket);
      return answered;
    },
    handOver,
  };

  server.removeAllListeners("connection");
  server.on("connection", (socket) => {
    if (answer === null || own.isClosing()) return handOver(socket);
    open.set(socket, new DirectConnection(socket, own));
    socket.once("close", () => open.delete(socket));
  });
  return {
    take: (given) => void (answer = given),
    close() {
      isClosed = true;
      for (const connection of open.values()) connection.close();
    },
  };
}

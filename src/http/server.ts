/**
 * The HTTP server that intake and dashboard stand on: limits before parsing, and one place where anything that goes
 * wrong becomes a problem document. An unexpected error is told to the operator in full and to the caller not at all.
 */
import Fastify, { type FastifyError, type FastifyInstance, type FastifyReply, type FastifyRequest } from "fastify";
import { problem } from "../domain/problem.ts";
import { pathBelow } from "./base-path.ts";
import { guardDoors } from "./door.ts";
import { sendProblem } from "./problem-response.ts";
import { toProblem } from "./refusal.ts";
import { SERVER_TIMES, type ServerTimes } from "./server-times.ts";
import { type Strangers, createStrangers } from "./strangers.ts";
import { createUnreadBodies } from "./unread-body.ts";
import { HEADER_BYTES_MAX, type Unreadable, answerUnreadable } from "./unreadable.ts";

/**
 * Connections that nobody has let in yet. Each costs 10 to 30 KB. With 256 a burst of 600 pushed out a caller that had
 * not been read yet (measured); to connect a thousand times takes longer than to show a session.
 */
const STRANGERS_MAX = 1_000;

export interface HttpServerOptions {
  /** Told about errors that are nobody's fault but ours. */
  readonly onError: (what: string, error: unknown) => void;
  /** This node is being stopped: callers should go elsewhere with their next request. */
  readonly isStopping?: () => boolean;
  /** Path under which people reach this service, without a slash at the end; empty for none. */
  readonly basePath?: string;
  /** Answers browsers at addresses where nothing is served; `null` leaves it to a problem document. */
  readonly notFoundPage?: (request: FastifyRequest, reply: FastifyReply) => FastifyReply | null;
  readonly times?: ServerTimes;
  readonly strangersMax?: number;
}

export function createHttpServer(options: HttpServerOptions): FastifyInstance {
  const { onError, isStopping = () => false, basePath = "", notFoundPage, times = SERVER_TIMES } = options;
  const unread = createUnreadBodies(times);
  const answerNotFound = (request: FastifyRequest, reply: FastifyReply): FastifyReply =>
    notFoundPage?.(request, reply) ??
    sendProblem(reply, problem("not_found", `Nothing is served at ${request.method} ${readPath(request.url)}.`));
  const server = Fastify({
    logger: false,
    // A proxy in front may cut the path off or leave it there: both are the same address.
    rewriteUrl: ({ url = "/" }) => pathBelow(basePath, url),
    requestTimeout: times.requestMs,
    connectionTimeout: times.stallMs,
    // Idle keep-alive connections are closed on stop; answers under way are finished.
    forceCloseConnections: "idle",
    http: {
      maxHeaderSize: HEADER_BYTES_MAX,
      headersTimeout: times.headMs,
      connectionsCheckingInterval: times.checkMs,
    },
    // Above any id that is taken: what is too long is refused by its own check, which says what would be right.
    routerOptions: { maxParamLength: HEADER_BYTES_MAX },
    frameworkErrors: (_error, _request, reply) => {
      sendProblem(reply, problem("invalid_request", "The address of the request cannot be read: check its % signs."));
    },
    clientErrorHandler: (error: Unreadable, socket) =>
      unread.isAnswered(socket) ? void socket.destroy() : answerUnreadable(error, socket),
  });
  // A connection that is kept until the end would be closed under a request that is already on its way.
  server.addHook("onRequest", (request, reply, done) => {
    if (isStopping()) reply.header("connection", "close");
    // Before the body is read: there is nobody at this address whom it could be for.
    if (request.is404) answerNotFound(request, reply);
    else done();
  });
  // Before anything else that sends, so that it stands behind every answer.
  server.addHook("onSend", unread.onSend);
  const strangers = watchStrangers(server, options.strangersMax ?? STRANGERS_MAX);
  guardDoors(server, ({ raw }) => strangers.becameKnown(raw.socket));
  // Bodies are read by each route's own parser; what no parser takes is refused with 415.
  server.removeAllContentTypeParsers();
  server.setNotFoundHandler(answerNotFound);
  server.setErrorHandler<FastifyError>((error, request, reply) => {
    const refusal = toProblem(error);
    if (refusal.code === "internal_error") onError(`${request.method} ${readPath(request.url)}`, error);
    if (refusal.code === "store_unavailable") onError("a caller was refused because the store is unavailable", error);
    return sendProblem(reply, refusal);
  });
  return server;
}

function watchStrangers({ server }: FastifyInstance, max: number): Strangers {
  const strangers = createStrangers(max);
  server.on("connection", (socket) => strangers.arrived(socket));
  server.on("request", ({ socket }) => strangers.spoke(socket));
  return strangers;
}

/** Query strings may carry what a caller should not have put there: they are never repeated. */
const readPath = (url: string): string => url.split("?", 1)[0] ?? "";

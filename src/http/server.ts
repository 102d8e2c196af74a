/**
 * The HTTP server below intake and dashboard: limits before parsing, and one place where every failure becomes a
 * problem document. The operator gets an unexpected error in full, the caller nothing of it.
 */
import type { IncomingMessage, Server, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import Fastify, { type FastifyError, type FastifyInstance, type FastifyReply, type FastifyRequest } from "fastify";
import { type Problem, problem } from "../domain/problem.ts";
import { refuse } from "../lib/result.ts";
import { pathBelow } from "./base-path.ts";
import { refuseOtherContent } from "./content.ts";
import type { TrustProxy } from "./client-address.ts";
import { addAuthHooks } from "./auth-hook.ts";
import { secondsMs } from "../lib/duration.ts";
import { createServer } from "../lib/node-http.ts";
import { notServed, readPath } from "./not-served.ts";
import { sendProblem } from "./problem-response.ts";
import { toProblem } from "./refusal.ts";
import { SERVER_TIMES, type ServerTimes, type Unauthenticated, limitUnauthenticated } from "./connection-limits.ts";
import { watchUnfinished } from "./unfinished.ts";
import { boundUnreadAnswers, UNREAD_BYTES_MAX } from "./unread-answers.ts";
import { createUnreadBodies } from "./unread-body.ts";
import { FOR_PROXIES, HEADER_BYTES_MAX, type Unreadable, answerUnreadable } from "./unreadable.ts";

/**
 * Connections of callers that have shown no key and no session yet. Each costs 10 to 30 KB. With 256, a burst of 600
 * pushed out a caller that had not been read yet (measured); connecting a thousand times takes longer than showing a
 * session.
 */
const UNAUTHENTICATED_MAX = 1_000;

/** Above the minute for which proxies and back ends keep an idle connection: theirs ends first. */
const KEEP_ALIVE_MS = secondsMs(72);

export interface HttpServerOptions {
  /** Gets errors that only a bug of ours can cause. */
  readonly onError: (what: string, error: unknown) => void;
  /** This node is stopping: callers should send their next request elsewhere. */
  readonly isStopping?: () => boolean;
  /** The path under which people reach this service, without a slash at the end; empty for none. */
  readonly basePath?: string;
  /** Answers browsers at unknown addresses; `null` leaves it to a problem document. */
  readonly notFoundPage?: (request: FastifyRequest, reply: FastifyReply) => FastifyReply | null;
  readonly times?: ServerTimes;
  readonly unauthenticatedMax?: number;
  readonly unreadBytesMax?: number;
  /** An answer that an account's callers did not read was cut off. */
  readonly onCutOff?: (accountId: string) => void;
  readonly shortCut?: ShortCut;
  /** Nobody's word counts unless given. */
  readonly trustProxy?: TrustProxy;
}

/**
 * Answers a known caller's request before the router sees it, and returns true; returns false for every request that it
 * leaves to the router. `explain` makes the answer for an error that it did not expect.
 */
export type ShortCut = (
  request: IncomingMessage,
  response: ServerResponse,
  explain: (error: unknown) => { readonly ok: false; readonly error: Problem },
) => boolean;

export function createHttpServer(options: HttpServerOptions): FastifyInstance {
  const {
    onError,
    isStopping = () => false,
    basePath = "",
    notFoundPage,
    times = SERVER_TIMES,
    shortCut = () => false,
    trustProxy = false,
    onCutOff = () => {},
  } = options;
  const unread = createUnreadBodies(times);
  const explain = createExplain(onError);
  const explainShortCut = (error: unknown) => refuse(explain(error, "a single record"));
  const unauthenticated = limitUnauthenticated(options.unauthenticatedMax ?? UNAUTHENTICATED_MAX);
  const answerNotFound = (request: FastifyRequest, reply: FastifyReply): FastifyReply =>
    notFoundPage?.(request, reply) ?? sendProblem(reply, notServed(request));
  const server = Fastify({
    logger: false,
    trustProxy,
    // A proxy in front may cut the path off or keep it: both are the same address.
    rewriteUrl: ({ url = "/" }) => pathBelow(basePath, url),
    // Idle keep-alive connections are closed on stop; answers in flight are finished.
    forceCloseConnections: "idle",
    serverFactory: (route) =>
      createNodeServer(times, (request, response) => {
        if (isStopping() || !shortCut(request, response, explainShortCut)) route(request, response);
        else unauthenticated.becameKnown(request.socket);
      }),
    // Above any valid id: an id that is too long is refused by its own check, which says what would be right.
    routerOptions: { maxParamLength: HEADER_BYTES_MAX },
    frameworkErrors: (_error, _request, reply) => {
      sendProblem(reply, problem("invalid_request", "The address of the request cannot be read: check its % signs."));
    },
    clientErrorHandler: (error: Unreadable, socket) => endUnreadable(error, socket),
  });
  // A connection that is kept until the end would be closed under a request that is already on its way.
  server.addHook("onRequest", (request, reply, done) => {
    if (isStopping()) reply.header("connection", "close");
    // Before the body is read: no route at this address needs it.
    if (request.is404) answerNotFound(request, reply);
    else done();
  });
  boundUnreadAnswers(server, { bytesMax: options.unreadBytesMax ?? UNREAD_BYTES_MAX, onCutOff });
  // Before every other hook that sends, so that it covers every answer.
  server.addHook("onSend", unread.onSend);
  const unfinished = watchUnfinished(server.server);
  const endUnreadable = (error: Unreadable, socket: Socket): void =>
    unfinished.endBehindAnswers(socket, times.stallMs, () =>
      unread.isAnswered(socket) ? unread.endSoon(socket) : answerUnreadable(error, socket),
    );
  // Without a listener Node destroys the connection, with the answers that it still waits for.
  server.server.on("connect", (_request, socket: Socket) => endUnreadable(forProxies, socket));
  server.addHook("preClose", (done) => {
    if (server.server.listening) server.server.once("close", unfinished.leave(times.leaveMs));
    done();
  });
  watchConnections(server, unauthenticated);
  addAuthHooks(server, ({ raw }) => unauthenticated.becameKnown(raw.socket));
  server.addHook("preParsing", refuseOtherContent);
  // Each route has its own body parser; a body without a parser is refused with 415.
  server.removeAllContentTypeParsers();
  server.setNotFoundHandler(answerNotFound);
  server.setErrorHandler<FastifyError>((error, request, reply) =>
    sendProblem(reply, explain(error, `${request.method} ${request.routeOptions.url ?? readPath(request.url)}`)),
  );
  return server;
}

function createNodeServer(
  times: ServerTimes,
  answer: (request: IncomingMessage, response: ServerResponse) => void,
): Server {
  const limits = {
    maxHeaderSize: HEADER_BYTES_MAX,
    headersTimeout: times.headMs,
    requestTimeout: times.requestMs,
    connectionsCheckingInterval: times.checkMs,
    keepAliveTimeout: KEEP_ALIVE_MS,
  };
  return createServer(limits, answer).setTimeout(times.stallMs);
}

const forProxies: Unreadable = Object.assign(new Error("CONNECT"), { code: FOR_PROXIES });

/** Tells the caller as much as it may know, and the operator the rest. */
const createExplain =
  (onError: HttpServerOptions["onError"]) =>
  (error: unknown, what: string): Problem => {
    const refusal = toProblem(error);
    if (refusal.code === "internal_error") onError(what, error);
    if (refusal.code === "store_unavailable") onError("a caller was refused because the store is unavailable", error);
    return refusal;
  };

function watchConnections({ server }: FastifyInstance, unauthenticated: Unauthenticated): void {
  server.on("connection", (socket) => {
    // An error without a listener would end the process, and Node takes its own off a socket that it hands over.
    socket.on("error", () => {});
    // A caller without an address has reset its connection already. Node keeps an address that was read, so limits,
    // audits and the access log have one of each caller.
    if (socket.remoteAddress === undefined) socket.destroy();
    else unauthenticated.arrived(socket);
  });
  server.on("request", ({ socket }) => unauthenticated.spoke(socket));
}

/**
 * The HTTP server that intake and dashboard stand on: limits before parsing, and one place where anything that goes
 * wrong becomes a problem document. An unexpected error is told to the operator in full and to the caller not at all.
 */
import type { Socket } from "node:net";
import Fastify, { type FastifyError, type FastifyInstance, type FastifyReply, type FastifyRequest } from "fastify";
import { PROBLEMS, type Problem, type ProblemCode, problem } from "../domain/problem.ts";
import { secondsMs } from "../lib/duration.ts";
import { StoreUnavailable } from "../store/store.ts";
import { pathBelow } from "./base-path.ts";
import { PROBLEM_TYPE, problemDocument, sendProblem } from "./problem-response.ts";

const HEADER_BYTES_MAX = 16 * 1024;

/** A caller that does not finish its request in this time is cut off: a slow one must not hold a socket for ever. */
const REQUEST_MS_MAX = secondsMs(30);

export interface HttpServerOptions {
  /** Told about errors that are nobody's fault but ours. */
  readonly onError: (what: string, error: unknown) => void;
  /** This node is being stopped: callers should go elsewhere with their next request. */
  readonly isStopping?: () => boolean;
  /** Path under which people reach this service, without a slash at the end; empty for none. */
  readonly basePath?: string;
  /** Answers browsers at addresses where nothing is served; `null` leaves it to a problem document. */
  readonly notFoundPage?: (request: FastifyRequest, reply: FastifyReply) => FastifyReply | null;
}

export function createHttpServer(options: HttpServerOptions): FastifyInstance {
  const { onError, isStopping = () => false, basePath = "", notFoundPage } = options;
  const server = Fastify({
    logger: false,
    // A proxy in front may cut the path off or leave it there: both are the same address.
    rewriteUrl: ({ url = "/" }) => pathBelow(basePath, url),
    requestTimeout: REQUEST_MS_MAX,
    // Idle keep-alive connections are closed on stop; answers under way are finished.
    forceCloseConnections: "idle",
    http: { maxHeaderSize: HEADER_BYTES_MAX },
    // Above any id that is taken: what is too long is refused by its own check, which says what would be right.
    routerOptions: { maxParamLength: HEADER_BYTES_MAX },
    frameworkErrors: (_error, _request, reply) => {
      sendProblem(reply, problem("invalid_request", "The address of the request cannot be read: check its % signs."));
    },
    clientErrorHandler: answerUnreadable,
  });
  // A connection that is kept until the end would be closed under a request that is already on its way.
  server.addHook("onRequest", (_request, reply, done) => {
    if (isStopping()) reply.header("connection", "close");
    done();
  });
  // Bodies are read by each route's own parser; what no parser takes is refused with 415.
  server.removeAllContentTypeParsers();
  server.setNotFoundHandler((request, reply) => {
    const page = notFoundPage?.(request, reply) ?? null;
    if (page !== null) return page;
    return sendProblem(reply, problem("not_found", `Nothing is served at ${request.method} ${pathOf(request.url)}.`));
  });
  server.setErrorHandler<FastifyError>((error, request, reply) => {
    const refusal = refusalOf(error);
    if (refusal.code === "internal_error") onError(`${request.method} ${pathOf(request.url)}`, error);
    if (refusal.code === "store_unavailable") onError("a caller was refused because the store is unavailable", error);
    return sendProblem(reply, refusal);
  });
  return server;
}

const FASTIFY_CODES: Readonly<Record<string, readonly [ProblemCode, string]>> = {
  FST_ERR_CTP_BODY_TOO_LARGE: [
    "body_too_large",
    "The body is larger than this call takes; see `limits` in the documentation.",
  ],
  FST_ERR_CTP_INVALID_CONTENT_LENGTH: ["invalid_request", "The body is not as long as Content-Length says."],
  FST_ERR_CTP_INVALID_MEDIA_TYPE: [
    "unsupported_media_type",
    "Send `content-type: application/json`, or `application/x-ndjson` where many records are taken.",
  ],
};

function refusalOf(error: FastifyError): Problem {
  if (error instanceof StoreUnavailable) {
    return problem("store_unavailable", "Nothing of this request was accepted. Send it again in a few seconds.");
  }
  const known = FASTIFY_CODES[error.code];
  if (known !== undefined) return problem(...known);
  if (error.statusCode !== undefined && error.statusCode >= 400 && error.statusCode < 500) {
    return problem("invalid_request", "The request could not be read. Check its address, headers and body.");
  }
  return problem("internal_error", "The error was logged on our side. Sending the request again is safe.");
}

/** Query strings may carry what a caller should not have put there: they are never repeated. */
const pathOf = (url: string): string => url.split("?", 1)[0] ?? "";

/** Below HTTP: what the parser could not read at all. Written by hand, because there is no reply object here. */
function answerUnreadable(error: Error & { code?: string }, socket: Socket): void {
  if (error.code === "ECONNRESET" || !socket.writable) return void socket.destroy();
  const refusal: Problem =
    error.code === "HPE_HEADER_OVERFLOW"
      ? problem("headers_too_large", `Request headers may take ${HEADER_BYTES_MAX} bytes in all.`)
      : problem("invalid_request", "This is not a request that HTTP/1.1 allows, or it did not end in time.");
  const { status } = PROBLEMS[refusal.code];
  const body = JSON.stringify(problemDocument(refusal));
  const head = `HTTP/1.1 ${status} ${status === 431 ? "Request Header Fields Too Large" : "Bad Request"}`;
  const length = Buffer.byteLength(body);
  socket.end(
    `${head}\r\nconnection: close\r\ncontent-type: ${PROBLEM_TYPE}\r\ncontent-length: ${length}\r\n\r\n${body}`,
  );
}

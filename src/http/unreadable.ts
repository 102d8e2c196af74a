/**
 * Failures below HTTP: bytes that the parser could not read, and requests that did not end in time. The answer is
 * written by hand, because no reply object exists here. The socket is destroyed behind it, because a caller that keeps
 * its own side open would hold an ended socket for as long as it likes.
 */
import type { Socket } from "node:net";
import { PROBLEMS, type Problem, problem } from "../domain/problem.ts";
import { PROBLEM_TYPE, problemDocument } from "./problem-response.ts";
import { STATUS_CODES } from "../lib/node-http.ts";

export const HEADER_BYTES_MAX = 16 * 1024;

/** The code of a request with CONNECT, which Node leaves to its listeners. */
export const FOR_PROXIES = "FOR_PROXIES";

/** Node's report about a connection after it gave up the request. */
export type Unreadable = Error & { readonly code?: string };

export function answerUnreadable(error: Unreadable, socket: Socket): void {
  // Browsers open connections ahead of need. A connection without a request gets no answer.
  if (error.code === "ECONNRESET" || !socket.writable || socket.bytesRead === 0) return void socket.destroy();
  // Bytes of an earlier answer are still unread: this answer would only queue up behind them.
  if (socket.writableLength === 0) socket.write(responseTo(toProblem(error)));
  socket.destroySoon();
}

function toProblem({ code }: Unreadable): Problem {
  if (code === "HPE_HEADER_OVERFLOW") {
    return problem("headers_too_large", `Request headers may take ${HEADER_BYTES_MAX} bytes in all.`);
  }
  if (code === "ERR_HTTP_REQUEST_TIMEOUT") {
    return problem("request_timeout", "The request did not end in time. Nothing of it was accepted: send it again.");
  }
  if (code === FOR_PROXIES) {
    return problem("invalid_request", "CONNECT asks a proxy for a connection, and this service is none.");
  }
  return problem("invalid_request", "This is not a request that HTTP/1.1 allows.");
}

function responseTo(refusal: Problem): string {
  const { status } = PROBLEMS[refusal.code];
  const body = JSON.stringify(problemDocument(refusal));
  const head = [
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}`,
    "connection: close",
    `content-type: ${PROBLEM_TYPE}`,
    `content-length: ${Buffer.byteLength(body)}`,
  ];
  return `${head.join("\r\n")}\r\n\r\n${body}`;
}

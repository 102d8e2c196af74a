/**
 * Below HTTP: what the parser could not read at all, and what did not end in time. The answer is written by hand,
 * because there is no reply object here, and the socket is destroyed behind it: a caller that keeps its own side open
 * would hold an ended one for as long as it likes.
 */
import { STATUS_CODES } from "node:http";
import type { Socket } from "node:net";
import { PROBLEMS, type Problem, problem } from "../domain/problem.ts";
import { PROBLEM_TYPE, problemDocument } from "./problem-response.ts";

export const HEADER_BYTES_MAX = 16 * 1024;

/** What Node tells of a connection whose request it gave up. */
export type Unreadable = Error & { readonly code?: string };

export function answerUnreadable(error: Unreadable, socket: Socket): void {
  // Bytes of an earlier answer that nobody took: this one would only queue up behind them.
  const takesNothing = !socket.writable || socket.writableLength > 0;
  // Browsers open connections ahead of need. One that never asked anything gets no answer either.
  if (error.code === "ECONNRESET" || takesNothing || socket.bytesRead === 0) return void socket.destroy();
  socket.write(responseTo(toProblem(error)));
  socket.destroySoon();
}

function toProblem({ code }: Unreadable): Problem {
  if (code === "HPE_HEADER_OVERFLOW") {
    return problem("headers_too_large", `Request headers may take ${HEADER_BYTES_MAX} bytes in all.`);
  }
  if (code === "ERR_HTTP_REQUEST_TIMEOUT") {
    return problem("request_timeout", "The request did not end in time. Nothing of it was accepted: send it again.");
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

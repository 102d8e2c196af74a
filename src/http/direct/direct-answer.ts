/** Answers as the bytes that Node's server would write for them. */
import { STATUS_CODES } from "node:http";
import { PROBLEMS, type Problem } from "../../domain/problem.ts";
import { systemClock } from "../../lib/clock.ts";
import { PROBLEM_TYPE, problemHeaders, problemText } from "../problem-response.ts";

export interface DirectAnswer {
  readonly status: number;
  /** The content's type, of JSON; the answer names its charset too, as Fastify does. */
  readonly type: string;
  /** Others than the type, the length and those of the connection. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

export const jsonAnswer = (status: number, value: unknown): DirectAnswer => ({
  status,
  type: "application/json",
  headers: NONE,
  body: JSON.stringify(value),
});

export const problemAnswer = (refusal: Problem): DirectAnswer => ({
  status: PROBLEMS[refusal.code].status,
  type: PROBLEM_TYPE,
  headers: problemHeaders(refusal),
  body: problemText(refusal),
});

const NONE: Readonly<Record<string, string>> = {};

/** `keptMs`: how long the connection is kept for another request; `null` when it ends with this answer. */
export function answerText({ status, type, headers, body }: DirectAnswer, keptMs: number | null): string {
  let head = `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n`;
  for (const name in headers) head += `${name}: ${headers[name]}\r\n`;
  head += `content-type: ${type}; charset=utf-8\r\ncontent-length: ${Buffer.byteLength(body)}\r\n`;
  head += `Date: ${dateText()}\r\nConnection: ${connectionText(keptMs)}\r\n\r\n`;
  return head + body;
}

const connectionText = (keptMs: number | null): string =>
  keptMs === null ? "close" : `keep-alive\r\nKeep-Alive: timeout=${Math.floor(keptMs / 1000)}`;

let second = 0;
let text = "";

/** Made once a second. The header is about real time, also where a test gives the service another clock. */
function dateText(): string {
  const now = systemClock.nowMs();
  if (Math.floor(now / 1000) !== second) {
    second = Math.floor(now / 1000);
    text = new Date(now).toUTCString();
  }
  return text;
}

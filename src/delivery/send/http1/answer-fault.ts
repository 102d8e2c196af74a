/** An answer that is not HTTP/1.1, or not whole. */
import { FAILURE_CODES, type FailureCode } from "../../../domain/failure-codes.ts";

export type AnswerFaultCode = Extract<FailureCode, `ANSWER_${string}`>;

export class AnswerFault extends Error {
  override name = "AnswerFault";
  readonly code: AnswerFaultCode;

  constructor(code: AnswerFaultCode, message: string = FAILURE_CODES[code]) {
    super(message);
    this.code = code;
  }
}

/** Guess: enough to recognise another protocol, or a status that is written wrongly. */
const SHOWN_CHARS_MAX = 80;

/** An alert or a handshake. No text begins with these bytes. */
const TLS_STARTS = ["\u0015", "\u0016"];

/** `line` is what came first, a character a byte. */
export function notHttp(line: string): AnswerFault {
  if (TLS_STARTS.some((start) => line.startsWith(start))) return new AnswerFault("ANSWER_IN_TLS");
  const shown = line
    .trimEnd()
    .slice(0, SHOWN_CHARS_MAX)
    .replaceAll(/[^\x20-\x7e]/g, "·");
  const fault = /^HTTP/i.test(line) ? "shows no status of three digits" : "is not one of HTTP";
  return new AnswerFault("ANSWER_NOT_HTTP", `The first line of the receiver's answer ${fault}: ${shown}`);
}

export const switched = (): AnswerFault =>
  new AnswerFault("ANSWER_NOT_HTTP", "The receiver switched to another protocol (101), which it was not asked for.");

export const brokenBody = (): AnswerFault =>
  new AnswerFault("ANSWER_NOT_HTTP", "The chunks of the receiver's answer cannot be read.");

/**
 * An answer that is not HTTP/1.1, or not whole. The codes that begin with `UND_ERR_` are those of undici, which carried
 * webhooks before: logs and alarms know them.
 */
export type AnswerFaultCode = "HTTP_PARSE" | "ANSWER_IN_TLS" | "UND_ERR_HEADERS_OVERFLOW" | "UND_ERR_SOCKET";

const WORDS: Readonly<Record<AnswerFaultCode, string>> = {
  HTTP_PARSE: "The receiver's answer is not HTTP.",
  ANSWER_IN_TLS: "The receiver answered in TLS.",
  UND_ERR_HEADERS_OVERFLOW: "The headers of the receiver's answer are larger than 16 KiB, or more than 256.",
  UND_ERR_SOCKET: "The receiver closed the connection before its answer was complete.",
};

export class AnswerFault extends Error {
  override name = "AnswerFault";
  readonly code: AnswerFaultCode;

  constructor(code: AnswerFaultCode, message: string = WORDS[code]) {
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
  return new AnswerFault("HTTP_PARSE", `The first line of the receiver's answer ${fault}: ${shown}`);
}

export const switched = (): AnswerFault =>
  new AnswerFault("HTTP_PARSE", "The receiver switched to another protocol (101), which it was not asked for.");

export const brokenBody = (): AnswerFault =>
  new AnswerFault("HTTP_PARSE", "The chunks of the receiver's answer cannot be read.");

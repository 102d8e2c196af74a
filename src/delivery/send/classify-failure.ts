/**
 * Turns what went wrong with a request into one of the domain's outcomes. Pure. Everything that undici, TLS or the
 * system can report ends here. Deadlines do not, because `exchange.ts` keeps them itself.
 */
import { errors } from "undici";
import type { Outcome } from "../../domain/attempt.ts";
import { alertWords } from "../../egress/alert-words.ts";
import { NotConnected } from "../../egress/connect-outcome.ts";

/** Faults of ours: a request that undici does not take, or one that came after its pool was closed. */
const OUR_FAULTS: ReadonlySet<string> = new Set([
  "ERR_ASSERTION",
  "UND_ERR_INVALID_ARG",
  "UND_ERR_NOT_SUPPORTED",
  "UND_ERR_REQ_CONTENT_LENGTH_MISMATCH",
  "UND_ERR_DESTROYED",
  "UND_ERR_CLOSED",
]);

/** Messages for people who read the log of their receiver. Codes without an entry keep their own message. */
const WORDS: Readonly<Record<string, string>> = {
  ECONNRESET: "The receiver reset the connection before its answer was complete.",
  EPIPE: "The receiver closed the connection before it had read the request.",
  UND_ERR_SOCKET: "The receiver closed the connection before its answer was complete.",
  UND_ERR_HEADERS_OVERFLOW: "The headers of the receiver's answer are larger than 16 KiB.",
  UND_ERR_RES_CONTENT_LENGTH_MISMATCH: "The receiver's answer is not as long as its content-length says.",
};

export const NOT_HTTP = "The receiver's answer is not HTTP.";

export function classifyFailure(error: Error): Outcome {
  if (error instanceof NotConnected) return error.outcome;
  // The parser's errors have no code of their own in undici 8.12.
  if (error instanceof errors.HTTPParserError) return { kind: "network_error", code: "HTTP_PARSE", message: NOT_HTTP };
  const code = "code" in error && typeof error.code === "string" ? error.code : null;
  if (code === null || OUR_FAULTS.has(code)) return { kind: "internal_error", message: error.message };
  const message = WORDS[code] ?? alertWords(code) ?? error.message;
  return { kind: isTls(code) ? "tls_error" : "network_error", code, message };
}

/** A TLS 1.3 receiver refuses a client only after the handshake, when the request is already in flight. */
const isTls = (code: string): boolean => /^(ERR_SSL_|ERR_TLS_|EPROTO$)/.test(code);

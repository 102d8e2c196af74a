/**
 * Turns what went wrong with a request into one of the domain's outcomes. Pure. Everything that the parser of answers,
 * TLS or the system can report ends here. Deadlines do not, because `exchange.ts` keeps them itself.
 */
import type { Outcome } from "../../domain/attempt.ts";
import { alertWords } from "../../egress/alert-words.ts";
import { errorWords } from "../../lib/fault-words.ts";
import { AnswerFault } from "./http1/answer-fault.ts";

/** Messages for people who read the log of their receiver. `lib/fault-words.ts` has the others. */
const WORDS: Readonly<Record<string, string>> = {
  ECONNRESET: "The receiver reset the connection before its answer was complete.",
  EPIPE: "The receiver closed the connection before it had read the request.",
};

export function classifyFailure(error: Error): Outcome {
  if (error instanceof AnswerFault) return { kind: "network_error", code: error.code, message: error.message };
  const code = "code" in error && typeof error.code === "string" ? error.code : null;
  // Faults of ours: a request that no receiver should get, or one that came after the sender was closed.
  if (code === null || code === "ERR_ASSERTION") return { kind: "internal_error", message: error.message };
  const message = WORDS[code] ?? alertWords(code) ?? (OURS.test(code) ? error.message : errorWords(error));
  return { kind: isTls(code) ? "tls_error" : "network_error", code, message };
}

/** Our own limits, whose errors have whole sentences. */
const OURS = /^ERR_TLS_(?:RENEGOTIATION|COSTLY)$/;

/** A TLS 1.3 receiver refuses a client only after the handshake, when the request is already in flight. */
const isTls = (code: string): boolean => /^(ERR_SSL_|ERR_TLS_|EPROTO$)/.test(code);

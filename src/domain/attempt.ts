/**
 * An attempt: one HTTP request of a delivery, and its outcome. Outcomes are a closed union: whatever a receiver or the
 * network does ends as exactly one of these, and `judge` decides from it what happens next.
 */

/** How far the request had got. */
export type AttemptPhase = "dns" | "connect" | "headers" | "body";

/** A receiver's answer. `headers` have lower-case names; repeated ones are joined by ", ". */
export interface ReceiverResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  /** At most `LIMITS.responseBytesMax` bytes: a text unpacked and in UTF-8, all else as it came. Never rendered. */
  readonly body: Uint8Array;
  /** True when the receiver sent more than was kept; the rest was not read. */
  readonly bodyCut: boolean;
}

export type Outcome =
  /** An answer, whatever its status. `message`: what was odd about its form, or that it ended early; for people. */
  | { readonly kind: "response"; readonly response: ReceiverResponse; readonly message?: string }
  /** The deadline ran out. `phase` names what the sender was waiting for. */
  | { readonly kind: "timeout"; readonly phase: AttemptPhase }
  /** The name could not be resolved. */
  | { readonly kind: "dns_error"; readonly code: string; readonly message: string }
  /** The certificate was refused or the TLS handshake failed. */
  | { readonly kind: "tls_error"; readonly code: string; readonly message: string }
  /** Refused, reset, unreachable, or an answer that is not HTTP. */
  | { readonly kind: "network_error"; readonly code: string; readonly message: string }
  /** The egress guard did not let us connect. */
  | { readonly kind: "blocked"; readonly message: string }
  /** The operator's forward proxy could not be used: the outcome says nothing about the destination. */
  | { readonly kind: "proxy_error"; readonly code: string; readonly message: string }
  /**
   * No access token could be had for the request, so it was not sent: the message is a sentence that begins with the
   * token URL's host. `retryAfter`: the header of its answer, for the judge; no store keeps it.
   */
  | { readonly kind: "token_error"; readonly code: string; readonly message: string; readonly retryAfter?: string }
  /**
   * The webhook's body could not be made of the event, so nothing was sent: the message says what about it, for its
   * owner.
   */
  | { readonly kind: "body_error"; readonly message: string }
  /** A fault of ours: the request could not be built or sent. */
  | { readonly kind: "internal_error"; readonly message: string };

/** The end of an attempt in which nothing was sent: a program was handed the message (`pull.ts`). */
export type HandedOutcome =
  /** The program has acknowledged it. */
  | { readonly kind: "pulled" }
  /** It has not: `message` says whether it gave the message back or its claim ran out. */
  | { readonly kind: "not_acknowledged"; readonly message: string };

/** As the log has it. */
export type AttemptOutcome = Outcome | HandedOutcome;

export type OutcomeKind = AttemptOutcome["kind"];

/** Also of a code of the figures, which is the outcome's kind where no answer came. */
export const isHandedOut = (kind: string): boolean => kind === "pulled" || kind === "not_acknowledged";

/** The durations of an attempt's phases, in milliseconds. `null`: not reached, or an open connection was used again. */
export interface AttemptTimings {
  readonly dnsMs: number | null;
  readonly connectMs: number | null;
  readonly tlsMs: number | null;
  /** From the start of the attempt to the response's status line. */
  readonly firstByteMs: number | null;
  readonly totalMs: number;
}

/** The result of `send`: the outcome, and the facts about how it was reached. */
export interface SendResult {
  readonly outcome: Outcome;
  readonly timings: AttemptTimings;
  /** The address that was connected to, or `null` when there was none. */
  readonly address: string | null;
  /**
   * For a destination with OAuth, how the request came to its access token: kept from an earlier one, fetched for this
   * one, or renewed because the receiver refused the kept one (401). For the log; no store keeps it.
   */
  readonly token?: "kept" | "fetched" | "renewed";
}

export interface AttemptResult extends Omit<SendResult, "outcome"> {
  readonly outcome: AttemptOutcome;
}

/** By what an attempt's body can be made again: the id of the kept text that it was made of, and its own SHA-256. */
export interface SentBody {
  readonly textId: string;
  /** Of the bytes that were sent, in hexadecimal. */
  readonly sha256: string;
}

/** An attempt as the store keeps it. */
export interface AttemptRecord {
  /** 1 for the first attempt of a delivery. */
  readonly number: number;
  readonly startedAtMs: number;
  readonly url: string;
  /** The headers as sent, with secret custom values masked. */
  readonly requestHeaders: Readonly<Record<string, string>>;
  readonly result: AttemptResult;
  /** Left out where the event itself was sent, or nothing. */
  readonly sent?: SentBody | null;
}

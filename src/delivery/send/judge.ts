/**
 * Step 3 of an attempt judges its outcome. Pure, and the only place that decides a retry.
 *
 *     2xx → delivered          anything else → retry at …, or exhausted when it was the last attempt
 *     410 → the same as any failure, and the destination is turned off
 *     a fault of ours or of the operator's proxy → retry soon, and none of the delivery's attempts is spent
 *     a body that could not be made → exhausted at once: only its owner can change that
 *     Retry-After, the token endpoint's too, and a chat tool's wait → nothing goes to the destination before then
 */
import type { Outcome } from "../../domain/attempt.ts";
import type { DestinationOffReason } from "../../domain/destination.ts";
import { LIMITS } from "../../domain/limits.ts";
import { type RetrySchedule, freeRetryDelayMs, retryDelayMs } from "../../domain/retry-schedule.ts";
import { isOperatorsConcern } from "../../egress/connect-outcome.ts";
import { secondsMs } from "../../lib/duration.ts";
import { readHttpDate } from "../../lib/http-date.ts";

export type Verdict = { readonly kind: "delivered" } | Failed;

type Failed = (Retry | { readonly kind: "exhausted" }) & {
  readonly destinationOff: DestinationOffReason | null;
  /** The receiver asked for silence until then; `null` when it did not. */
  readonly holdUntilMs: number | null;
};

interface Retry {
  readonly kind: "retry";
  readonly dueAtMs: number;
  /** The attempt does not count in the retry schedule: it says nothing about the receiver. */
  readonly isFree: boolean;
}

export interface JudgeParams {
  readonly outcome: Outcome;
  /** 1 for the first attempt since the delivery was accepted or resent. */
  readonly attemptNumber: number;
  /** When the delivery was accepted or resent. */
  readonly pendingSinceMs: number;
  readonly schedule: RetrySchedule;
  readonly nowMs: number;
  /** A random number in [0, 1) for the jitter. */
  readonly unit: number;
  /** The wait that a chat tool asks for in its answer's body, beside any `Retry-After`; 0 or left out for none. */
  readonly toolWaitMs?: number;
}

export function judge(attempt: JudgeParams): Verdict {
  const { outcome, attemptNumber, schedule, nowMs, unit, toolWaitMs = 0 } = attempt;
  if (isSuccess(outcome)) return { kind: "delivered" };
  if (outcome.kind === "body_error") return { kind: "exhausted", destinationOff: null, holdUntilMs: null };
  if (isFree(attempt)) return retryForFree(attempt);
  const destinationOff = outcome.kind === "response" && outcome.response.status === 410 ? "gone" : null;
  const silenceMs = Math.max(retryAfterMs(outcome, nowMs), Math.min(toolWaitMs, LIMITS.retryAfterMsMax));
  const holdUntilMs = silenceMs > 0 ? nowMs + silenceMs : null;
  const delayMs = retryDelayMs(schedule, attemptNumber, unit);
  if (delayMs === null) return { kind: "exhausted", destinationOff, holdUntilMs };
  return { kind: "retry", dueAtMs: nowMs + Math.max(delayMs, silenceMs), isFree: false, destinationOff, holdUntilMs };
}

/** Has a limit: a delivery that has waited longer than `waitWhileOffMs` gets the ordinary retry schedule. */
function isFree({ outcome, pendingSinceMs, nowMs }: JudgeParams): boolean {
  return isOperatorsConcern(outcome) && nowMs - pendingSinceMs < LIMITS.waitWhileOffMs;
}

function retryForFree({ schedule, pendingSinceMs, nowMs, unit }: JudgeParams): Verdict {
  const delayMs = freeRetryDelayMs(schedule, { waitedMs: nowMs - pendingSinceMs, unit });
  return { kind: "retry", dueAtMs: nowMs + delayMs, isFree: true, destinationOff: null, holdUntilMs: null };
}

/** Only 200 to 299. A redirect is not followed and not a success. */
export function isSuccess(outcome: Outcome): boolean {
  return outcome.kind === "response" && outcome.response.status >= 200 && outcome.response.status <= 299;
}

/**
 * RFC 9110 §10.2.3: seconds or a date. Gateways write decimals and quotes, and send it twice: the longest pause counts.
 * A value that cannot be read, or lies in the past, asks for none.
 */
export function retryAfterMs(outcome: Outcome, nowMs: number): number {
  const delaysMs = (readRetryAfter(outcome) ?? "").split(BETWEEN).map((text) => {
    const [, seconds] = /^(\d+(?:\.\d*)?)$/.exec(text) ?? [];
    return seconds === undefined ? (readHttpDate(text, nowMs) ?? 0) - nowMs : secondsMs(Math.ceil(Number(seconds)));
  });
  return Math.min(Math.max(...delaysMs, 0), LIMITS.retryAfterMsMax);
}

/** Quotes, and the commas of a list; the one within a date stands before its day. */
const BETWEEN = /[ \t"]*,(?![ \t]*\d\d?[ -][a-z])[ \t"]*|^[ \t"]+|[ \t"]+$/i;

/** The receiver's, or that of the token endpoint: without a token nothing can go to the destination either. */
function readRetryAfter(outcome: Outcome): string | undefined {
  if (outcome.kind === "token_error") return outcome.retryAfter;
  return outcome.kind === "response" ? outcome.response.headers["retry-after"] : undefined;
}

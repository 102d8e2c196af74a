/** Parses intake's answers into values: nothing is trusted before its form is checked. */
import type { CallOutcome } from "./call.ts";

/** One field that was refused. */
export interface FieldError {
  /** Such as `lead.email` or `referers[2]`; empty for the record itself. */
  readonly path: string;
  readonly message: string;
}

/** The event and its deliveries are on the service's disk. */
export interface Accepted {
  readonly kind: "accepted";
  readonly eventId: string;
  /** The number of destinations that it goes to. */
  readonly deliveries: number;
  /** The service knew this id before: nothing more is sent, and `eventId` names the first event. */
  readonly duplicate: boolean;
  /** A duplicate with other content than the first record's: it is not sent. */
  readonly differs: boolean;
}

/** The service refuses, and will refuse again: correct the record or the call. */
export interface Refused {
  readonly kind: "refused";
  readonly status: number;
  /** Stable, such as `invalid_record`; `unexpected_answer` when something other than Bellwire answered. */
  readonly code: string;
  readonly detail: string;
  readonly errors: readonly FieldError[];
}

/** The record may have arrived or not. Keep it and send it again, with the same id. */
export interface Unavailable {
  readonly kind: "unavailable";
  /** The reason of the last attempt: a status, a code such as ECONNREFUSED, or a missed deadline. */
  readonly reason: string;
  readonly attempts: number;
}

export type SendResult = Accepted | Refused | Unavailable;

/** Of a call that sends no record: done, with what the service answered. */
export type CallResult<Value = null> = { readonly kind: "done"; readonly value: Value } | Refused | Unavailable;

const TEXT_CHARS_MAX = 200;

export function readSendResult(outcome: CallOutcome): SendResult {
  if (outcome.kind === "unavailable") return outcome;
  const { status, text } = outcome;
  return parseAccepted(parse(text), status) ?? readRefusal(outcome);
}

/**
 * One result for each of `count` lines, by their numbers from 1. A refusal of the whole batch applies to each record.
 */
export function readBatchResults(outcome: CallOutcome, count: number): SendResult[] {
  if (outcome.kind === "unavailable") return Array.from({ length: count }, () => outcome);
  if (outcome.status !== 200) return Array.from({ length: count }, () => readRefusal(outcome));
  const byLine = new Map<unknown, SendResult>();
  for (const text of outcome.text.split("\n")) {
    const answer = parse(text);
    if (!isObject(answer)) continue;
    const result = parseAccepted(answer, 200) ?? parseProblem(answer);
    if (result !== null) byLine.set(answer.line, result);
  }
  return Array.from({ length: count }, (_, index) => byLine.get(index + 1) ?? unexpected(outcome));
}

/** `wanted`: a member that the service's answer has. */
export function readValue<Value>(outcome: CallOutcome, wanted: string): CallResult<Value> {
  if (outcome.kind === "unavailable") return outcome;
  const answer = outcome.status === 200 || outcome.status === 201 ? parse(outcome.text) : undefined;
  return isObject(answer) && wanted in answer ? { kind: "done", value: answer as Value } : readRefusal(outcome);
}

/** The problem document of an answer that is not a success. */
export function readRefusal(answer: { readonly status: number; readonly text: string }): Refused {
  return parseProblem(parse(answer.text)) ?? unexpected(answer);
}

function parseAccepted(answer: unknown, status: number): Accepted | null {
  if ((status !== 200 && status !== 202) || !isObject(answer)) return null;
  const { event_id: eventId, deliveries, duplicate, differs } = answer;
  if (typeof eventId !== "string" || typeof deliveries !== "number" || typeof duplicate !== "boolean") return null;
  return { kind: "accepted", eventId, deliveries, duplicate, differs: differs === true };
}

function parseProblem(answer: unknown): Refused | null {
  if (!isObject(answer)) return null;
  const { status, code, detail, errors } = answer;
  if (typeof status !== "number" || typeof code !== "string" || typeof detail !== "string") return null;
  return { kind: "refused", status, code, detail, errors: Array.isArray(errors) ? errors.filter(isFieldError) : [] };
}

function unexpected({ status, text }: { readonly status: number; readonly text: string }): Refused {
  const detail = `not an answer of a Bellwire: ${JSON.stringify(text.slice(0, TEXT_CHARS_MAX))}`;
  return { kind: "refused", status, code: "unexpected_answer", detail, errors: [] };
}

const isFieldError = (value: unknown): value is FieldError =>
  isObject(value) && typeof value.path === "string" && typeof value.message === "string";

export const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

export function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

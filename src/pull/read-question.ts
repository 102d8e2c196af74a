/** The parameters of `GET /pull`. Each is refused by its name, with what would be right. */
import { problem, type Result } from "../domain/problem.ts";
import { readHandOut } from "../domain/pull.ts";
import { minutesMs, secondsMs } from "../lib/duration.ts";
import { ok, refuse } from "../lib/result.ts";
import type { EndedClaim } from "./end-claim.ts";
import type { Question } from "./pull.ts";

export interface Span {
  readonly usual: number;
  readonly min: number;
  readonly max: number;
}

export const MESSAGES: Span = { usual: 100, min: 1, max: 500 };
/** The server ends a connection that says nothing for 30 s (`SERVER_TIMES.stallMs`). */
export const WAIT_SECONDS: Span = { usual: 0, min: 0, max: 25 };
export const HOLD_SECONDS: Span = { usual: minutesMs(1) / 1_000, min: 1, max: minutesMs(15) / 1_000 };

const NAMES = ["limit", "wait", "hold", "ack", "nack"] as const;

type Name = (typeof NAMES)[number];

export function readQuestion(query: unknown): Result<Question> {
  const given = query as Readonly<Record<string, unknown>>;
  const faults = findFaults(given);
  const limit = readNumber(given, "limit", MESSAGES);
  const wait = readNumber(given, "wait", WAIT_SECONDS);
  const hold = readNumber(given, "hold", HOLD_SECONDS);
  const errors = [...faults, ...[limit, wait, hold].flatMap((each) => (each.ok ? [] : [each.error]))];
  if (errors.length === 0 && limit.ok && wait.ok && hold.ok) {
    const times = { waitMs: secondsMs(wait.value), holdMs: secondsMs(hold.value) };
    return ok({ messagesMax: limit.value, ...times, ended: readEnded(given) });
  }
  return refuse(problem("invalid_parameter", "Some parameters of the question cannot be used.", errors));
}

interface Fault {
  readonly path: string;
  readonly message: string;
}

function findFaults(given: Readonly<Record<string, unknown>>): Fault[] {
  const unknown = Object.keys(given).filter((name) => !NAMES.includes(name as Name));
  const twice = NAMES.filter((name) => name in given && typeof given[name] !== "string");
  const faults = [
    ...unknown.map((path) => ({ path, message: `is not known here; there are ${NAMES.join(", ")}` })),
    ...twice.map((path) => ({ path, message: "is there twice: leave one out" })),
  ];
  const isBoth = "ack" in given && "nack" in given;
  return isBoth
    ? [...faults, { path: "nack", message: "cannot stand beside ack: end one claim with a question" }]
    : faults;
}

function readNumber(
  given: Readonly<Record<string, unknown>>,
  path: "limit" | "wait" | "hold",
  { usual, min, max }: Span,
): Result<number, Fault> {
  const text = given[path];
  if (typeof text !== "string") return ok(usual);
  const value = /^\d{1,6}$/.test(text) ? Number(text) : Number.NaN;
  if (value >= min && value <= max) return ok(value);
  return refuse({ path, message: `must be a whole number from ${min} to ${max}` });
}

function readEnded({ ack, nack }: Readonly<Record<string, unknown>>): EndedClaim | null {
  if (typeof ack === "string") return { claim: readHandOut(ack), how: "acknowledged" };
  if (typeof nack === "string") return { claim: readHandOut(nack), how: "given_back" };
  return null;
}

/**
 * Intake's answers in words: one answer to a single record, or one a line to a batch. The demo's product reads its
 * answers here too.
 */
import type { RecordAnswer } from "../intake/records.ts";
import { terminalText } from "../receiver/terminal-text.ts";
import { describeProblem, isProblem } from "./service-access.ts";
import { parseJson } from "./service-client.ts";

export interface Counts {
  readonly all: number;
  readonly accepted: number;
  readonly known: number;
  readonly refused: number;
  /** Accepted, but with no destination to go to. */
  readonly undelivered: number;
}

interface Answers {
  /** As the service gave them, one for each record. */
  readonly results: readonly unknown[];
  readonly lines: readonly string[];
  readonly counts: Counts;
}

const LINE_CHARS_MAX = 1_000;

/** One answer for each record, in order; `null` for a refused record. The whole is `null` for any other answer. */
export function parseAcceptances(answer: {
  readonly status: number;
  readonly text: string;
}): (RecordAnswer | null)[] | null {
  const results = parseResults(answer);
  return results?.map((result) => (isAcceptance(result) ? result : null)) ?? null;
}

/** `null` when the service answered something else: it refused the whole call, or it is not Bellwire. */
export function readAnswers(answer: { readonly status: number; readonly text: string }): Answers | null {
  const results = parseResults(answer);
  if (results === null) return null;
  const accepted = results.filter(isAcceptance);
  const fresh = accepted.filter(({ duplicate }) => !duplicate);
  const counts = {
    all: results.length,
    accepted: fresh.length,
    known: accepted.length - fresh.length,
    refused: results.length - accepted.length,
    undelivered: fresh.filter(({ deliveries }) => deliveries === 0).length,
  };
  return { results, lines: results.flatMap(describe).map((line) => terminalText(line, LINE_CHARS_MAX)), counts };
}

/** A single answer is one line as well, so both kinds are read as lines. */
function parseResults({ status, text }: { readonly status: number; readonly text: string }): unknown[] | null {
  if (status !== 200 && status !== 202) return null;
  const lines = text.split("\n").filter((line) => line !== "");
  const results = lines.map(parseJson);
  return results.length > 0 && results.every((result) => isAcceptance(result) || isProblem(result)) ? results : null;
}

function describe(result: unknown): string[] {
  if (isAcceptance(result)) {
    const { id, event_id: eventId, deliveries, duplicate, differs } = result;
    if (differs) return [`! ${id}  known already as ${eventId}, with other content: this one is not sent`];
    if (duplicate) return [`= ${id}  known already as ${eventId}: nothing more is sent`];
    return [`✓ ${id}  accepted as ${eventId}, ${deliveries === 1 ? "1 delivery" : `${deliveries} deliveries`}`];
  }
  if (!isProblem(result)) return [];
  const line = "line" in result ? `line ${String(result.line)}  ` : "";
  const [headline = "", ...fields] = describeProblem(result);
  return [`✗ ${line}${headline}`, ...fields];
}

function isAcceptance(value: unknown): value is RecordAnswer {
  return typeof value === "object" && value !== null && "event_id" in value && "duplicate" in value;
}

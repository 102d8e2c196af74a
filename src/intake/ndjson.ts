/**
 * NDJSON: one record a line. Blank lines are skipped but counted, so that line numbers are the sender's. Lines are
 * found first and become text one by one, so that a batch with too many lines costs next to nothing.
 */
import { LIMITS } from "../domain/limits.ts";
import { type Problem, type Result, problem } from "../domain/problem.ts";
import { ok, refuse } from "../lib/result.ts";
import { withoutMark } from "../lib/record-text.ts";
import { toText } from "./read-call.ts";

export interface Line {
  /** From 1, as an editor counts. */
  readonly number: number;
  readonly text: Result<string>;
}

interface Found {
  readonly number: number;
  readonly bytes: Buffer;
}

const LINE_FEED = 0x0a;
const SPACE = 0x20;
const TAB = 0x09;
const CARRIAGE_RETURN = 0x0d;

/** The blank bytes between all records of a batch together; each costs a comparison of its own. */
const BLANK_BYTES_MAX = LIMITS.recordBytesMax;

/** The lines of a batch, each made into text when it is read. Refuses a batch with too many. */
export function readLines(body: unknown): Result<Iterable<Line>> {
  const found = Buffer.isBuffer(body) ? findLines(withoutMark(body)) : [];
  if (found === null) return refuse(tooBlank);
  if (found.length > LIMITS.batchRecordsMax) return refuse(tooMany);
  return ok(found.values().map(({ number, bytes }) => ({ number, text: textOfLine(bytes) })));
}

/** Finds one line more than the maximum: the number beyond it helps no sender. `null` when too much is blank. */
function findLines(body: Buffer): Found[] | null {
  const lines: Found[] = [];
  let blanksLeft = BLANK_BYTES_MAX;
  let number = 1;
  let start = 0;
  for (let at = 0; at < body.length && lines.length <= LIMITS.batchRecordsMax; at += 1) {
    const byte = body[at];
    const isRecord = byte !== SPACE && byte !== TAB && byte !== CARRIAGE_RETURN && byte !== LINE_FEED;
    if (!isRecord && (blanksLeft -= 1) < 0) return null;
    if (!isRecord && byte !== LINE_FEED) continue;
    if (isRecord) {
      const end = endOfLine(body, at);
      lines.push({ number, bytes: body.subarray(start, end) });
      at = end;
    }
    number += 1;
    start = at + 1;
  }
  return lines;
}

function endOfLine(body: Buffer, from: number): number {
  const end = body.indexOf(LINE_FEED, from);
  return end === -1 ? body.length : end;
}

function textOfLine(bytes: Buffer): Result<string> {
  if (bytes.length > LIMITS.recordBytesMax) {
    return refuse(
      problem("body_too_large", `The record has ${bytes.length} bytes; ${LIMITS.recordBytesMax} are taken.`),
    );
  }
  return toText(bytes, "line");
}

const tooMany: Problem = problem(
  "batch_too_large",
  `The batch has more than ${LIMITS.batchRecordsMax} records, which is what one call takes. Send it in parts.`,
);

const tooBlank: Problem = problem(
  "batch_too_large",
  `The batch has more than ${BLANK_BYTES_MAX} blank characters between its records. Send them without.`,
);

/** Guesses, more than people read. Fifty errors for each of a thousand records would outgrow the batch itself. */
const ERRORS_PER_RECORD_MAX = 10;
const ERRORS_PER_BATCH_MAX = 1_000;

/** Calls `parse` with the number of errors it may list: fewer as the batch's are used up, and always one. */
export type WithBudget = <Value>(parse: (errorsMax: number) => Result<Value>) => Result<Value>;

export function createErrorBudget(): WithBudget {
  let left = ERRORS_PER_BATCH_MAX;
  return (parse) => {
    const parsed = parse(Math.max(1, Math.min(left, ERRORS_PER_RECORD_MAX)));
    if (!parsed.ok) left -= parsed.error.errors?.length ?? 0;
    return parsed;
  };
}

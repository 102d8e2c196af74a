/** NDJSON: one record a line. Empty lines are passed over but counted, so that line numbers are the sender's. */
import { isUtf8 } from "node:buffer";
import { LIMITS } from "../domain/limits.ts";
import { type Result, ok, problem, refuse } from "../domain/problem.ts";
import { notUtf8 } from "./body.ts";

export interface Line {
  /** From 1, as an editor counts. */
  readonly number: number;
  readonly text: Result<string>;
}

const LINE_FEED = 0x0a;

export function linesOf(body: unknown): Line[] {
  if (!Buffer.isBuffer(body)) return [];
  const lines: Line[] = [];
  let start = 0;
  for (let number = 1; start < body.length; number += 1) {
    const found = body.indexOf(LINE_FEED, start);
    const end = found === -1 ? body.length : found;
    const bytes = body.subarray(start, end);
    if (!isBlank(bytes)) lines.push({ number, text: textOfLine(bytes) });
    start = end + 1;
  }
  return lines;
}

function textOfLine(bytes: Buffer): Result<string> {
  if (bytes.length > LIMITS.recordBytesMax) {
    return refuse(
      problem("body_too_large", `The record has ${bytes.length} bytes; ${LIMITS.recordBytesMax} are taken.`),
    );
  }
  return isUtf8(bytes) ? ok(bytes.toString("utf8")) : refuse(notUtf8);
}

/** A long line is never blank enough to matter; only spaces, tabs and a carriage return make a short one blank. */
const isBlank = (bytes: Buffer): boolean => bytes.length < 64 && bytes.toString("latin1").trim() === "";

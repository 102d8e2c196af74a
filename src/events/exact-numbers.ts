/**
 * The rules for numbers that a 64-bit float would change. They go out with their original digits, so their bounds are
 * checked by these digits and not by a float near them. Applies only to records that have such numbers.
 */
import type { FieldError } from "../domain/problem.ts";
import { compareDecimals, isWhole } from "../domain/decimal.ts";
import { writtenNumber } from "./exact-json.ts";
import { memberPath } from "./explain.ts";
import { mustBe } from "./faults.ts";
import type { SchemaNode } from "./schema-node.ts";

/**
 * As written, with sign and exponent. Jackson, the usual parser of Java, refuses the whole body for a longer number;
 * Python refuses integers of more than 4,300 digits.
 */
export const NUMBER_CHARS_MAX = 1_000;

const LONG_NUMBER = new RegExp(`[\\d.eE+-]{${NUMBER_CHARS_MAX + 1}}`);

/** `record` comes from `parseExactJson`, its floats have passed `schema`. Fields of numbers stand at its top level. */
export function exactNumberErrors(record: unknown, schema: SchemaNode, recordText: string): readonly FieldError[] {
  const tooLong = LONG_NUMBER.test(recordText) ? longNumbersIn(record, "") : [];
  return tooLong.length > 0 ? tooLong : boundErrors(record as Readonly<Record<string, unknown>>, schema);
}

function boundErrors(record: Readonly<Record<string, unknown>>, { properties = {} }: SchemaNode): FieldError[] {
  return Object.entries(properties).flatMap(([path, node]) => {
    const written = writtenNumber(record[path]);
    return written === undefined || isWithin(written, node) ? [] : [{ path, message: mustBe(node) }];
  });
}

function isWithin(written: string, { type, minimum, maximum }: SchemaNode): boolean {
  if (type === "integer" && !isWhole(written)) return false;
  if (minimum !== undefined && compareDecimals(written, String(minimum)) < 0) return false;
  return maximum === undefined || compareDecimals(written, String(maximum)) <= 0;
}

/** Depth is bounded by the schema, which the record has passed. */
function longNumbersIn(value: unknown, path: string): FieldError[] {
  const written = writtenNumber(value);
  if (written !== undefined) return written.length > NUMBER_CHARS_MAX ? [{ path, message: tooLong(written) }] : [];
  if (Array.isArray(value)) return value.flatMap((item, index) => longNumbersIn(item, `${path}[${index}]`));
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([key, part]) => longNumbersIn(part, memberPath(path, key)));
}

const tooLong = (written: string): string =>
  `must be a number of at most ${NUMBER_CHARS_MAX} characters, not ${written.length}`;

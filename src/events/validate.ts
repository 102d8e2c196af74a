/**
 * Checks a value against a schema. The compiled check answers yes or no and is all that runs on good input. After a no,
 * `explain.ts` walks schema and value again and says field by field what is wrong, in our words.
 */
import type { TSchema } from "typebox";
import { Compile } from "typebox/compile";
import { type FieldError, problem, type Problem, type Result } from "../domain/problem.ts";
import { ok, refuse } from "../lib/result.ts";
import { createExplain, FIELD_ERRORS_MAX, memberPath } from "./explain.ts";
import {
  type Exactly,
  mayLoseDigits,
  parseExactJson,
  parseJson,
  withoutLoneSurrogates,
  writtenNumber,
} from "./exact-json.ts";
import { longNumberFault, NUMBER_CHARS_MAX } from "./faults.ts";
import { nameFields } from "./named-fields.ts";
import type { JsonSchema, SchemaObject } from "./schema/keywords.ts";

/**
 * Empty when the value is valid; otherwise one error for each field, at most `errorsMax` (`FIELD_ERRORS_MAX`). Given
 * the value's text, numbers of more digits than a float has are checked by their digits.
 */
export type Validate = (value: unknown, errorsMax?: number, text?: string) => readonly FieldError[];

export const NONE: readonly FieldError[] = [];

/** A number with more digits than a float keeps, or with an exponent. */
const MANY_DIGITS = /[:,[]\s*-?(?:[\d.]{16}|[\d.]+[eE])/;

/** The check of one of our schemas, made from a copy that means the same and is faster (`named-fields.ts`). */
export function createValidator(schema: TSchema): Validate {
  const compile = (): ((value: unknown) => boolean) => {
    const compiled = Compile(nameFields(schema as SchemaObject) as TSchema);
    return (value) => compiled.Check(value);
  };
  return explainedBy(schema as JsonSchema, compile, "does not match its schema");
}

/**
 * A check with its explanations, both made when they are first needed. `noWords` is for a refusal that cannot be
 * explained: the caller must still get one, never an acceptance.
 */
export function explainedBy(schema: JsonSchema, compile: () => (value: unknown) => boolean, noWords: string): Validate {
  let check: ((value: unknown) => boolean) | null = null;
  let explain: ReturnType<typeof createExplain> | null = null;
  return (value, errorsMax = FIELD_ERRORS_MAX, text = "") => {
    check ??= compile();
    const isFine = check(value);
    if (isFine && !MANY_DIGITS.test(text)) return NONE;
    explain ??= createExplain(schema);
    if (!isFine) {
      const errors = explain(value, errorsMax, text);
      return errors.length > 0 ? errors : [{ path: "", message: noWords }];
    }
    const exact = explain(parseExactJson(text), errorsMax, text);
    // Its words and the compiler differ about a schema: the compiler is right.
    return exact.length > 0 && explain(value, 1, text).length === 0 ? exact : NONE;
  };
}

/*
 * Turns a record's text into a checked value, or into the Problem with every mistake in it. The built-in types share
 * it; each brings its validator and, where fields depend on each other, a check of its own.
 */

/** Checks fields together. It also runs for records with other errors, so it must expect anything. */
type CheckAcrossFields = (record: Readonly<Record<string, unknown>>) => readonly FieldError[];

interface RecordRules {
  readonly validate: Validate;
  readonly checkAcrossFields?: CheckAcrossFields;
  /** How many errors are listed; `FIELD_ERRORS_MAX` unless given. */
  readonly errorsMax?: number | undefined;
}

/** `Value` must be the static type of the schema behind `rules.validate`. */
export function readRecord<Value>(givenText: string, rules: RecordRules): Result<Exactly<Value>, Problem> {
  const recordText = withoutLoneSurrogates(givenText);
  const parsed = parseJson(recordText);
  if (!parsed.ok) return parsed;
  const { validate, errorsMax = FIELD_ERRORS_MAX } = rules;
  const exactText = mayLoseDigits(recordText) ? recordText : undefined;
  const errors = [...validate(parsed.value, errorsMax, exactText), ...acrossFields(parsed.value, rules)];
  if (errors.length === 0 && exactText === undefined) return ok(parsed.value as Exactly<Value>);
  const record = errors.length === 0 ? parseExactJson(recordText) : null;
  if (LONG_NUMBER.test(recordText)) errors.push(...longNumbersIn(record, ""));
  return errors.length > 0 ? refuse(invalidRecord(errors.slice(0, errorsMax))) : ok(record as Exactly<Value>);
}

/** Begins where a number may, so that a text of many is gone through once. */
const LONG_NUMBER = new RegExp(`(?<![\\d.eE+-])[\\d.eE+-]{${NUMBER_CHARS_MAX + 1}}`);

/** Also where the schema takes anything. Depth is bounded by the schema, which the record has passed. */
function longNumbersIn(value: unknown, path: string): FieldError[] {
  const message = longNumberFault(writtenNumber(value) ?? "");
  if (message !== null) return [{ path, message }];
  if (Array.isArray(value)) return value.flatMap((item, index) => longNumbersIn(item, `${path}[${index}]`));
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([key, part]) => longNumbersIn(part, memberPath(path, key)));
}

function acrossFields(value: unknown, { checkAcrossFields }: RecordRules): readonly FieldError[] {
  const isRecord = typeof value === "object" && value !== null && !Array.isArray(value);
  return isRecord && checkAcrossFields !== undefined ? checkAcrossFields(value as Record<string, unknown>) : NONE;
}

/** The detail already names the first error, because many callers log only that. */
export function invalidRecord(errors: readonly FieldError[]): Problem {
  const [first = { path: "", message: "" }] = errors;
  const sentence = `${first.path === "" ? "The record" : first.path} ${first.message}`;
  const more = errors.length - 1;
  const rest = more === 0 ? "" : ` ${more} more ${more === 1 ? "field is" : "fields are"} listed in errors.`;
  return problem("invalid_record", `${sentence}${/[.?]$/.test(sentence) ? "" : "."}${rest}`, errors);
}

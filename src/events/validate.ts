/**
 * Checks a value against a schema. The compiled check answers yes or no and is all that runs on good input. It is
 * made from a copy of the schema that means the same and is faster (`named-fields.ts`). After a no, `explain.ts` walks
 * schema and value again and says field by field what is wrong, in our words. A keyword that it cannot explain is
 * refused at start.
 */
import type { TSchema } from "typebox";
import { Compile } from "typebox/compile";
import { type FieldError, ok, problem, refuse, type Problem, type Result } from "../domain/problem.ts";
import { explainErrors, FIELD_ERRORS_MAX } from "./explain.ts";
import { nameFields } from "./named-fields.ts";
import { assertExplainable, type SchemaNode } from "./schema-node.ts";
import { type Exactly, mayLoseDigits, parseExactJson, parseJson, withoutLoneSurrogates } from "./exact-json.ts";
import { exactNumberErrors } from "./exact-numbers.ts";

/** Empty when the value is valid; otherwise one error for each field, at most `errorsMax` (`FIELD_ERRORS_MAX`). */
export interface Validate {
  (value: unknown, errorsMax?: number): readonly FieldError[];
  readonly schema: SchemaNode;
}

const NONE: readonly FieldError[] = [];

/** Compiles `schema` once. Throws when it uses a keyword that `explain.ts` cannot explain. */
export function createValidator(schema: TSchema): Validate {
  const node = schema as SchemaNode;
  assertExplainable(node);
  const compiled = Compile(nameFields(node) as TSchema);
  const check = (value: unknown, errorsMax?: number): readonly FieldError[] =>
    compiled.Check(value) ? NONE : explainOrName(node, value, errorsMax);
  return Object.assign(check, { schema: node });
}

/** An unexplained refusal would be a bug of ours; the caller must still get a refusal, never an acceptance. */
function explainOrName(node: SchemaNode, value: unknown, errorsMax?: number): readonly FieldError[] {
  const errors = explainErrors(node, value, errorsMax);
  return errors.length > 0 ? errors : [{ path: "", message: "does not match its schema" }];
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
  const errors = validate(parsed.value, errorsMax);
  const across = acrossFields(parsed.value, rules);
  if (errors.length + across.length > 0) return refuse(invalidRecord([...errors, ...across].slice(0, errorsMax)));
  return mayLoseDigits(recordText) ? readExactly(recordText, rules) : ok(parsed.value as Exactly<Value>);
}

/** The text has passed every check with floats. */
function readExactly<Value>(recordText: string, { validate, errorsMax }: RecordRules): Result<Exactly<Value>, Problem> {
  const record = parseExactJson(recordText);
  const errors = exactNumberErrors(record, validate.schema, recordText).slice(0, errorsMax ?? FIELD_ERRORS_MAX);
  return errors.length > 0 ? refuse(invalidRecord(errors)) : ok(record as Exactly<Value>);
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

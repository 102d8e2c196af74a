/**
 * Checks a record of a declared type, from its text to its body: JSON, its depth, the operator's schema, `event`, and
 * the key. TypeBox compiles the schema when the first record comes: it passes every required test of the public suite
 * that needs no other document (`test-suite.test.ts`), and 200 types would cost a start 130 ms.
 */
import { Build, Check } from "typebox/schema";
import type { FieldError, Problem, Result } from "../../domain/problem.ts";
import { ok, refuse } from "../../lib/result.ts";
import { type Steps, stepsFor } from "../../lib/steps.ts";
import { parseExactJson, parseJson, withoutLoneSurrogates, writtenNumber } from "../exact-json.ts";
import { FIELD_ERRORS_MAX, memberPath } from "../explain.ts";
import type { Members } from "../event-type.ts";
import { explainedBy, invalidRecord, NONE, type Validate } from "../validate.ts";
import { withoutMember } from "./compact-json.ts";
import {
  CALLER_KEY,
  CALLER_KEY_MEMBER,
  type Declaration,
  DECLARATION_LIMITS,
  joinKey,
  keyPointers,
} from "./declaration.ts";
import { hasChoice } from "../faults.ts";
import { withEveryFormat, withOurFormats } from "../formats.ts";
import { isTooDeep } from "../json-levels.ts";
import { linearPattern } from "../patterns/linear-pattern.ts";
import { type JsonSchema, listConstants, mapSchemas, parsePointer, valueAt } from "../schema/keywords.ts";

/** A record that passed every check. */
export interface CheckedRecord {
  /** Without lone surrogates. */
  readonly text: string;
  readonly value: Members;
  readonly sourceId: string;
}

export interface RecordCheck {
  /**
   * Refuses with `invalid_json` or `invalid_record`, as the built-in types do. `callerKey` is the call's own name for
   * the event, which matters where the declaration asks for one.
   */
  read(recordText: string, errorsMax?: number, callerKey?: string): Result<CheckedRecord, Problem>;
}

export interface RecordCheckOptions {
  /** For one record, which a check without compiling is faster for. */
  readonly isOnce?: boolean;
}

export function createRecordCheck(declaration: Declaration, { isOnce = false }: RecordCheckOptions = {}): RecordCheck {
  const { type, enforceFormats = false } = declaration;
  const schema = enforceFormats ? withEveryFormat(declaration.schema) : declaration.schema;
  const findErrors = createSchemaCheck(schema, isOnce);
  const keyPaths = keyPointers(declaration).map((pointer) => parsePointer(pointer) ?? []);
  return {
    read(givenText, errorsMax = FIELD_ERRORS_MAX, callerKey) {
      const givenRecord = withoutLoneSurrogates(givenText);
      const parsed = parseJson(givenRecord);
      if (!parsed.ok) return parsed;
      const { levelsMax } = DECLARATION_LIMITS;
      if (isTooDeep(givenRecord, levelsMax)) {
        const message = `has more than ${levelsMax} levels of objects and lists`;
        return refuse(invalidRecord([{ path: "", message }]));
      }
      const named = valueAt(parsed.value, [CALLER_KEY_MEMBER]);
      const isNamed = declaration.key === CALLER_KEY && named !== undefined;
      const text = isNamed ? withoutMember(givenRecord, CALLER_KEY_MEMBER) : givenRecord;
      const value = (isNamed ? JSON.parse(text) : parsed.value) as Members;
      const errors = [...findErrors(value, errorsMax, text), ...findEventErrors(value, type)];
      if (errors.length > 0) return refuse(invalidRecord(errors.slice(0, errorsMax)));
      const key = declaration.key === CALLER_KEY ? readCallerKey(named, callerKey) : readKey(value, text, keyPaths);
      return key.ok ? ok({ text, value, sourceId: key.value }) : refuse(invalidRecord([key.error]));
    },
  };
}

function createSchemaCheck(schema: JsonSchema, isOnce: boolean): Validate {
  const ours = tagsFirst(withChoices(withOurFormats(schema))) as Members;
  let steps = stepsFor(0);
  const hasPatterns = JSON.stringify(schema).includes('"pattern');
  const uncompiled = (value: unknown): boolean => Check(ours, value);
  // Without compiling, `RegExp` would match the patterns: a schema that is too large beside them takes no record.
  const fallback = hasPatterns ? () => false : uncompiled;
  const compile = () => (isOnce && !hasPatterns ? null : compileLinear(ours, () => steps)) ?? fallback;
  const findErrors = explainedBy(schema, compile, NO_WORDS);
  return (value, errorsMax, text) => {
    steps = stepsFor(text?.length ?? 0);
    const errors = findErrors(value, errorsMax, text);
    return steps.isSpent ? [{ path: "", message: TOO_MUCH_WORK }] : errors;
  };
}

/** With constants checked before other members: a value goes into that alternative only which it names. */
const tagsFirst = (schema: JsonSchema): JsonSchema =>
  mapSchemas(schema, ({ properties, ...rest }) => {
    if (properties === undefined) return rest;
    const isNoTag = (part: JsonSchema): number => Number(listConstants(part) === null);
    const sorted = Object.entries(properties).toSorted(([, one], [, other]) => isNoTag(one) - isNoTag(other));
    return { ...rest, properties: Object.fromEntries(sorted) };
  });

/**
 * The compiled check, in which each `RegExp` is matched in linear time.
 * `null`: the stack is too small for the code that comes out, as for thousands of members.
 */
function compileLinear(schema: Members, getSteps: () => Steps): ((value: unknown) => boolean) | null {
  try {
    const build = Build(schema);
    const { variables } = build.External();
    for (const [index, each] of variables.entries()) {
      if (!(each instanceof RegExp)) continue;
      const names = readNames(each.source);
      const pattern = linearPattern(each.source);
      variables[index] = { test: (text: string) => names?.has(text) ?? pattern.test(text, getSteps()) };
    }
    const compiled = build.Evaluate();
    return (value) => compiled.Check(value);
  } catch (error) {
    if (error instanceof RangeError) return null;
    throw error;
  }
}

/** `(^id$|^name$)`, which TypeBox makes of the names beside `additionalProperties`: there may be thousands. */
const NAMES = /^\((?:\^(?:[^\\^$.*+?()[\]{}|]|\\[^a-z0-9])*\$(?:\||\)$))+$/i;

/** `null` where there are patterns among them. */
const readNames = (source: string): ReadonlySet<string> | null =>
  NAMES.test(source)
    ? new Set(
        source
          .slice(2, -2)
          .split("$|^")
          .map((name) => name.replaceAll(/\\(.)/gs, "$1")),
      )
    : null;

const TOO_MUCH_WORK = "has too much text for the patterns of its type: shorten its texts, or give them a maxLength";

/** Guess: so many scalars are compared as quickly as they are looked up. */
const CHOICES_COMPARED_MAX = 16;

/** Lists of choices are looked up: a compiled check compares each value of a record with each of them. */
const withChoices = (schema: JsonSchema): JsonSchema =>
  mapSchemas(schema, (copy) => {
    const { enum: choices = [], "~refine": checks = [], ...rest } = copy;
    const isShort = choices.length <= CHOICES_COMPARED_MAX;
    if (isShort && choices.every((choice) => typeof choice !== "object" || choice === null)) return copy;
    const listed = { enum: choices };
    const check = (value: unknown): boolean => hasChoice(listed, value);
    return { ...rest, "~refine": [...checks, { check, error: () => "" }] };
  });

const NO_WORDS = "does not fit the schema of its type: compare it with the example in the event catalog";

/** A body that comes back as a record has the name in it. */
function findEventErrors(value: unknown, type: string): readonly FieldError[] {
  const given = valueAt(value, ["event"]);
  if (given === undefined || given === type) return NONE;
  return [{ path: "event", message: `must be ${JSON.stringify(type)}, the type that it is sent as, or be left out` }];
}

/** Where call and record both name the event, they must agree. */
function readCallerKey(named: unknown, callerKey: string | undefined): Result<string, FieldError> {
  const given = named ?? callerKey;
  const no = (fault: string) =>
    refuse({
      path: CALLER_KEY_MEMBER,
      message: `${fault}: the header Idempotency-Key, or this member, names the event`,
    });
  if (given === undefined) return no("is missing");
  if (typeof given !== "string") return no("must be a string");
  if (callerKey !== undefined && callerKey !== given) return no("must be what the header says");
  const fault = findKeyFault(given, given);
  return fault === null ? ok(given) : no(fault);
}

function readKey(value: Members, text: string, keyPaths: readonly (readonly string[])[]): Result<string, FieldError> {
  const parts: string[] = [];
  for (const path of keyPaths) {
    const part = readKeyPart(value, text, path);
    if (!part.ok) return part;
    parts.push(part.value);
  }
  const key = joinKey(parts);
  const { keyCharsMax } = DECLARATION_LIMITS;
  if (parts.length === 1 || key.length <= keyCharsMax) return ok(key);
  const message = `must have at most ${keyCharsMax} characters together with the other parts of the key`;
  return refuse({ path: (keyPaths[0] ?? []).reduce(memberPath, ""), message });
}

/** The value as text: of a number its digits, however it is written. */
function readKeyPart(value: Members, text: string, keyPath: readonly string[]): Result<string, FieldError> {
  const given = valueAt(value, keyPath);
  const isLong = typeof given === "number" && !Number.isSafeInteger(given);
  const exact = isLong ? valueAt(parseExactJson(text), keyPath) : given;
  const key = writtenNumber(exact) ?? String(given);
  const fault = findKeyFault(given, key);
  return fault === null
    ? ok(key)
    : refuse({ path: keyPath.reduce(memberPath, ""), message: `${fault}: it is the key` });
}

function findKeyFault(given: unknown, key: string): string | null {
  const { keyCharsMax } = DECLARATION_LIMITS;
  if (typeof given === "number") return /^-?\d{1,256}$/.test(key) ? null : "must be a whole number, written in digits";
  if (typeof given !== "string") return "must be a string or a whole number";
  if (key === "" || key.length > keyCharsMax) return `must have 1 to ${keyCharsMax} characters`;
  return /\p{Cc}/u.test(key) ? "must have visible characters only" : null;
}

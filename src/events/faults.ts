/**
 * Finds the fault of a single value in itself (its type, form or size), without its parts, and puts it into words. Each
 * fault is the end of a sentence that starts with the field's name, such as "must be a string, not a number". Numbers
 * are compared as they are written.
 */
import Guard from "typebox/guard";
import { compareDecimals, isWhole } from "../domain/decimal.ts";
import { findPasted } from "../lib/pasted.ts";
import type { Steps } from "../lib/steps.ts";
import { DECLARATION_LIMITS } from "./declared/declaration.ts";
import { writtenNumber } from "./exact-json.ts";
import { FORMATS } from "./formats.ts";
import { isNestedAtMost } from "./json-levels.ts";
import { nearestName } from "../lib/nearest-name.ts";
import { linearPattern } from "./patterns/linear-pattern.ts";
import { isSchemaObject, type SchemaObject, type TypeName } from "./schema/keywords.ts";

/**
 * As written, with sign and exponent. Jackson, the usual parser of Java, refuses the whole body for a longer number;
 * Python refuses integers of more than 4,300 digits.
 */
export const NUMBER_CHARS_MAX = 1_000;

const TYPE_WORDS: Readonly<Record<TypeName, string>> = {
  object: "an object",
  array: "an array",
  string: "a string",
  number: "a number",
  integer: "a whole number",
  boolean: "true or false",
  null: "null",
};

export interface Work {
  readonly steps: Steps;
  /** False: only whether there is a fault is asked, and no words are made. */
  readonly isTold: boolean;
}

/** A fault; with `choices`, the value is none of those that may stand there: another alternative may be meant. */
export interface OwnFault {
  readonly message: string;
  readonly choices?: readonly unknown[];
}

/** The value's first fault; `null` when it has none of its own. */
export function findOwnFault(work: Work, node: SchemaObject, value: unknown): OwnFault | null {
  const types = node.type === undefined ? null : toTypes(node.type);
  if (types !== null && !types.some((type) => isOfType(type, value))) {
    return { message: typeFault(types, node, value) };
  }
  const choices = choicesOf(node);
  if (choices !== undefined && !hasChoice(node, value)) {
    if (!work.isTold) return { message: "", choices };
    work.steps.take(choices.length);
    return { message: choiceFault(choices, value), choices };
  }
  const message = numberFault(node, value) ?? stringFault(work, node, value) ?? countFault(work, node, value);
  return message === null ? null : { message };
}

const toTypes = (type: NonNullable<SchemaObject["type"]>): readonly TypeName[] =>
  typeof type === "string" ? [type] : type;

/** The digits of a number; `undefined` for every other value. */
const digitsOf = (value: unknown): string | undefined =>
  writtenNumber(value) ?? (typeof value === "number" ? `${value}` : undefined);

export function readType(value: unknown): TypeName {
  const digits = digitsOf(value);
  if (digits !== undefined) return isWhole(digits) ? "integer" : "number";
  if (value === null) return "null";
  return Array.isArray(value) ? "array" : (typeof value as TypeName);
}

export function isOfType(type: TypeName, value: unknown): boolean {
  const given = readType(value);
  return given === type || (type === "number" && given === "integer");
}

type Limits = Pick<SchemaObject, "minimum" | "maximum">;

/** The demand as "must be …". */
export const mustBe = (types: readonly TypeName[], limits: Limits = {}): string =>
  `must be ${[...new Set(types.map((type) => TYPE_WORDS[type]))].join(" or ")}${rangeWords(limits)}`;

/**
 * Names only types: a caller that sent a number for a time needs no lesson on ISO 8601 yet. A number with a fraction is
 * told what a whole one is.
 */
export function typeFault(types: readonly TypeName[], limits: Limits, value: unknown): string {
  const given = readType(value);
  if (types.join(",") === "integer" && given === "number") return mustBe(types, limits);
  const named = { ...TYPE_WORDS, integer: "a number", boolean: "a boolean" };
  return `${mustBe(types)}, not ${named[given]}`;
}

function rangeWords({ minimum, maximum }: Limits): string {
  if (maximum === undefined) return minimum === undefined ? "" : ` of at least ${minimum}`;
  return minimum === undefined ? ` of at most ${maximum}` : ` from ${minimum} to ${maximum}`;
}

const toPlain = (value: unknown): unknown =>
  typeof value === "object" && value !== null ? JSON.parse(JSON.stringify(value)) : value;

const choicesOf = (node: SchemaObject): readonly unknown[] | undefined => ("const" in node ? [node.const] : node.enum);

/** Texts of a schema's choices: a list of the record with thousands of items may have to be compared with thousands. */
const choiceTexts = new WeakMap<SchemaObject, ReadonlySet<string>>();

/** Whether the value is one of those that the schema lists: one look, however many there are. */
export function hasChoice(node: SchemaObject, value: unknown): boolean {
  const texts = choiceTexts.getOrInsertComputed(node, () => new Set((choicesOf(node) ?? []).map(toSorted)));
  const written = writtenNumber(value);
  if (written === undefined) return value !== Infinity && value !== -Infinity && texts.has(toSorted(value));
  return texts.has(`${Number(written)}`) && compareDecimals(written, `${Number(written)}`) === 0;
}

/** Guess: a longer list helps nobody, and each fault of a record has its own. */
const NAMES_SHOWN_MAX = 100;

/** The first names of a list, and how many others there are. */
export function showNames(names: readonly string[], between = ", "): string {
  const others = names.length - NAMES_SHOWN_MAX;
  const shown = names.slice(0, NAMES_SHOWN_MAX).join(between);
  return others > 0 ? `${shown} and ${others} others` : shown;
}

export function choiceFault(choices: readonly unknown[], value: unknown): string {
  if (choices.length === 1) return `must be ${JSON.stringify(choices[0])}`;
  const names = choices.filter((choice) => typeof choice === "string");
  const near = typeof value === "string" ? nearestName(value, names) : undefined;
  const shown = choices.map((choice) => (typeof choice === "string" ? choice : JSON.stringify(choice)));
  return `must be one of ${showNames(shown)}${near === undefined ? "" : `; did you mean ${near}?`}`;
}

export const longNumberFault = (digits: string): string | null =>
  digits.length <= NUMBER_CHARS_MAX
    ? null
    : `must be a number of at most ${NUMBER_CHARS_MAX} characters, not ${digits.length}`;

function numberFault(node: SchemaObject, value: unknown): string | null {
  const digits = digitsOf(value);
  if (digits === undefined) return null;
  // JSON has no infinity, but 1e400 is read as one.
  if (!Number.isFinite(Number(digits))) return "must be a number between -1.8e308 and 1.8e308";
  const long = longNumberFault(digits);
  if (long !== null) return long;
  const { minimum, maximum, exclusiveMinimum: above, exclusiveMaximum: below, multipleOf } = node;
  const compare = (limit: number): number => compareDecimals(digits, `${limit}`);
  if ((minimum !== undefined && compare(minimum) < 0) || (maximum !== undefined && compare(maximum) > 0)) {
    return node["x-message"] ?? mustBe([node.type === "integer" ? "integer" : "number"], node);
  }
  if (above !== undefined && compare(above) <= 0) return `must be a number above ${above}`;
  if (below !== undefined && compare(below) >= 0) return `must be a number below ${below}`;
  const isMultiple = multipleOf === undefined || Guard.IsMultipleOf(Number(digits), multipleOf);
  return isMultiple ? null : `must be a multiple of ${multipleOf}`;
}

function stringFault(work: Work, node: SchemaObject, value: unknown): string | null {
  if (typeof value !== "string") return null;
  const { minLength = 0, maxLength, pattern } = node;
  if (value === "" && minLength > 0 && pattern === undefined) return "must not be empty";
  work.steps.take(value.length / CHARS_A_STEP);
  const isCounted = minLength > 0 || maxLength !== undefined;
  const length = isCounted ? sizeFault("character", countChars(value), [minLength, maxLength]) : null;
  if (length !== null) return length;
  const format = FORMATS.get(node.format);
  const isInPattern = pattern === undefined || linearPattern(pattern).test(value, work.steps);
  if (isInPattern && format?.test(value) !== false) return null;
  if (!work.isTold) return "";
  const demand = node["x-message"] ?? (isInPattern ? `must be ${format?.words}` : `must match the pattern ${pattern}`);
  // An invisible pasted character leaves the value looking right, so the message names it. It quotes no value.
  const pasted = findPasted(value, { kind: "words", isSecret: true });
  return pasted === null ? demand : `${demand}; it ${pasted.fault}`;
}

function countFault(work: Work, node: SchemaObject, value: unknown): string | null {
  if (Array.isArray(value)) {
    const twice = node.uniqueItems === true && hasTwice(work, value) ? "must not have an item twice" : null;
    return sizeFault("item", value.length, [node.minItems, node.maxItems]) ?? twice;
  }
  const isCounted = node.minProperties !== undefined || node.maxProperties !== undefined;
  if (!isCounted || readType(value) !== "object") return null;
  return sizeFault("field", Object.keys(value as object).length, [node.minProperties, node.maxProperties]);
}

function hasTwice(work: Work, items: readonly unknown[]): boolean {
  const texts = new Set(items.map(toSorted));
  for (const text of texts) work.steps.take(1 + text.length / CHARS_A_STEP);
  return texts.size < items.length;
}

/** Guess. */
const CHARS_A_STEP = 256;

function sizeFault(
  noun: string,
  given: number,
  [min = 0, max = Infinity]: readonly (number | undefined)[],
): string | null {
  const words = (amount: number): string => `${amount} ${noun}${amount === 1 ? "" : "s"}, not ${given}`;
  if (given < min) return `must have at least ${words(min)}`;
  return given > max ? `must have at most ${words(max)}` : null;
}

/** JSON Schema counts characters, not UTF-16 units: an emoji is one. */
function countChars(value: string): number {
  let chars = 0;
  for (const _ of value) chars += 1;
  return chars;
}

/** As the records and the choices of an operator's own types. No other schema takes anything with as many. */
const LEVELS_MAX = DECLARATION_LIMITS.levelsMax;

/**
 * Texts of two values are the same if the values are. No text for one that is too deep: the stack would overflow.
 */
function toSorted(value: unknown): string {
  if (!isNestedAtMost(value, LEVELS_MAX)) return "";
  return JSON.stringify(toPlain(value), (_, part: unknown) =>
    isSchemaObject(part) ? Object.fromEntries(Object.entries(part).toSorted(([a], [b]) => (a < b ? -1 : 1))) : part,
  );
}

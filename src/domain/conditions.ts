/**
 * Conditions on the fields of a payload: which events a webhook wants. An alert and an assistant's webhook have some,
 * joined by all or any, and `delivery/route.ts` evaluates them when an event is accepted. Pure.
 *
 * A field is read as its values: a list and an object have those inside them, and `null`, a missing field and an empty
 * text are none. A condition holds when one of the values does what it says; `is_not`, `none_of`, `contains_not`,
 * `begins_not` and `not_known` are exactly the opposites of `is`, `one_of`, `contains`, `begins_with` and `known`. Text
 * is compared without regard to case and to white space around it, numbers by their digits.
 */
import { compareDecimals } from "./decimal.ts";

export const COMPARING_OPERATORS = [
  "is",
  "is_not",
  "contains",
  "contains_not",
  "begins_with",
  "begins_not",
  "at_least",
  "at_most",
] as const;
export const LIST_OPERATORS = ["one_of", "none_of"] as const;
const ASKING_OPERATORS = ["known", "not_known"] as const;
export const CONDITION_OPERATORS = [...COMPARING_OPERATORS, ...LIST_OPERATORS, ...ASKING_OPERATORS] as const;

export type ConditionOperator = (typeof CONDITION_OPERATORS)[number];

export type Condition =
  | {
      /** The path in the body, such as `lead.email`. */
      readonly field: string;
      readonly operator: (typeof COMPARING_OPERATORS)[number];
      readonly value: string;
    }
  | ListCondition
  | { readonly field: string; readonly operator: (typeof ASKING_OPERATORS)[number] };

export interface ListCondition {
  readonly field: string;
  readonly operator: (typeof LIST_OPERATORS)[number];
  /** At least one. */
  readonly values: readonly string[];
}

export const CONDITION_JOINS = ["all", "any"] as const;

/** At least one; a webhook without conditions has `null` in the place of these. */
export interface Conditions {
  readonly join: (typeof CONDITION_JOINS)[number];
  readonly list: readonly Condition[];
}

/** One value of a field. `text` is folded, and what a number was written with. */
export interface FieldValue {
  readonly kind: "text" | "number" | "boolean";
  readonly text: string;
}

/** The values of an event's field by its path; empty for one that is not known. */
export type ReadField = (field: string) => readonly FieldValue[];

/** "At least" and "at most" know these beside numbers, lowest first. Source: specification §2.5. */
export const INTENT_LEVELS = ["low", "medium", "high"] as const;

/** The conditions that keep the event away; empty when it is wanted. */
export function findUnmet(conditions: Conditions | null, read: ReadField): readonly Condition[] {
  if (conditions === null) return NONE;
  const unmet = conditions.list.filter((condition) => !isMet(condition, read(condition.field)));
  return conditions.join === "any" && unmet.length < conditions.list.length ? NONE : unmet;
}

const NONE: readonly Condition[] = [];

export function isMet(condition: Condition, values: readonly FieldValue[]): boolean {
  switch (condition.operator) {
    case "is":
      return equalsOne(values, condition.value);
    case "is_not":
      return !equalsOne(values, condition.value);
    case "contains":
      return isInOne(values, condition.value);
    case "contains_not":
      return !isInOne(values, condition.value);
    case "begins_with":
      return beginsOne(values, condition.value);
    case "begins_not":
      return !beginsOne(values, condition.value);
    case "at_least":
      return isOnSide(values, condition.value, 1);
    case "at_most":
      return isOnSide(values, condition.value, -1);
    case "one_of":
      return isListed(values, condition);
    case "none_of":
      return !isListed(values, condition);
    case "known":
      return values.length > 0;
    case "not_known":
      return values.length === 0;
  }
}

/** One text has many spellings: case, white space around it, and letters that are written in one piece or two. */
export const foldText = (text: string): string => text.normalize("NFC").toLowerCase().trim();

/** Longer texts are no numbers that a person or a product wrote. */
const NUMBER_CHARS_MAX = 64;

/** As JSON writes numbers; the texts of custom signals are often such. */
export const isNumberText = (text: string): boolean =>
  text.length <= NUMBER_CHARS_MAX && /^-?\d+(?:\.\d+)?(?:e[+-]?\d{1,3})?$/.test(text);

/** Whether "at least" and "at most" can compare anything with the value. */
export const isComparable = (value: string): boolean =>
  isNumberText(foldText(value)) || findLevel(foldText(value)) !== -1;

function equalsOne(values: readonly FieldValue[], value: string): boolean {
  const wanted = foldText(value);
  const isNumber = isNumberText(wanted);
  return values.some(
    ({ kind, text }) => text === wanted || (kind === "number" && isNumber && compareDecimals(text, wanted) === 0),
  );
}

function isInOne(values: readonly FieldValue[], value: string): boolean {
  const wanted = foldText(value);
  return values.some(({ text }) => text.includes(wanted));
}

function beginsOne(values: readonly FieldValue[], value: string): boolean {
  const wanted = foldText(value);
  return values.some(({ text }) => text.startsWith(wanted));
}

/** Whether one of the values is the wanted one, or above it (`side` is 1) or below it (-1). */
function isOnSide(values: readonly FieldValue[], value: string, side: 1 | -1): boolean {
  const wanted = foldText(value);
  if (isNumberText(wanted)) {
    return values.some(
      ({ kind, text }) => (kind === "number" || isNumberText(text)) && side * compareDecimals(text, wanted) >= 0,
    );
  }
  const level = findLevel(wanted);
  return level !== -1 && values.some(({ text }) => findLevel(text) !== -1 && side * (findLevel(text) - level) >= 0);
}

function isListed(values: readonly FieldValue[], condition: ListCondition): boolean {
  const { texts, numbers } = prepareList(condition);
  return values.some(
    ({ kind, text }) =>
      texts.has(text) || (kind === "number" && numbers.some((each) => compareDecimals(text, each) === 0)),
  );
}

interface PreparedList {
  readonly texts: ReadonlySet<string>;
  /** Those of the texts that are numbers. */
  readonly numbers: readonly string[];
}

/** A list is folded once for as long as its account stays loaded, and not for every event. */
const preparedLists = new WeakMap<ListCondition, PreparedList>();

function prepareList(condition: ListCondition): PreparedList {
  return preparedLists.getOrInsertComputed(condition, () => {
    const texts = new Set(condition.values.map(foldText));
    return { texts, numbers: [...texts].filter(isNumberText) };
  });
}

const findLevel = (text: string): number => (INTENT_LEVELS as readonly string[]).indexOf(text);

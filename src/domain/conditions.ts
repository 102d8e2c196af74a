/**
 * Conditions on the fields of a payload: which events a webhook wants. An alert and an assistant's webhook have some,
 * joined by all or any, and `delivery/route.ts` evaluates them when an event is accepted. Pure.
 *
 * A field is read as its values: a list and an object have those inside them, and `null`, a missing field and an empty
 * text are none. A condition holds when one of the values does what it says; `is_not`, `none_of`, `contains_not`,
 * `begins_not` and `not_known` are exactly the opposites of `is`, `one_of`, `contains`, `begins_with` and `known`. Text
 * is compared without regard to case and to white space around it, numbers by their digits.
 */
import { toNormalForm } from "../lib/normal-form.ts";
import { Steps } from "../lib/steps.ts";
import { compareParsed, type Decimal, parseDecimal, toCanonical } from "./decimal.ts";
import { SearchedText } from "./searched-text.ts";

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
export type ReadField = (field: string) => FieldValues;

/** "At least" and "at most" know these beside numbers, lowest first. Source: specification §2.5. */
export const INTENT_LEVELS = ["low", "medium", "high"] as const;

/** The conditions that keep the event away; empty when it is wanted. */
export function findUnmet(conditions: Conditions | null, read: ReadField): readonly Condition[] {
  if (conditions === null) return NONE;
  const unmet = conditions.list.filter((condition) => !isMet(condition, read(condition.field)));
  return conditions.join === "any" && unmet.length < conditions.list.length ? NONE : unmet;
}

const NONE: readonly Condition[] = [];

export function isMet(condition: Condition, values: FieldValues): boolean {
  switch (condition.operator) {
    case "is":
    case "one_of":
      return values.equal(prepare(condition));
    case "is_not":
    case "none_of":
      return !values.equal(prepare(condition));
    case "contains":
      return values.contain(prepare(condition));
    case "contains_not":
      return !values.contain(prepare(condition));
    case "begins_with":
      return values.begin(prepare(condition));
    case "begins_not":
      return !values.begin(prepare(condition));
    case "at_least":
      return values.reach(prepare(condition), 1);
    case "at_most":
      return values.reach(prepare(condition), -1);
    case "known":
      return values.list.length > 0;
    case "not_known":
      return values.list.length === 0;
  }
}

/** One text has many spellings: case, white space around it, and letters that are written in one piece or two. */
export const foldText = (text: string): string => toNormalForm(text, "NFC").toLowerCase().trim();

/** Longer texts are no numbers that a person or a product wrote. */
const NUMBER_CHARS_MAX = 64;

/** As JSON writes numbers; the texts of custom signals are often such. */
export const isNumberText = (text: string): boolean =>
  text.length <= NUMBER_CHARS_MAX && /^-?\d+(?:\.\d+)?(?:e[+-]?\d{1,3})?$/.test(text);

/** Whether "at least" and "at most" can compare anything with the value. */
export const isComparable = (value: string): boolean =>
  isNumberText(foldText(value)) || findLevel(foldText(value)) !== -1;

/** What a condition compares with. */
interface Wanted {
  readonly texts: ReadonlySet<string>;
  /** Those of the texts that are numbers, canonical. */
  readonly numbers: ReadonlySet<string>;
  /** The first of the texts, for operators that have one. */
  readonly text: string;
  readonly number: Decimal | null;
  readonly level: number;
}

type Comparing = Exclude<Condition, { readonly operator: (typeof ASKING_OPERATORS)[number] }>;

/** A condition is prepared once for as long as its account stays loaded, and not for every event. */
const prepared = new WeakMap<Comparing, Wanted>();

const prepare = (condition: Comparing): Wanted =>
  prepared.getOrInsertComputed(condition, () => {
    const texts = ("values" in condition ? condition.values : [condition.value]).map(foldText);
    const [text = ""] = texts;
    return {
      texts: new Set(texts),
      numbers: new Set(texts.filter(isNumberText).map(toCanonical)),
      text,
      number: isNumberText(text) ? parseDecimal(text) : null,
      level: findLevel(text),
    };
  });

const findLevel = (text: string): number => (INTENT_LEVELS as readonly string[]).indexOf(text);

/*
 * The values of a field, put into each form once for all conditions on it.
 */

/**
 * What all conditions of an account may cost for one record, reading its fields included. A step is a letter that is
 * searched: 3 to 6 ns (measured), so this is some 10 ms, for which no other account's webhook waits long. An account
 * with 300 conditions on a transcript of 20,000 letters uses a tenth of it.
 */
export const createSteps = (): Steps => new Steps(2 ** 21);
/** Of a value in a set, and of the beginning of one: some 50 and 100 ns (measured). */
const LOOK_UP_STEPS = 16;
const BEGIN_STEPS = 16;

export class FieldValues {
  readonly list: readonly FieldValue[];
  readonly #steps: Steps;
  #texts: ReadonlySet<string> | null = null;
  #numbers: ReadonlySet<string> | null = null;
  #ends: readonly Decimal[] | null = null;
  #searched: SearchedText | null = null;

  constructor(list: readonly FieldValue[], steps: Steps) {
    this.list = list;
    this.#steps = steps;
  }

  equal({ texts, numbers }: Wanted): boolean {
    if (!this.#steps.take(LOOK_UP_STEPS * Math.min(this.list.length, texts.size))) return false;
    if (!texts.isDisjointFrom(this.#getTexts())) return true;
    if (numbers.size === 0) return false;
    this.#numbers ??= new Set(this.list.flatMap(({ kind, text }) => (kind === "number" ? toCanonical(text) : [])));
    return !numbers.isDisjointFrom(this.#numbers);
  }

  /** What is searched is one line, so it is never found across two values. */
  contain({ text }: Wanted): boolean {
    this.#searched ??= new SearchedText(this.list.map((value) => value.text).join("\n"));
    if (!this.#steps.take(text.length) || !this.#searched.mayHave(text)) return false;
    return this.#steps.take(this.#searched.text.length) && this.#searched.has(text);
  }

  begin({ text }: Wanted): boolean {
    return this.#steps.take(BEGIN_STEPS * this.list.length) && this.list.some((value) => value.text.startsWith(text));
  }

  /** Whether one of the values is the wanted one, or above it (`side` is 1) or below it (-1). */
  reach({ number, level }: Wanted, side: 1 | -1): boolean {
    if (number !== null) return this.#getEnds().some((end) => side * compareParsed(end, number) >= 0);
    const levels = INTENT_LEVELS.filter((_, place) => level !== -1 && side * (place - level) >= 0);
    return levels.some((each) => this.#getTexts().has(each));
  }

  #getTexts(): ReadonlySet<string> {
    return (this.#texts ??= new Set(this.list.map(({ text }) => text)));
  }

  /** The least and the greatest of the numbers; empty without any. */
  #getEnds(): readonly Decimal[] {
    if (this.#ends !== null) return this.#ends;
    const numbers = this.list
      .filter(({ kind, text }) => kind === "number" || isNumberText(text))
      .map(({ text }) => parseDecimal(text))
      .toSorted(compareParsed);
    this.#ends = [...numbers.slice(0, 1), ...numbers.slice(-1)];
    return this.#ends;
  }
}

import assert from "node:assert/strict";
import { describe, test } from "node:test";
import fc from "fast-check";
import {
  COMPARING_OPERATORS,
  CONDITION_OPERATORS,
  type Condition,
  type ConditionOperator,
  type Conditions,
  type FieldValue,
  LIST_OPERATORS,
  FieldValues,
  findUnmet,
  foldText,
  isMet as isMetBy,
  createSteps,
} from "./conditions.ts";

const toValue = (given: unknown): FieldValue => {
  const kind = typeof given === "number" ? "number" : typeof given === "boolean" ? "boolean" : "text";
  return { kind, text: foldText(String(given)) };
};
const toValues = (list: readonly FieldValue[]) => new FieldValues(list, createSteps());
const isMet = (condition: Condition, list: readonly FieldValue[]): boolean => isMetBy(condition, toValues(list));
const toCondition = (operator: ConditionOperator, value: string): Condition => {
  const comparing = COMPARING_OPERATORS.find((known) => known === operator);
  if (comparing !== undefined) return { field: "a", operator: comparing, value };
  const list = LIST_OPERATORS.find((known) => known === operator);
  if (list !== undefined) return { field: "a", operator: list, values: value.split("|") };
  return { field: "a", operator: operator === "known" ? "known" : "not_known" };
};

const TABLE: readonly (readonly [values: unknown[], operator: ConditionOperator, value: string, isMet: boolean])[] = [
  [["LinkedIn"], "is", "linkedin", true],
  [[" linkedin "], "is", "LINKEDIN ", true],
  [["linkedin-ads"], "is", "linkedin", false],
  [["e\u0301"], "is", "É", true],
  [["a", "Pricing"], "is", "pricing", true],
  [[], "is", "x", false],
  [[], "is_not", "x", true],
  [["a", "b"], "is_not", "b", false],
  [[50], "is", "50.0", true],
  [[50], "is", "5e1", true],
  [["50"], "is", "50.0", false],
  [[true], "is", "True", true],
  [["jane@Acme.example"], "contains", "@ACME.", true],
  [["crm integration", "pricing"], "contains", "crm", true],
  [[], "contains_not", "x", true],
  [[50], "at_least", "50", true],
  [[49.99], "at_least", "50", false],
  [["49,99"], "at_least", "1", false],
  [["120"], "at_least", "50", true],
  [["51 - 200"], "at_least", "50", false],
  [["high"], "at_least", "Medium", true],
  [["low"], "at_least", "medium", false],
  [["very high"], "at_least", "low", false],
  [[true], "at_least", "0", false],
  [[], "at_least", "0", false],
  [[50], "at_most", "50.0", true],
  [[50.01], "at_most", "50", false],
  [["-3"], "at_most", "0", true],
  [["medium"], "at_most", "High", true],
  [["high"], "at_most", "medium", false],
  [["very high"], "at_most", "high", false],
  [[], "at_most", "0", false],
  [["Enterprise plan"], "begins_with", " enterprise", true],
  [["The enterprise"], "begins_with", "enterprise", false],
  [["a", "https://x"], "begins_with", "HTTPS://", true],
  [[415], "begins_with", "41", true],
  [[], "begins_with", "x", false],
  [[], "begins_not", "x", true],
  [["LinkedIn"], "one_of", "google| linkedin", true],
  [["linkedin-ads"], "one_of", "google|linkedin", false],
  [["a", "b"], "one_of", "x|B", true],
  [[50], "one_of", "7|5e1", true],
  [["50"], "one_of", "7|50.0", false],
  [[true], "one_of", "yes|True", true],
  [[], "one_of", "a|b", false],
  [["a", "b"], "none_of", "x|b", false],
  [[], "none_of", "a|b", true],
  [["x"], "known", "", true],
  [[], "known", "", false],
  [[], "not_known", "", true],
];
for (const [values, operator, value, met] of TABLE) {
  test(`${JSON.stringify(values)} ${operator} ${JSON.stringify(value)} is ${met ? "met" : "not met"}`, () => {
    assert.equal(isMet(toCondition(operator, value), values.map(toValue)), met);
  });
}

test("digits that no float tells apart are told apart", () => {
  const order: FieldValue = { kind: "number", text: "9007199254740993" };
  assert.equal(isMet(toCondition("is", "9007199254740992"), [order]), false);
  assert.equal(isMet(toCondition("at_least", "9007199254740993.5"), [order]), false);
  assert.equal(isMet(toCondition("at_most", "9007199254740992.5"), [order]), false);
  assert.equal(isMet(toCondition("one_of", "9007199254740992|9007199254740994"), [order]), false);
});

/** Few of each, so that they meet. */
const word = fc.constantFrom("a", "A", " b", "ab", "5", "5.0", "7", "low", "high", "true", "é");
const fieldValue = fc
  .oneof(word, fc.constantFrom(5, 7, -0.5), fc.boolean())
  .map(toValue)
  .filter(({ text }) => text !== "");
const fields = fc.constantFrom("a", "b", "c");
const payload = fc.dictionary(fields, fc.array(fieldValue, { maxLength: 3 }));
const condition = fc
  .tuple(fields, fc.constantFrom(...CONDITION_OPERATORS), word)
  .map(([field, operator, value]): Condition => ({ ...toCondition(operator, value), field }));
const conditions = fc.record<Conditions>({
  join: fc.constantFrom("all", "any"),
  list: fc.array(condition, { minLength: 1, maxLength: 5 }),
});

const OPPOSITES = {
  is: "is_not",
  is_not: "is",
  contains: "contains_not",
  contains_not: "contains",
  begins_with: "begins_not",
  begins_not: "begins_with",
  one_of: "none_of",
  none_of: "one_of",
  known: "not_known",
  not_known: "known",
} as const;

type Opposable = Condition & { readonly operator: keyof typeof OPPOSITES };
const hasOpposite = (given: Condition): given is Opposable => given.operator in OPPOSITES;
const negate = (given: Opposable): Condition => ({ ...given, operator: OPPOSITES[given.operator] }) as Condition;

const isWanted = (given: Conditions | null, event: Readonly<Record<string, readonly FieldValue[]>>): boolean =>
  findUnmet(given, (field) => toValues(event[field] ?? [])).length === 0;

describe("for all conditions and payloads", () => {
  test("an operator and its opposite never agree", () => {
    fc.assert(
      fc.property(condition.filter(hasOpposite), fc.array(fieldValue, { maxLength: 3 }), (given, values) => {
        assert.notEqual(isMet(given, values), isMet(negate(given), values));
      }),
    );
  });

  test("not all of them is any of their opposites", () => {
    const list = fc.array(condition.filter(hasOpposite), { minLength: 1, maxLength: 5 });
    fc.assert(
      fc.property(list, payload, (given, event) => {
        const all: Conditions = { join: "all", list: given };
        const any: Conditions = { join: "any", list: given.map(negate) };
        assert.notEqual(isWanted(all, event), isWanted(any, event));
      }),
    );
  });

  test("their order does not matter, nor does one that stands there twice", () => {
    fc.assert(
      fc.property(conditions, payload, ({ join, list }, event) => {
        const wanted = isWanted({ join, list }, event);
        assert.equal(isWanted({ join, list: list.toReversed() }, event), wanted);
        assert.equal(isWanted({ join, list: [...list, ...list] }, event), wanted);
      }),
    );
  });

  test("those that kept an event away are the ones that are not met", () => {
    fc.assert(
      fc.property(conditions, payload, ({ join, list }, event) => {
        const unmet = findUnmet({ join, list }, (field) => toValues(event[field] ?? []));
        const failing = list.filter((each) => !isMet(each, event[each.field] ?? []));
        const isAway = join === "all" ? failing.length > 0 : failing.length === list.length;
        assert.deepEqual(unmet, isAway ? failing : []);
      }),
    );
  });

  test("one that holds for some text holds for it in every case and with space around it", () => {
    fc.assert(
      fc.property(word, word, fc.constantFrom(...CONDITION_OPERATORS), (text, wanted, operator) => {
        const [plain, other] = [text, ` ${text.toUpperCase()}\t`].map((each) => [toValue(each)]);
        const given = toCondition(operator, wanted);
        assert.equal(isMet(given, plain ?? []), isMet(given, other ?? []));
      }),
    );
  });
});

test("one of a list is met exactly when one of the same comparisons with is would be", () => {
  fc.assert(
    fc.property(fc.array(word, { minLength: 1, maxLength: 4 }), fc.array(fieldValue), (wanted, values) => {
      const isOne = wanted.some((each) => isMet(toCondition("is", each), values));
      assert.equal(isMet({ field: "a", operator: "one_of", values: wanted }, values), isOne);
    }),
  );
});

describe("all conditions of an account on one record", () => {
  const needle = `${"a".repeat(100)}b${"a".repeat(411)}`;
  const text = `${needle.slice(0, -1)}c`.repeat(128);

  test("look through 31 long texts that have all parts of what they search, and then at nothing more", () => {
    const values = toValues([toValue(text)]);
    const answers = Array.from({ length: 40 }, () => isMetBy(toCondition("contains", needle.slice(0, -1)), values));
    assert.equal(answers.filter(Boolean).length, 31);
    assert.equal(answers.indexOf(false), 31);
    assert.equal(isMetBy(toCondition("contains_not", needle.slice(0, -1)), values), true);
  });

  test("look through a transcript for thousands of words that are not in it", () => {
    const values = toValues([toValue("The quick brown fox jumps over the lazy dog. ".repeat(1_000))]);
    for (let n = 0; n < 10_000; n += 1)
      assert.equal(isMetBy(toCondition("contains", `salesforce ${n}`), values), false);
    assert.equal(isMetBy(toCondition("contains", "the lazy dog"), values), true);
  });

  test("compare long lists with long lists", () => {
    const values = toValues(Array.from({ length: 2_000 }, (_, n) => toValue(n)));
    const listed = Array.from({ length: 100 }, (_, n) => `${n + 10_000}`).join("|");
    for (let n = 0; n < 1_000; n += 1) assert.equal(isMetBy(toCondition("one_of", listed), values), false);
    assert.equal(isMetBy(toCondition("one_of", `${listed}|1999.0`), values), true);
  });
});

test("without conditions every event is wanted, and no field is read", () => {
  assert.deepEqual(
    findUnmet(null, () => assert.fail("read a field")),
    [],
  );
});

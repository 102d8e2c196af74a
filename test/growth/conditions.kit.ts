/**
 * Conditions and payloads made at random, which grow together, with all operators. Much of them almost fits: it is
 * built of one thing again and again.
 */
import fc from "fast-check";
import {
  COMPARING_OPERATORS,
  type Condition,
  CONDITION_OPERATORS,
  LIST_OPERATORS,
} from "../../src/domain/conditions.ts";
import type { Payload } from "../../src/events/payload.ts";
import { type OfSize, repeats } from "./schemas.kit.ts";
import { times } from "./work.ts";

export interface GrownConditions {
  readonly list: OfSize<readonly Condition[]>;
  readonly payload: OfSize<Payload>;
}

const ITEMS_PER_SIZE = 20;
const VALUE_CHARS_MAX = 512;

const isOneOf = <Name extends string>(list: readonly Name[], name: string): name is Name =>
  list.some((each) => each === name);

const fields = fc.constantFrom(
  ..."text text numbers numbers texts items[].name items[].a.b.c items deep.a.b none".split(" "),
  `items[].${"a.".repeat(20)}b`,
);

/** For which of the conditions, by the size and its number: many values, or one that is long. */
const wanted = fc.oneof(
  repeats.map((text) => (size: number) => text(size).slice(0, VALUE_CHARS_MAX)),
  repeats.map((text) => (size: number) => {
    const whole = text(size).slice(0, VALUE_CHARS_MAX - 1);
    return `${whole.slice(0, whole.length / 5)}b${whole.slice(whole.length / 5)}`;
  }),
  fc.constantFrom("high", "7", "0.5", "true", "name_3").map((value) => () => value),
);

const grownConditions = fc
  .record({ field: fields, operator: fc.constantFrom(...CONDITION_OPERATORS), value: wanted, isNumber: fc.boolean() })
  .map(({ field, operator, value, isNumber }) => (size: number, n: number): Condition => {
    if (isOneOf(COMPARING_OPERATORS, operator)) return { field, operator, value: value(size) };
    if (!isOneOf(LIST_OPERATORS, operator)) return { field, operator };
    const toValue = (m: number): string => (isNumber ? `${1_000_000 + n * size + m}` : `name ${n} ${m}`);
    return { field, operator, values: times(size, toValue) };
  });

/** As many conditions on a longer record: more of them have a bound of their own (`growth.test.ts`). */
export const conditionCases: fc.Arbitrary<GrownConditions> = fc
  .record({
    kinds: fc.array(grownConditions, { minLength: 1, maxLength: 4 }),
    count: fc.constantFrom(1, 20, 100),
    text: repeats,
  })
  .map(({ kinds, count, text }) => ({
    list: (size) => times(count, (n) => kinds.map((toCondition) => toCondition(size, n))).flat(),
    payload(size) {
      const list = <Value>(toValue: (n: number) => Value) => times(ITEMS_PER_SIZE * size, toValue);
      return {
        text: text(size),
        numbers: list((n) => n + 0.5),
        texts: list((n) => `name_${n}`),
        items: list((n) => ({ name: `Name ${n}`, a: { b: { c: n } } })),
        deep: { a: { b: list((n) => (n % 2 === 0 ? null : `${n}`)) } },
      };
    },
  }));

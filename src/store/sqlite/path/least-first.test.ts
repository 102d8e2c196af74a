import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { leastFirst } from "./least-first.ts";

const isBefore = (one: number, other: number): boolean => one < other;

test("gives every number, the least first", () => {
  fc.assert(
    fc.property(fc.array(fc.nat({ max: 50 }), { maxLength: 200 }), (numbers) => {
      assert.deepEqual(
        [...leastFirst(Uint32Array.from(numbers), isBefore)],
        numbers.toSorted((one, other) => one - other),
      );
    }),
  );
});

test("nobody who asks for one waits for the whole, in whatever order the numbers come", () => {
  const count = 65_536;
  const orders: readonly ((place: number) => number)[] = [
    (place) => place,
    (place) => count - place,
    (place) => Math.imul(place, 40_503) % count,
  ];
  for (const order of orders) {
    let compared = 0;
    const counting = (one: number, other: number): boolean => {
      compared += 1;
      return one < other;
    };
    const numbers = leastFirst(
      Uint32Array.from({ length: count }, (_, place) => order(place)),
      counting,
    );
    numbers.next();
    assert.ok(compared <= 2.1 * count, `${compared} comparisons before the first`);
    compared = 0;
    numbers.next();
    assert.ok(compared <= 2 * 16, `${compared} comparisons for the second`);
  }
});

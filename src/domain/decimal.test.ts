import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { compareDecimals, isWhole, toCanonical } from "./decimal.ts";

const ORDERED: string[][] = [
  ["-1e400"],
  ["-100.00000000000000001"],
  ["-1E2", "-100", "-100.000"],
  ["-1e-400"],
  ["0", "-0", "-0.0", "0e999", "0E-999999999999999999999"],
  ["1e-400"],
  ["0.1000000000000000055"],
  ["0.10000000000000001"],
  ["1", "1.0", "0.1e1", "10e-1", "1E+0"],
  ["99.99999999999999999"],
  ["100", "1E2", "1e+2", "100.0"],
  ["100.00000000000000001"],
  ["9007199254740992"],
  ["9007199254740993"],
  ["1e400"],
  [`1e1${"0".repeat(400)}`],
].map((same) => same.toSorted());

test("orders numbers by their digits, however they are written", () => {
  const all = ORDERED.flatMap((same, rank) => same.map((number) => ({ number, rank })));
  for (const one of all) {
    for (const other of all) {
      const compared = compareDecimals(one.number, other.number);
      assert.ok(Math.sign(compared) === Math.sign(one.rank - other.rank), `${one.number} and ${other.number}`);
    }
  }
});

test("one text stands for all spellings of a number, and for no other number", () => {
  assert.deepEqual(
    ORDERED.map((same) => new Set(same.map(toCanonical)).size),
    ORDERED.map(() => 1),
  );
  assert.equal(new Set(ORDERED.flat().map(toCanonical)).size, ORDERED.length);
});

test("agrees with whole numbers of any size", () => {
  fc.assert(
    fc.property(fc.bigInt(), fc.bigInt(), fc.nat(9), (one, other, zeros) => {
      const written = [`${one}`, `${other}.${"0".repeat(zeros + 1)}`] as const;
      assert.equal(Math.sign(compareDecimals(...written)), one < other ? -1 : Number(one > other));
    }),
  );
});

test("finds a negative number the same as itself, by a zero without a sign", () => {
  assert.equal(compareDecimals("-5", "-5.0"), 0);
});

for (const number of ["0", "-0.000", "0e-5", "1.0", "1.5e1", "100e-2", "9007199254740993", "1e400"]) {
  test(`takes ${number} for a whole number`, () => assert.equal(isWhole(number), true));
}
for (const number of ["0.5", "1.00000000000000000001", "1e-1", "15e-1", "1e-400"]) {
  test(`takes ${number} for a fraction`, () => assert.equal(isWhole(number), false));
}

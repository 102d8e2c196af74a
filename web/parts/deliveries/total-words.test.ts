import assert from "node:assert/strict";
import { test } from "node:test";
import { totalInWords } from "./total-words.ts";

test("one page counts itself; a longer list says what the service counted, and that it was cut", () => {
  const words = (rows: number, isOnePage: boolean, total?: { count: number; isWhole: boolean }) =>
    totalInWords({ rows, isOnePage, total });
  assert.equal(words(0, true), "0 deliveries");
  assert.equal(words(1, true), "1 delivery");
  assert.equal(words(50, false), "");
  assert.equal(words(50, false, { count: 1_204, isWhole: true }), "1,204 deliveries");
  assert.equal(words(50, false, { count: 10_000, isWhole: false }), "At least 10,000");
  assert.equal(words(50, false, { count: 3, isWhole: false }), "At least 50");
});

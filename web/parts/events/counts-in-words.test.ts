import assert from "node:assert/strict";
import { test } from "node:test";
import { deliveryCounts } from "./counts-in-words.ts";

for (const [total, delivered, failed, words, tone] of [
  [0, 0, 0, "None", "quiet"],
  [1, 1, 0, "1 delivered", "ok"],
  [3, 3, 0, "3 delivered", "ok"],
  [2, 0, 0, "2 not delivered", "quiet"],
  [2, 1, 0, "1 of 2 delivered", "quiet"],
  [2, 1, 1, "1 of 2 failed", "bad"],
  [2, 0, 2, "2 failed", "bad"],
] as const) {
  test(`${total} deliveries, ${delivered} delivered and ${failed} failed are "${words}"`, () =>
    assert.deepEqual(deliveryCounts({ total, delivered, failed }), { words, tone }));
}

import assert from "node:assert/strict";
import { test } from "node:test";
import type { HealthWord } from "../../../src/dashboard/contract/destinations.ts";
import { shareInWords, successInWords, sumOverdue } from "./success.ts";

const waits = (word: HealthWord, count: number, isCapped = false) => ({
  health: { word, waiting: { count, isCapped } },
});

test("what waits at an endpoint that fails or is off is overdue; what waits elsewhere is not", () => {
  const all = [waits("failing", 2_503), waits("off", 7, true), waits("paused", 100), waits("healthy", 3)];
  assert.deepEqual(sumOverdue(all), { count: 2_510, isCapped: true });
  assert.deepEqual(sumOverdue([waits("unsteady", 4)]), { count: 0, isCapped: false });
});

test("where more is overdue than was counted, the share is a bound and says so", () => {
  assert.equal(shareInWords(0.909, true), "under 90.9 %");
  assert.equal(shareInWords(0.909, false), "90.9 %");
  assert.equal(shareInWords(0, true), "0 %");
  assert.equal(shareInWords(null, true), null);
});

test("a destination whose backlog is larger than what is counted does not look better than it is", () => {
  const many = { waiting: { count: 10_000, isCapped: true }, successRate: 0.5 };
  assert.equal(successInWords({ ...many, word: "failing" }), "under 50 %");
  assert.equal(successInWords({ ...many, word: "off" }), "under 50 %");
  assert.equal(successInWords({ ...many, word: "paused" }), "50 %", "what a person has paused is not overdue");
  assert.equal(successInWords({ ...many, word: "failing", successRate: null }), "–");
});

/** The words of "Send what waits now", from the press to its end. */
import assert from "node:assert/strict";
import { test } from "node:test";
import type { DestinationHealthView } from "../../../src/dashboard/contract/destinations.ts";
import { sendLabel, sendingWords } from "./sending-words.ts";

const health = (count: number, failedAtMs: number | null = 1, isCapped = false): DestinationHealthView => ({
  word: "failing",
  failingSinceMs: 1,
  lastFailure: failedAtMs === null ? null : { atMs: failedAtMs, code: "503" },
  waiting: { count, isCapped },
  nextAttemptAtMs: null,
  heldUntilMs: null,
  turnsOffAtMs: null,
  offReason: null,
  changed: null,
  successRate: null,
  lastDay: [],
});

const ROWS: readonly [now: DestinationHealthView, words: string][] = [
  [health(252), "252 on their way; one is tried first."],
  [health(12, null), "252 on their way; 12 left."],
  [health(0, null), "All 252 were sent."],
  [health(252, 2), "It failed again: 503. 252 still wait."],
];

for (const [now, words] of ROWS) {
  test(`says “${words}”`, () => assert.equal(sendingWords({ first: health(252), now }), words));
}

test("one alone is spoken of as one", () => {
  assert.equal(sendingWords({ first: health(1), now: health(1) }), "It is on its way.");
  assert.equal(sendingWords({ first: health(1), now: health(0) }), "What waited was sent.");
  assert.equal(sendingWords({ first: health(1), now: health(1, 2) }), "It failed again: 503. It still waits.");
});

test("a backlog that is larger than what is counted is spoken of as that", () => {
  const first = health(10_000, 1, true);
  assert.equal(sendingWords({ first, now: first }), "More than 10,000 on their way.");
  assert.equal(sendingWords({ first, now: health(9_000) }), "More than 10,000 on their way; 9,000 left.");
  assert.equal(sendingWords({ first, now: health(0) }), "Everything that waited was sent.");
  const failed = health(10_000, 2, true);
  assert.equal(sendingWords({ first, now: failed }), "It failed again: 503. More than 10,000 still wait.");
});

test("the button says how many it sends, also when there are more than were counted", () => {
  assert.equal(sendLabel(health(7)), "Send what waits now (7)");
  assert.equal(sendLabel(health(10_000, 1, true)), "Send what waits now (10,000+)");
});

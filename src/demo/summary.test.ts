/** When the demo's books agree, and when they do not. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { shortfalls } from "./summary.ts";
import type { TallyCounts } from "./tally.ts";

const COUNTS: TallyCounts = {
  accepted: 10,
  refused: 0,
  duplicates: 0,
  acceptedTwice: 0,
  verified: 10,
  byEvent: { demo_viewed: 6, chat_conversation_completed: 4 },
  repeats: 0,
  unverified: 0,
  missing: [],
  latenciesMs: [],
};

test("agree when everything accepted was delivered and verified", () => {
  assert.deepEqual(shortfalls(COUNTS, { accepted: 10, delivered: 10 }), []);
});

test("agree after a person has sent a delivery again from the dashboard", () => {
  assert.deepEqual(shortfalls({ ...COUNTS, repeats: 1 }, { accepted: 10, delivered: 11 }), []);
});

test("agree after an answer was lost and its delivery came again by itself", () => {
  assert.deepEqual(shortfalls({ ...COUNTS, repeats: 1 }, { accepted: 10, delivered: 10 }), []);
});

test("differ when one was not delivered, not verified, or delivered out of nowhere", () => {
  assert.notDeepEqual(shortfalls(COUNTS, { accepted: 11, delivered: 10 }), []);
  assert.notDeepEqual(shortfalls({ ...COUNTS, verified: 9 }, { accepted: 10, delivered: 10 }), []);
  assert.notDeepEqual(shortfalls(COUNTS, { accepted: 10, delivered: 11 }), []);
});

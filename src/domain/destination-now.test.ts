import assert from "node:assert/strict";
import { test } from "node:test";
import { type DestinationNow, noteAttempt } from "./destination-now.ts";
import { HEALTHY, GIVEN_UP_SCORE_MIN } from "./destination-health.ts";
import { daysMs } from "../lib/duration.ts";
import { NOT_NOTIFIED } from "./outage-notifications.ts";

const T0 = 1_790_000_000_000;

const savedAt = (setUpAtMs: number): DestinationNow => ({
  accountId: "acct-1",
  state: "on",
  offReason: null,
  health: HEALTHY,
  lastFailure: null,
  isDeleted: false,
  trialToken: null,
  ratePerSecond: null,
  isOneAtATime: false,
  nextDueAtMs: Infinity,
  setUpAtMs,
  ...NOT_NOTIFIED,
});

const GONE = {
  outcome: "response",
  status: 410,
  destinationOff: "gone",
  succeeded: false,
  startedAtMs: T0,
  nowMs: T0 + 100,
  isTrial: false,
  setUpAtMs: T0,
  holdUntilMs: null,
} as const;

test("a failure of settings that were replaced meanwhile changes nothing", () => {
  const before = savedAt(T0 + 50);
  assert.equal(noteAttempt(before, GONE), before);
});

test("a failure of the settings that hold now counts", () => {
  assert.equal(noteAttempt(savedAt(T0), GONE).state, "off");
});

for (const startedAtMs of [T0 - 3_600_000, T0 + 3_600_000]) {
  test(`a failure counts when a clock says that it began ${startedAtMs - T0} ms after its settings were saved`, () => {
    assert.equal(noteAttempt(savedAt(T0), { ...GONE, startedAtMs, nowMs: T0 + 100 }).state, "off");
  });
}

test("a fault of ours or of the operator's proxy turns nothing off, however long its destination has failed", () => {
  const health = {
    failingSinceMs: T0 - daysMs(5),
    failureScore: GIVEN_UP_SCORE_MIN,
    consecutiveOpens: 9,
    notBeforeMs: 0,
  };
  const before = { ...savedAt(T0), health };
  const attempt = { ...GONE, status: null, destinationOff: null };
  assert.equal(noteAttempt(before, { ...attempt, outcome: "proxy_error" }).state, "on");
  assert.equal(noteAttempt(before, { ...attempt, outcome: "internal_error" }).state, "on");
  assert.equal(noteAttempt(before, { ...attempt, outcome: "timeout" }).state, "off");
});

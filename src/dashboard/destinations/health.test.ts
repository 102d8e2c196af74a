import assert from "node:assert/strict";
import { test } from "node:test";
import { daysMs, hoursMs } from "../../lib/duration.ts";
import type { ReportedDestination } from "../../store/contract/destinations.ts";
import { START_MS } from "../../../test/kit/world/virtual-clock.ts";
import type { HealthWord } from "../contract/destinations.ts";
import { type HourFigures, toDestinationView } from "./health.ts";

const HOUR_AGO = START_MS - hoursMs(1);

function reported(changes: Partial<ReportedDestination> = {}): ReportedDestination {
  return {
    id: "dst_1",
    tags: [],
    url: "https://hook.example.com/in",
    owner: { kind: "alert", id: "alr_1", name: "Everyone", isDeleted: false },
    state: "on",
    offReason: null,
    failingSinceMs: null,
    failureScore: 0,
    isHeld: false,
    notBeforeMs: 0,
    nextDueAtMs: null,
    waiting: { count: 0, isCapped: false },
    oldestWaitingAtMs: null,
    lastFailure: null,
    lastChange: null,
    hasAttempts: true,
    ...changes,
  };
}

const hour = (succeeded: number, failed = 0, ended = 0): HourFigures => ({ succeeded, failed, ended });
const makeHealth = (changes: Partial<ReportedDestination>, lastDay: readonly HourFigures[] = []) =>
  toDestinationView(reported(changes), { lastDay, nowMs: START_MS }).health;

const FAILED = { failingSinceMs: HOUR_AGO, lastFailure: { atMs: HOUR_AGO, outcome: "response", status: 503 } };

type Row = [what: string, word: HealthWord, changes: Partial<ReportedDestination>, lastDay?: readonly HourFigures[]];

const WORDS: readonly Row[] = [
  ["nothing was attempted", "no_deliveries", { hasAttempts: false }],
  ["everything succeeds", "healthy", {}, [hour(500)]],
  ["one attempt failed just now", "healthy", { ...FAILED, failureScore: 1 }, [hour(500, 1)]],
  ["two failed in a row", "unsteady", { ...FAILED, failureScore: 2 }, [hour(500, 2)]],
  ["four failed in a row", "unsteady", { ...FAILED, failureScore: 4 }],
  ["five failed in a row", "failing", { ...FAILED, failureScore: 5 }],
  ["the breaker is open", "failing", { ...FAILED, failureScore: 8, isHeld: true }],
  ["it has just recovered from more", "unsteady", { failureScore: 6 }],
  ["95 in a hundred succeed", "healthy", {}, [hour(95, 5)]],
  ["94 in a hundred succeed", "unsteady", {}, [hour(94, 6)]],
  ["most failed long ago, and enough succeeded since", "healthy", {}, [hour(0, 500), hour(20)]],
  ["most failed long ago, and few were made since", "unsteady", {}, [hour(0, 500), hour(19)]],
  ["too few were made for a share of them", "healthy", {}, [hour(10, 9)]],
  ["somebody paused it while it failed", "paused", { ...FAILED, failureScore: 8, isHeld: true, state: "paused" }],
  ["it was turned off", "off", { ...FAILED, failureScore: 8, isHeld: true, state: "off", offReason: "failing" }],
  ["it was paused before its first delivery", "paused", { hasAttempts: false, state: "paused" }],
];

for (const [what, word, changes, lastDay = []] of WORDS) {
  test(`${word} when ${what}`, () => assert.equal(makeHealth(changes, lastDay).word, word));
}

test("it is turned off five days after the first failure of the run, if nothing changes", () => {
  assert.equal(makeHealth({ ...FAILED, nextDueAtMs: START_MS }).turnsOffAtMs, HOUR_AGO + daysMs(5));
  assert.equal(makeHealth(FAILED).turnsOffAtMs, null, "nothing waits that could fail");
  assert.equal(makeHealth({}).turnsOffAtMs, null);
  assert.equal(makeHealth({ ...FAILED, nextDueAtMs: START_MS, state: "off" }).turnsOffAtMs, null);
  assert.equal(makeHealth({ ...FAILED, nextDueAtMs: START_MS, state: "paused" }).turnsOffAtMs, null);
});

test("the next attempt waits for its due time, for the destination, and for a person", () => {
  const soon = START_MS + 1_000;
  const later = START_MS + 60_000;
  assert.equal(makeHealth({ nextDueAtMs: soon }).nextAttemptAtMs, soon);
  assert.equal(makeHealth({ nextDueAtMs: soon, notBeforeMs: later }).nextAttemptAtMs, later);
  assert.equal(makeHealth({ nextDueAtMs: HOUR_AGO }).nextAttemptAtMs, START_MS);
  assert.equal(makeHealth({ nextDueAtMs: soon, state: "paused" }).nextAttemptAtMs, null);
  assert.equal(makeHealth({ nextDueAtMs: soon, state: "off" }).nextAttemptAtMs, null);
  assert.equal(makeHealth({ notBeforeMs: later }).nextAttemptAtMs, null);
});

test("what holds it back is said while it does", () => {
  assert.equal(makeHealth({ notBeforeMs: START_MS + 1 }).heldUntilMs, START_MS + 1);
  assert.equal(makeHealth({ notBeforeMs: START_MS }).heldUntilMs, null);
  assert.equal(makeHealth({ notBeforeMs: START_MS + 1, state: "paused" }).heldUntilMs, null);
});

test("the last failure is shown while it fails, and for one that is off; not after a success", () => {
  const [lastFailure] = [FAILED.lastFailure];
  assert.deepEqual(makeHealth(FAILED).lastFailure, { atMs: HOUR_AGO, code: "503" });
  assert.equal(makeHealth({ lastFailure }).lastFailure, null);
  assert.deepEqual(makeHealth({ lastFailure, state: "off" }).lastFailure, { atMs: HOUR_AGO, code: "503" });
  const timeout = { atMs: HOUR_AGO, outcome: "timeout", status: null };
  assert.equal(makeHealth({ ...FAILED, lastFailure: timeout }).lastFailure?.code, "timeout");
});

test("who paused it is said while it is paused or off", () => {
  const lastChange = { atMs: HOUR_AGO, actor: "ana@example.com", reason: "paused" };
  const changed = { by: "ana@example.com", atMs: HOUR_AGO, reason: "paused" };
  assert.deepEqual(makeHealth({ lastChange, state: "paused" }).changed, changed);
  assert.equal(makeHealth({ lastChange }).changed, null);
});

test("the success rate is of deliveries that ended, and only of twenty or more", () => {
  assert.equal(makeHealth({}, [hour(18, 300, 1)]).successRate, null);
  assert.equal(makeHealth({}, [hour(10, 300, 0), hour(5, 0, 5)]).successRate, 0.75);
});

test("what waits at an endpoint that fails or is off counts as not delivered, and what is paused does not", () => {
  const waiting = { count: 30, isCapped: false };
  const day = [hour(10)];
  assert.equal(makeHealth({ ...FAILED, failureScore: 5, waiting }, day).successRate, 0.25);
  assert.equal(makeHealth({ state: "off", offReason: "gone", waiting }, day).successRate, 0.25);
  assert.equal(makeHealth({ ...FAILED, failureScore: 5, state: "paused", waiting }, day).successRate, null);
  assert.equal(makeHealth({ waiting }, [hour(20)]).successRate, 1);
});

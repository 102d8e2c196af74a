import assert from "node:assert/strict";
import { test } from "node:test";
import { secondsMs } from "../lib/duration.ts";
import { createPollSchedule } from "./poll-schedule.ts";

const POLL_MS = secondsMs(1);

/** A poll schedule whose two clocks the test sets. */
function createClocks() {
  const clocks = { wallMs: 1_000_000, monotonicMs: 0 };
  const polls = createPollSchedule({ nowMs: () => clocks.wallMs, monotonicMs: () => clocks.monotonicMs }, POLL_MS);
  const pass = (ms: number): void => {
    clocks.wallMs += ms;
    clocks.monotonicMs += ms;
  };
  return { clocks, polls, pass };
}

test("the first poll is at once, and the next one when the longest time between two has passed", () => {
  const { polls, pass } = createClocks();
  assert.equal(polls.isTime(), true);
  assert.deepEqual(polls.begin(), { claims: true, asksForNext: true }, "nothing is known yet");
  assert.equal(polls.isTime(), false);
  pass(POLL_MS - 1);
  assert.equal(polls.isTime(), false);
  pass(1);
  assert.equal(polls.isTime(), true);
  assert.deepEqual(polls.begin(), { claims: false, asksForNext: true }, "it is enough to ask");
});

test("a poll that only time has brought claims after five seconds, and one that is due or nudged at once", () => {
  const { clocks, polls, pass } = createClocks();
  const poll = (): boolean => {
    pass(POLL_MS);
    return polls.begin().claims;
  };
  assert.deepEqual([1, 2, 3, 4, 5, 6].map(poll), [true, false, false, false, false, true]);
  polls.noteDue(clocks.wallMs + 1);
  assert.equal(poll(), true);
  assert.equal(poll(), false);
  polls.nudge();
  assert.equal(poll(), true);
});

test("the earliest of several due times makes it time", () => {
  const { clocks, polls, pass } = createClocks();
  polls.begin();
  for (const inMs of [500, 200, 900]) polls.noteDue(clocks.wallMs + inMs);
  pass(199);
  assert.equal(polls.isTime(), false);
  pass(1);
  assert.equal(polls.isTime(), true);
});

test("a nudge makes it time once, and what is known about the next due time stays known", () => {
  const { clocks, polls, pass } = createClocks();
  polls.begin();
  polls.noteDue(clocks.wallMs + 500);
  polls.nudge();
  assert.equal(polls.isTime(), true);
  assert.deepEqual(polls.begin(), { claims: true, asksForNext: false }, "the store need not be asked again");
  assert.equal(polls.isTime(), false);
  pass(500);
  assert.equal(polls.isTime(), true);
});

test("a nudge or a due time that comes during a look is not lost", () => {
  const { clocks, polls } = createClocks();
  polls.begin();
  polls.nudge();
  polls.noteDue(clocks.wallMs + 5_000);
  assert.equal(polls.isTime(), true);
});

test("a clock that jumps ahead makes it time at once; one that is set back delays by the longest time at most", () => {
  const { clocks, polls, pass } = createClocks();
  polls.begin();
  polls.noteDue(clocks.wallMs + secondsMs(3_600));
  clocks.wallMs += secondsMs(3_600);
  assert.equal(polls.isTime(), true);
  polls.begin();
  polls.noteDue(clocks.wallMs + 100);
  clocks.wallMs -= secondsMs(3_600);
  pass(POLL_MS);
  assert.equal(polls.isTime(), true);
});

import assert from "node:assert/strict";
import { test } from "node:test";
import { secondsMs } from "../../lib/duration.ts";
import { createLookout } from "./lookout.ts";

const LOOK_MS = secondsMs(1);

/** A lookout whose two clocks the test sets. */
function createClocks() {
  const clocks = { wallMs: 1_000_000, monotonicMs: 0 };
  const lookout = createLookout({ nowMs: () => clocks.wallMs, monotonicMs: () => clocks.monotonicMs }, LOOK_MS);
  const pass = (ms: number): void => {
    clocks.wallMs += ms;
    clocks.monotonicMs += ms;
  };
  return { clocks, lookout, pass };
}

test("the first look is at once, and the next one when the longest time between two has passed", () => {
  const { lookout, pass } = createClocks();
  assert.equal(lookout.isTime(), true);
  assert.equal(lookout.begin(), true, "nothing is known yet");
  assert.equal(lookout.isTime(), false);
  pass(LOOK_MS - 1);
  assert.equal(lookout.isTime(), false);
  pass(1);
  assert.equal(lookout.isTime(), true);
  assert.equal(lookout.begin(), true);
});

test("the earliest of several due times makes it time", () => {
  const { clocks, lookout, pass } = createClocks();
  lookout.begin();
  for (const inMs of [500, 200, 900]) lookout.noteDue(clocks.wallMs + inMs);
  pass(199);
  assert.equal(lookout.isTime(), false);
  pass(1);
  assert.equal(lookout.isTime(), true);
});

test("a nudge makes it time once, and what is known about the next due time stays known", () => {
  const { clocks, lookout, pass } = createClocks();
  lookout.begin();
  lookout.noteDue(clocks.wallMs + 500);
  lookout.nudge();
  assert.equal(lookout.isTime(), true);
  assert.equal(lookout.begin(), false, "the store need not be asked again");
  assert.equal(lookout.isTime(), false);
  pass(500);
  assert.equal(lookout.isTime(), true);
});

test("a nudge or a due time that comes during a look is not lost", () => {
  const { clocks, lookout } = createClocks();
  lookout.begin();
  lookout.nudge();
  lookout.noteDue(clocks.wallMs + 5_000);
  assert.equal(lookout.isTime(), true);
});

test("a clock that jumps ahead makes it time at once; one that is set back delays by the longest time at most", () => {
  const { clocks, lookout, pass } = createClocks();
  lookout.begin();
  lookout.noteDue(clocks.wallMs + secondsMs(3_600));
  clocks.wallMs += secondsMs(3_600);
  assert.equal(lookout.isTime(), true);
  lookout.begin();
  lookout.noteDue(clocks.wallMs + 100);
  clocks.wallMs -= secondsMs(3_600);
  pass(LOOK_MS);
  assert.equal(lookout.isTime(), true);
});

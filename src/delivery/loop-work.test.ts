import assert from "node:assert/strict";
import { test } from "node:test";
import { createVirtualClock } from "../../test/kit/world/virtual-clock.ts";
import { createLoopWork } from "./loop-work.ts";

test("a node is as busy as in its latest window, and not as in the pause before it", async () => {
  const clock = createVirtualClock();
  const measures = [1, 0.6, 0.4, 0.9];
  const work = createLoopWork(clock, () => measures.shift() ?? 1);
  assert.equal(work(), 0, "the first measure is of everything before");
  await clock.advance(100);
  assert.equal(work(), 0.6);
  await clock.advance(50);
  assert.equal(work(), 0.6, "the same window");
  await clock.advance(50);
  assert.equal(work(), 0.4);
  await clock.advance(60_000);
  assert.equal(work(), 0, "a measure of a minute says nothing about now");
});

import assert from "node:assert/strict";
import { test } from "node:test";
import type { Clock } from "../../lib/clock.ts";
import { createSpanTime } from "./span.ts";

test("is as fine as the monotonic clock, and follows the wall clock when that is set", () => {
  let [wallMs, monotonicMs] = [1_000_000, 5];
  const clock: Clock = { nowMs: () => wallMs, monotonicMs: () => monotonicMs, after: () => () => {} };
  const now = createSpanTime(clock);
  monotonicMs += 0.25;
  assert.equal(now(), 1_000_000.25);
  [wallMs, monotonicMs] = [wallMs + 20, monotonicMs + 20.5];
  assert.equal(now(), 1_000_020.75);
  wallMs -= 60_000;
  assert.equal(now(), wallMs);
});

import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { daysMs, hoursMs } from "../lib/duration.ts";
import { RETRY_SCHEDULE, attemptsMax, retryDelayMs } from "./retry-schedule.ts";

const DECIDED_SECONDS = [5, 300, 1_800, 7_200, 18_000, 36_000, 50_400, 72_000, 86_400];

test("ten attempts are made", () => {
  assert.equal(attemptsMax(RETRY_SCHEDULE), 10);
  assert.equal(retryDelayMs(RETRY_SCHEDULE, 10, 0.5), null);
});

for (const [index, seconds] of DECIDED_SECONDS.entries()) {
  test(`attempt ${index + 2} follows ${seconds} s after attempt ${index + 1}, ±20 %`, () => {
    assert.equal(retryDelayMs(RETRY_SCHEDULE, index + 1, 0.5), seconds * 1000);
    assert.equal(retryDelayMs(RETRY_SCHEDULE, index + 1, 0), seconds * 800);
    fc.assert(
      fc.property(fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }), (unit) => {
        const delayMs = retryDelayMs(RETRY_SCHEDULE, index + 1, unit) ?? Number.NaN;
        assert.ok(delayMs >= seconds * 800 && delayMs <= seconds * 1200, `${delayMs} ms`);
      }),
    );
  });
}

test("the whole schedule takes about 3.2 days", () => {
  const totalMs = RETRY_SCHEDULE.delaysMs.reduce((sum, delayMs) => sum + delayMs, 0);
  assert.ok(Math.abs(totalMs - daysMs(3.2)) < hoursMs(2), `${totalMs / daysMs(1)} days`);
});

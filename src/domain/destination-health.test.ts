import assert from "node:assert/strict";
import { test } from "node:test";
import { isDeepStrictEqual } from "node:util";
import fc from "fast-check";
import { daysMs, minutesMs, secondsMs } from "../lib/duration.ts";
import {
  type DestinationHealth,
  HEALTHY,
  afterAttempt,
  isGivenUp,
  isOpen,
  isUnstrained,
} from "./destination-health.ts";

const NOW = 1_790_000_000_000;
const failed = { succeeded: false, isProbe: false, startedAtMs: NOW, nowMs: NOW, holdUntilMs: null };
const succeeded = { ...failed, succeeded: true };

function afterAll(...attempts: Parameters<typeof afterAttempt>[1][]): DestinationHealth {
  return attempts.reduce(afterAttempt, HEALTHY);
}

const failures = (count: number) => Array.from({ length: count }, () => failed);

test("seven failures in a row leave the breaker closed, the eighth opens it for 30 s", () => {
  assert.equal(isOpen(afterAll(...failures(7))), false);
  const open = afterAll(...failures(8));
  assert.equal(isOpen(open), true);
  assert.equal(open.notBeforeMs, NOW + secondsMs(30));
});

test("three failures for each success open it, three successes for each failure never do", () => {
  const mostlyFailing = Array.from({ length: 10 }, () => [failed, failed, failed, succeeded]).flat();
  const mostlyFine = Array.from({ length: 100 }, () => [succeeded, succeeded, succeeded, failed]).flat();
  assert.equal(isOpen(mostlyFailing.slice(0, 16).reduce(afterAttempt, HEALTHY)), false);
  assert.ok(mostlyFailing.some((_, end) => isOpen(mostlyFailing.slice(0, end).reduce(afterAttempt, HEALTHY))));
  assert.equal(isOpen(mostlyFine.reduce(afterAttempt, HEALTHY)), false);
});

test("each probe that fails doubles the rest, up to 15 minutes", () => {
  let health = afterAll(...failures(8));
  const restsSeconds = [];
  for (let probe = 0; probe < 7; probe += 1) {
    health = afterAttempt(health, { ...failed, isProbe: true });
    restsSeconds.push((health.notBeforeMs - NOW) / 1000);
  }
  assert.deepEqual(restsSeconds, [60, 120, 240, 480, 900, 900, 900]);
});

test("failures that were under way when it opened do not lengthen the rest", () => {
  assert.deepEqual(afterAll(...failures(8)).notBeforeMs, afterAll(...failures(30)).notBeforeMs);
});

test("a probe that succeeds makes the destination healthy at once", () => {
  assert.deepEqual(afterAttempt(afterAll(...failures(20)), { ...succeeded, isProbe: true }), HEALTHY);
});

test("Retry-After holds the destination back, longer than a rest if it says so", () => {
  const holdUntilMs = NOW + minutesMs(20);
  assert.equal(afterAll({ ...failed, holdUntilMs }).notBeforeMs, holdUntilMs);
  assert.equal(afterAll(...failures(7), { ...failed, holdUntilMs }).notBeforeMs, holdUntilMs);
});

test("a Retry-After from before outlasts a shorter rest", () => {
  const holdUntilMs = NOW + minutesMs(20);
  const open = afterAll({ ...failed, holdUntilMs }, ...failures(7));
  assert.deepEqual([isOpen(open), open.notBeforeMs], [true, holdUntilMs]);
});

test("a success of an attempt that was under way does not lift what Retry-After asked for", () => {
  const holdUntilMs = NOW + minutesMs(20);
  assert.equal(afterAll({ ...failed, holdUntilMs }, succeeded).notBeforeMs, holdUntilMs);
});

test("a destination is given up after five days without a success, counted from the first failure", () => {
  const health = afterAll(failed, { ...failed, startedAtMs: NOW + daysMs(4) });
  assert.equal(isGivenUp(health, NOW + daysMs(5) - 1), false);
  assert.equal(isGivenUp(health, NOW + daysMs(5)), true);
  assert.equal(isGivenUp(afterAll(failed, succeeded), NOW + daysMs(9)), false);
});

const anyHealth = fc
  .array(fc.record({ succeeded: fc.boolean(), isProbe: fc.boolean(), holdUntilMs: fc.constantFrom(null, NOW + 1) }))
  .map((history) => history.map((step) => ({ ...failed, ...step })).reduce(afterAttempt, HEALTHY));

test("whatever happens, one success after it leaves no open breaker", () => {
  fc.assert(fc.property(anyHealth, (health) => assert.equal(isOpen(afterAttempt(health, succeeded)), false)));
});

test("a success changes nothing of a destination that is unstrained, and something of any other", () => {
  fc.assert(
    fc.property(anyHealth, (health) => {
      assert.equal(isUnstrained(health), isDeepStrictEqual(afterAttempt(health, succeeded), health));
    }),
  );
});

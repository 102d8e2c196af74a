import assert from "node:assert/strict";
import { test } from "node:test";
import { isDeepStrictEqual } from "node:util";
import fc from "fast-check";
import { hoursMs, minutesMs, secondsMs } from "../lib/duration.ts";
import {
  type DestinationHealth,
  HEALTHY,
  afterAttempt,
  findGivenUpMs,
  forgetOldRun,
  isGivenUp,
  isOpen,
  hasCleanRecord,
} from "./destination-health.ts";

const NOW = 1_790_000_000_000;
const failed = { succeeded: false, isTrial: false, startedAtMs: NOW, nowMs: NOW, holdUntilMs: null };
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

test("each trial that fails doubles the rest, up to 15 minutes", () => {
  let health = afterAll(...failures(8));
  const restsSeconds = [];
  for (let trial = 0; trial < 7; trial += 1) {
    health = afterAttempt(health, { ...failed, isTrial: true });
    restsSeconds.push((health.notBeforeMs - NOW) / 1000);
  }
  assert.deepEqual(restsSeconds, [60, 120, 240, 480, 900, 900, 900]);
});

test("failures that were under way when it opened do not lengthen the rest", () => {
  assert.deepEqual(afterAll(...failures(8)).notBeforeMs, afterAll(...failures(30)).notBeforeMs);
});

test("a trial that succeeds makes the destination healthy at once", () => {
  assert.deepEqual(afterAttempt(afterAll(...failures(20)), { ...succeeded, isTrial: true }), HEALTHY);
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

interface Course {
  readonly health: DestinationHealth;
  /** Of the last failure, as its destination's row keeps it. */
  readonly lastFailureAtMs: number | null;
  /** When it was given up; `null` when it was not. */
  readonly givenUpAtMs: number | null;
}

const UNTRIED: Course = { health: HEALTHY, lastFailureAtMs: null, givenUpAtMs: null };

/** As `noteAttempt` does: a failure, or a success where it says so, at each of these hours. */
function course(steps: readonly Step[]): Course {
  return steps.reduce(({ health, lastFailureAtMs, givenUpAtMs }, { hours, isSuccess = false }) => {
    const atMs = NOW + hoursMs(hours);
    const own = forgetOldRun(health, { lastFailureAtMs, startedAtMs: atMs });
    const after = afterAttempt(own, { ...failed, succeeded: isSuccess, startedAtMs: atMs, nowMs: atMs });
    const givenUp = isGivenUp(after, atMs) ? atMs : null;
    return {
      health: after,
      lastFailureAtMs: isSuccess ? lastFailureAtMs : atMs,
      givenUpAtMs: givenUpAtMs ?? givenUp,
    };
  }, UNTRIED);
}

interface Step {
  readonly hours: number;
  readonly isSuccess?: boolean;
}

const failuresAt = (...hours: readonly number[]): Step[] => hours.map((each) => ({ hours: each }));
const every = (stepHours: number, count: number, fromHours = 0): Step[] =>
  failuresAt(...Array.from({ length: count }, (_, place) => fromHours + place * stepHours));
const burst = (count: number, atHours = 0): Step[] => every(0.01, count, atHours);
const success = (hours: number): Step => ({ hours, isSuccess: true });

const GIVING_UP: readonly [what: string, steps: readonly Step[], givenUpAtHours: number | null][] = [
  ["a failure each quarter of an hour for five days", every(0.25, 481), 120],
  ["the same, not a moment earlier", every(0.25, 480), null],
  ["ten failures, a month of silence, one failure", [...burst(10), ...failuresAt(720)], null],
  ["many failures at both ends of five days", [...burst(50), ...burst(50, 119), ...failuresAt(121)], null],
  ["many on the first day, and one on each later day", [...burst(16), ...every(24, 5, 24)], 120],
  ["one a day for nine days", every(24, 9), null],
  ["a day's silence asked for each time", every(28.8, 20), 15 * 28.8],
  ["a node that was down for a day", [...every(0.25, 200), ...every(0.25, 200, 74)], 120],
  ["a node that was down for two days", [...every(0.25, 200), ...every(0.25, 481, 98)], 98 + 120],
  ["a success on the fourth day", [...every(0.25, 384), success(96), ...every(0.25, 80, 96.25)], null],
  [
    "seven failures, a success, and nine in the five days after it",
    [...burst(7), success(0.5), ...every(14, 9, 1)],
    null,
  ],
  [
    "seven failures, a success, and ten in the five days after it",
    [...burst(7), success(0.5), ...every(14, 10, 1)],
    127,
  ],
  ["a clock a month ahead for an hour", [...every(0.25, 4, 720), ...every(0.25, 481, 2)], 122],
  ["a clock a month behind for an hour", [...every(0.25, 4, -720), ...every(0.25, 481, 2)], 122],
];

for (const [what, steps, givenUpAtHours] of GIVING_UP) {
  test(`is ${givenUpAtHours === null ? "not " : ""}given up: ${what}`, () => {
    const expected = givenUpAtHours === null ? null : NOW + hoursMs(givenUpAtHours);
    assert.equal(course(steps).givenUpAtMs, expected);
  });
}

test("it is only given up after ten failures without a success, never 30 hours apart, over five days", () => {
  const step = fc.record({ gapHours: fc.constantFrom(0.01, 1, 12, 24, 29, 31, 200), isSuccess: fc.boolean() });
  fc.assert(
    fc.property(fc.array(step, { maxLength: 60 }), (gaps) => {
      let hours = 0;
      const steps = gaps.map(({ gapHours, isSuccess }, place) => {
        hours += gapHours;
        return { hours, isSuccess: isSuccess && place % 16 === 0 };
      });
      for (const [place, { hours: endHours }] of steps.entries()) {
        if (course(steps.slice(0, place + 1)).givenUpAtMs !== NOW + hoursMs(endHours)) continue;
        const run = steps.slice(steps.slice(0, place).findLastIndex(({ isSuccess }) => isSuccess) + 1, place + 1);
        const begin = run.findLastIndex((each, index) => each.hours - (run[index - 1] ?? each).hours > 30);
        const unbroken = run.slice(Math.max(begin, 0));
        assert.ok(unbroken.length >= 10, `${unbroken.length} failures`);
        assert.ok(endHours - (unbroken[0]?.hours ?? 0) >= 120);
        return;
      }
    }),
  );
});

test("when it will be given up is said while attempts come often enough", () => {
  const at = (hours: number) => NOW + hoursMs(hours);
  const next = (failedHours: number, nextHours: number | null) =>
    findGivenUpMs(NOW, {
      lastFailureAtMs: at(failedHours),
      nextAttemptAtMs: nextHours === null ? null : at(nextHours),
    });
  assert.equal(next(10, 24), at(120));
  assert.equal(next(110, 130), at(130));
  assert.equal(next(10, 41), null);
  assert.equal(next(10, null), null);
  assert.equal(findGivenUpMs(null, { lastFailureAtMs: at(0), nextAttemptAtMs: at(1) }), null);
});

const anyHealth = fc
  .array(fc.record({ succeeded: fc.boolean(), isTrial: fc.boolean(), holdUntilMs: fc.constantFrom(null, NOW + 1) }))
  .map((history) => history.map((step) => ({ ...failed, ...step })).reduce(afterAttempt, HEALTHY));

test("whatever happens, one success after it leaves no open breaker", () => {
  fc.assert(fc.property(anyHealth, (health) => assert.equal(isOpen(afterAttempt(health, succeeded)), false)));
});

test("a success changes nothing of a destination with a clean record, and something of any other", () => {
  fc.assert(
    fc.property(anyHealth, (health) => {
      assert.equal(hasCleanRecord(health), isDeepStrictEqual(afterAttempt(health, succeeded), health));
    }),
  );
});

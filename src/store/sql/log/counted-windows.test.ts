import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { findBin } from "../../../domain/histogram.ts";
import { hoursMs, minutesMs } from "../../../lib/duration.ts";
import { type CountedPeriod, type CountedSegment, nextSegment, toRanges, toWindows } from "./counted-windows.ts";

const START = hoursMs(480_000);
const WEEK_MS = hoursMs(168);

interface Row {
  readonly createdAtMs: number;
  readonly tookMs: number;
  readonly tierMs: number;
}

const rows = fc.array(
  fc.record({
    createdAtMs: fc.integer({ min: START, max: START + WEEK_MS }),
    tookMs: fc.oneof(fc.integer({ min: 0, max: 5_000 }), fc.integer({ min: 0, max: hoursMs(72) })),
    tierMs: fc.constantFrom(minutesMs(1), minutesMs(15), hoursMs(1)),
  }),
  { maxLength: 60 },
);

const periodOf = ({ createdAtMs, tookMs, tierMs }: Row): number =>
  createdAtMs + tookMs - ((createdAtMs + tookMs) % tierMs);

const toPeriod = (row: Row, kind: CountedPeriod["kind"]): CountedPeriod => ({
  atMs: periodOf(row),
  kind,
  count: 1,
  bins: JSON.stringify({ [findBin(row.tookMs)]: 1 }),
});

function walk(periods: readonly CountedPeriod[], given: { knownFromMs: number; oldestMs: number }): CountedSegment[] {
  const windows = toWindows(periods);
  const segments: CountedSegment[] = [];
  let behindMs = START + 2 * WEEK_MS;
  for (;;) {
    const segment = nextSegment(behindMs, { ...given, windows, rows: 3, periodsMax: 24 });
    if (segment === null) return segments;
    assert.ok(segment.fromMs < segment.toMs && segment.toMs <= behindMs, "it goes back in time");
    segments.push(segment);
    behindMs = segment.fromMs;
  }
}

for (const kind of ["delivery", "attempt"] as const) {
  test(`each row that is counted as ${kind} is in a segment that names its period, whatever period that is`, () => {
    fc.assert(
      fc.property(rows, fc.integer({ min: START, max: START + WEEK_MS }), (all, knownFromMs) => {
        const periods = all.map((row) => toPeriod(row, kind)).filter(({ atMs }) => atMs >= knownFromMs - hoursMs(1));
        const segments = walk(periods, { knownFromMs, oldestMs: START });
        for (const row of all) {
          const { createdAtMs } = row;
          const segment = segments.find(({ fromMs, toMs }) => createdAtMs >= fromMs && createdAtMs < toMs);
          assert.ok(segment !== undefined, "a row is in no segment");
          assert.ok(segment.periods === null || segment.periods.includes(periodOf(row)), "its period is not named");
          assert.equal(segment.periods === null, createdAtMs < knownFromMs);
        }
      }),
    );
  });
}

test("where nothing is counted there is nothing to look through", () => {
  assert.deepEqual(walk([], { knownFromMs: START, oldestMs: START }), []);
  const [segment, ...others] = walk([], { knownFromMs: START + 9, oldestMs: START });
  assert.deepEqual(segment, { fromMs: START, toMs: START + 9, periods: null });
  assert.deepEqual(others, []);
});

test("one hour among a week is all that is looked through, and nothing after it", () => {
  const atMs = START + hoursMs(50);
  const bins = JSON.stringify({ [findBin(40)]: 1 });
  const segments = walk([{ atMs, kind: "delivery", count: 1, bins }], { knownFromMs: START, oldestMs: START });
  assert.equal(segments.length, 1);
  const [{ fromMs, toMs } = { fromMs: 0, toMs: Infinity }] = segments;
  assert.ok(toMs - fromMs <= hoursMs(1) + minutesMs(5));
});

test("periods that touch are one range, from the hour that their counts may be joined to", () => {
  assert.deepEqual(toRanges([START + hoursMs(1), START + minutesMs(59), START + hoursMs(9)]), [
    [START, START + hoursMs(2)],
    [START + hoursMs(9), START + hoursMs(10)],
  ]);
});

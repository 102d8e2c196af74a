import assert from "node:assert/strict";
import { test } from "node:test";
import { findBin, percentileMs, upperEdgeMs } from "./histogram.ts";

test("a duration lies in its bin: above the edge before it, up to its own", () => {
  for (let ms = 1.01; ms < 3e9; ms *= 1.013) {
    const bin = findBin(ms);
    assert.ok(ms <= upperEdgeMs(bin), `${ms} in ${bin}`);
    assert.ok(ms > upperEdgeMs(bin - 1), `${ms} in ${bin}`);
  }
});

test("an edge belongs to the bin that it ends, although logarithms are inexact", () => {
  for (let bin = 0; bin < 110; bin += 1) {
    assert.equal(findBin(upperEdgeMs(bin)), bin);
    assert.equal(findBin(upperEdgeMs(bin) * 1.000_001), bin + 1);
  }
});

test("nothing, less than nothing and no number count as no time; centuries end the histogram", () => {
  assert.deepEqual([0, -5, Number.NaN, 0.4, 1].map(findBin), [0, 0, 0, 0, 0]);
  assert.equal(findBin(Infinity), findBin(1e16));
});

test("a percentile is the edge of the bin in which its share is reached", () => {
  const counts = new Map([
    [findBin(1_000), 1],
    [findBin(10), 90],
    [findBin(100), 9],
  ]);
  assert.equal(percentileMs(counts, 0.5), upperEdgeMs(findBin(10)));
  assert.equal(percentileMs(counts, 0.9), upperEdgeMs(findBin(10)));
  assert.equal(percentileMs(counts, 0.91), upperEdgeMs(findBin(100)));
  assert.equal(percentileMs(counts, 0.99), upperEdgeMs(findBin(100)));
  assert.equal(percentileMs(counts, 1), upperEdgeMs(findBin(1_000)));
});

test("a percentile of many durations is at most a quarter too high, and never too low", () => {
  const durations = Array.from({ length: 1_000 }, (_, place) => 3 + ((place * 617) % 1_000) ** 1.5 / 10);
  const counts = new Map<number, number>();
  for (const ms of durations) counts.set(findBin(ms), (counts.get(findBin(ms)) ?? 0) + 1);
  const inOrder = durations.toSorted((one, other) => one - other);
  for (const share of [0.01, 0.5, 0.95, 0.99]) {
    const exact = inOrder[Math.ceil(1_000 * share) - 1] ?? assert.fail();
    const shown = percentileMs(counts, share);
    assert.ok(shown >= exact && shown <= exact * 1.25 + 1e-9, `${share}: ${shown} for ${exact}`);
  }
});

test("nothing has no percentile", () => {
  assert.throws(() => percentileMs(new Map(), 0.5), /percentile of nothing/);
});

/**
 * Durations in bins, so that percentiles of any number of them can be counted from a few small numbers, and counts of
 * many periods be added up. Bins are a factor of 1.25 wide: a percentile is shown at most 25 % too high, never too low,
 * and a millisecond to a month takes a hundred bins.
 *
 *     bin 0: up to 1 ms    bin 1: up to 1.25 ms    bin 2: up to 1.5625 ms    …
 */
import { assert } from "../lib/assert.ts";

const WIDTH = 1.25;

/** Some 300 years: a longer duration is a clock's fault. */
const BIN_MAX = 130;

/** A negative duration, after a clock was set back, counts as zero. */
export function findBin(ms: number): number {
  if (!(ms > 1)) return 0;
  const guess = Math.min(Math.ceil(Math.log(ms) / Math.log(WIDTH)), BIN_MAX);
  // The logarithm of an edge may round to its wrong side.
  if (guess > 0 && upperEdgeMs(guess - 1) >= ms) return guess - 1;
  return upperEdgeMs(guess) < ms ? Math.min(guess + 1, BIN_MAX) : guess;
}

/** The longest duration in the bin. */
export const upperEdgeMs = (bin: number): number => WIDTH ** bin;

/** The upper edge of the bin in which `share` (0.95 for the 95th percentile) of all durations are reached. */
export function percentileMs(counts: ReadonlyMap<number, number>, share: number): number {
  const total = [...counts.values()].reduce((sum, count) => sum + count, 0);
  assert(total > 0, "there is no percentile of nothing");
  const rank = Math.ceil(total * share);
  let reached = 0;
  for (const bin of [...counts.keys()].toSorted((one, other) => one - other)) {
    reached += counts.get(bin) ?? 0;
    if (reached >= rank) return upperEdgeMs(bin);
  }
  throw new Error(`a share of ${share} is above 1`);
}

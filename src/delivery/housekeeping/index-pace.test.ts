import assert from "node:assert/strict";
import { test } from "node:test";
import { type IndexStep, computeRestMs, IndexPace } from "./index-pace.ts";

const restOf = (step: Partial<IndexStep>): number =>
  Math.round(computeRestMs({ tookMs: 2, indexed: 32, busy: 0, comingPerSecond: 0, ...step }));

test("the rest grows with the loop's work, from three times the step to forty times", () => {
  for (const [busy, restMs] of [
    [0, 6],
    [0.01, 6],
    [0.05, 20],
    [0.1, 40],
    [0.2, 80],
    [0.4, 80],
  ] as const)
    assert.equal(restOf({ busy }), restMs, `busy for ${busy}`);
});

test("the index keeps up with what comes in, at a quarter of the time at most", () => {
  for (const [comingPerSecond, restMs] of [
    [10, 80],
    [250, 80],
    [500, 41],
    [1_000, 19],
    [2_000, 9],
    [5_000, 6],
  ] as const)
    assert.equal(restOf({ busy: 0.3, comingPerSecond }), restMs, `${comingPerSecond} a second`);
});

test("the index of a busy node falls behind", () => {
  for (const comingPerSecond of [0, 500, 20_000])
    assert.equal(restOf({ busy: 0.6, comingPerSecond }), 80, `${comingPerSecond} a second`);
});

test("no rest is longer than five seconds, however long a step has waited for the store", () => {
  for (const busy of [0, 0.3, 0.9])
    assert.equal(restOf({ tookMs: 20_000, busy, comingPerSecond: 10 }), 5_000, `busy for ${busy}`);
});

/** A node of that work in the loop, to which so many events a second come in; each step takes 2 ms. */
function runIndex({ busy, coming, behind, seconds }: Record<"busy" | "coming" | "behind" | "seconds", number>) {
  const pace = new IndexPace(() => busy);
  let [nowMs, missing, steps] = [0, behind, 0];
  while (nowMs < seconds * 1000) {
    const indexed = Math.min(32, Math.floor(missing));
    missing -= indexed;
    nowMs += 2;
    const restMs = pace.restMs({ indexed, tookMs: 2, endedMs: nowMs });
    const waitMs = missing >= 1 ? restMs : 1_000;
    nowMs += waitMs;
    const came = ((2 + waitMs) * coming) / 1000;
    pace.noteComing(came);
    missing += came;
    steps += 1;
  }
  return { missing, busyShare: (steps * 2) / nowMs };
}

test("an index that is behind catches up while events come in, and leaves the store to them", () => {
  const { missing, busyShare } = runIndex({ busy: 0.25, coming: 500, behind: 5_000, seconds: 30 });
  assert.ok(missing <= 2 * 500, `${missing} are missing`);
  assert.ok(busyShare < 0.05, `it took ${busyShare} of the time`);
});

test("an index that is behind takes a quarter of the time of a node with nothing else to do", () => {
  const { missing, busyShare } = runIndex({ busy: 0, coming: 0, behind: 200_000, seconds: 10 });
  assert.ok(busyShare > 0.24, `it took ${busyShare} of the time`);
  assert.ok(missing < 165_000, `${missing} are missing`);
});

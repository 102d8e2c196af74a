import assert from "node:assert/strict";
import { test } from "node:test";
import { createVirtualClock } from "../../test/kit/world/virtual-clock.ts";
import { secondsMs } from "../lib/duration.ts";
import { StoreUnavailable } from "../store/contract/store.ts";
import { createStoreCounts } from "./store-counts.ts";

const NOW_MS = Date.UTC(2026, 10, 21);

function countsWhere(answer: <Value>(value: Value) => Promise<Value>) {
  const clock = createVirtualClock(NOW_MS);
  const counts = createStoreCounts(
    {
      countWaiting: () => answer({ waiting: 3, oldestDueAtMs: NOW_MS - 1_500 }),
      countInbox: () => answer({ waiting: 2, oldestEmittedAtMs: null, refused: 0 }),
      countDestinations: () => answer({ on: 1, failing: 0, held: 0, paused: 0, off: 0 }),
    },
    clock,
  );
  return { clock, all: () => Promise.all([counts.waiting(), counts.inbox(), counts.destinations()]) };
}

test("ages are in seconds from now, and 0 where nothing waits", async () => {
  const { all } = countsWhere((value) => Promise.resolve(value));
  assert.deepEqual(await all(), [
    { waiting: 3, oldestDueAgeSeconds: 1.5 },
    { waiting: 2, oldestAgeSeconds: 0 },
    { on: 1, failing: 0, held: 0, paused: 0, off: 0 },
  ]);
});

test("a store that is away has nothing to count", async () => {
  const { all } = countsWhere(() => Promise.reject(new StoreUnavailable("away")));
  assert.deepEqual(await all(), [null, null, null]);
});

test("a store that answers nothing at all is not waited for", async () => {
  const { clock, all } = countsWhere(() => new Promise(() => {}));
  const asked = all();
  await clock.advance(secondsMs(3));
  assert.deepEqual(await asked, [null, null, null]);
});

test("a bug is told", async () => {
  const { all } = countsWhere(() => Promise.reject(new Error("a bug")));
  await assert.rejects(all(), /a bug/);
});

import assert from "node:assert/strict";
import { test } from "node:test";
import { createVirtualClock, settled } from "../../test/kit/world/virtual-clock.ts";
import { createBackOff, createRounds } from "./rounds.ts";

test("rounds follow each other as they ask for, are nudged, and end with the one that is under way", async () => {
  const clock = createVirtualClock();
  const startedMs: number[] = [];
  const waits = [0, 100, 1_000];
  const rounds = createRounds(clock, async () => {
    startedMs.push(clock.monotonicMs());
    await Promise.resolve();
    return waits.shift() ?? 10_000;
  });
  const firstMs = clock.monotonicMs();
  rounds.start();
  rounds.start();
  await settled();
  await clock.advance(500);
  assert.deepEqual(
    startedMs.map((atMs) => atMs - firstMs),
    [0, 0, 100],
    "0 goes on at once, 100 waits so long, and a second start adds no loop",
  );
  rounds.nudge();
  await settled();
  assert.equal(startedMs.length, 4, "a nudge ends the wait");
  await rounds.stop();
  await rounds.stop();
  await clock.advance(60_000);
  assert.equal(startedMs.length, 4);
});

test("waits double up to the longest, and begin anew; only a wait that had grown is worth cutting short", () => {
  const rest = createBackOff(1, 5);
  assert.deepEqual([rest.next(), rest.reset()], [1, false]);
  assert.deepEqual([rest.next(), rest.next(), rest.next(), rest.next(), rest.next()], [1, 2, 4, 5, 5]);
  assert.deepEqual([rest.reset(), rest.reset(), rest.next()], [true, false, 1]);
});

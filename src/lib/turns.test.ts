import assert from "node:assert/strict";
import { test } from "node:test";
import { mapInSlices } from "./rounds.ts";

/** A clock on which each piece takes `pieceMs`. */
function makeClock(pieceMs: number) {
  let nowMs = 0;
  return { monotonicMs: () => nowMs, work: (item: number) => ((nowMs += pieceMs), item * 2) };
}

async function turnsDuring(pieceMs: number, pieces: number) {
  const clock = makeClock(pieceMs);
  let turns = 0;
  let isDone = false;
  const count = (): void => {
    if (isDone) return;
    turns += 1;
    setImmediate(count);
  };
  setImmediate(count);
  const items = Array.from({ length: pieces }, (_, item) => item);
  const values = await mapInSlices(clock, items, clock.work);
  isDone = true;
  assert.deepEqual(
    values,
    items.map((item) => item * 2),
  );
  return turns;
}

test("long work lets others have the event loop between its pieces", async () => {
  assert.ok((await turnsDuring(6, 100)) >= 98);
});

test("short work is done in one turn", async () => {
  assert.equal(await turnsDuring(0.01, 400), 0);
});

test("what a piece throws ends the work", async () => {
  const fail = (): never => assert.fail("no");
  await assert.rejects(mapInSlices(makeClock(0), [1], fail), /no/);
});

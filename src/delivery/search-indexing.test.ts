import assert from "node:assert/strict";
import { test } from "node:test";
import { ACCOUNT, createWorld, session } from "../../test/kit/world/world.ts";
import { secondsMs } from "../lib/duration.ts";
import { createIndexing, type IndexStep, computePauseMs, IndexPace } from "./search-indexing.ts";

/** A node with events, and the instants of its steps. `takeMs` says how long a step takes. */
async function createBehind(events: number) {
  const world = await createWorld();
  await world.setUpAccount();
  const accept = (first: number, count: number) =>
    world.accept(...Array.from({ length: count }, (_, index) => session(first + index)));
  await accept(1, events);
  const steps: number[] = [];
  let stepMs = 0;
  let busy = 0;
  let fails = 0;
  const indexEvents: typeof world.store.indexEvents = async (params) => {
    steps.push(world.clock.monotonicMs());
    if (stepMs > 0) await new Promise<void>((resolve) => void world.clock.after(stepMs, resolve));
    if (fails > 0) {
      fails -= 1;
      throw new Error("the store is away");
    }
    return await world.store.indexEvents(params);
  };
  const indexing = createIndexing({ ...world.ctx, store: { indexEvents }, loopWork: () => busy });
  const find = async (): Promise<number> => {
    const wanted = { accountId: ACCOUNT, type: "demo_viewed", phrases: [["ada"]], before: null, limit: 1_000 } as const;
    return (await world.store.searchEvents({ ...wanted, nowMs: world.clock.nowMs() })).events.length;
  };
  const set = (parts: { stepMs?: number; busy?: number; fails?: number }) => {
    ({ stepMs = stepMs, busy = busy, fails = fails } = parts);
  };
  return { world, indexing, steps, find, accept, set };
}

test("a fresh event is found within a second", async () => {
  const { world, indexing, find, accept } = await createBehind(0);
  indexing.start();
  await world.clock.advance(100);
  await accept(1, 3);
  assert.equal(await find(), 0);
  await world.clock.advance(secondsMs(1));
  assert.equal(await find(), 3);
  await indexing.stop();
});

test("an index with nothing to take looks ever less often, and finds a fresh event as soon", async () => {
  const { world, indexing, steps, find, accept } = await createBehind(0);
  indexing.start();
  await world.clock.advance(0);
  await world.clock.advance(secondsMs(31));
  assert.deepEqual(steps, [0, 1, 3, 7, 15, 23, 31].map(secondsMs));
  await world.clock.advance(secondsMs(3));
  indexing.noteComing(3);
  await world.clock.advance(0);
  await accept(1, 3);
  await world.clock.advance(secondsMs(1));
  assert.equal(await find(), 3);
  await indexing.stop();
});

test("an index that is behind catches up in small steps, and pauses for three times as long as each took", async () => {
  const { world, indexing, steps, find, set } = await createBehind(400);
  set({ stepMs: 10 });
  indexing.start();
  await world.clock.advance(200);
  assert.deepEqual(steps, [0, 40, 80, 120]);
  assert.equal(await find(), 400);
  const stopped = indexing.stop();
  await world.clock.advance(20);
  await stopped;
});

test("indexing pauses longer while the node is busy", async () => {
  const { world, indexing, steps, set } = await createBehind(100);
  set({ stepMs: 10, busy: 0.9 });
  indexing.start();
  await world.clock.advance(830);
  assert.deepEqual(steps, [0, 410, 820]);
  const stopped = indexing.stop();
  await world.clock.advance(20);
  await stopped;
});

test("indexing keeps up with what comes in while the node has other work", async () => {
  const { world, indexing, steps, set } = await createBehind(2_000);
  set({ stepMs: 10, busy: 0.4 });
  const measured = async (comingPerSecond: number): Promise<number> => {
    const before = steps.length;
    for (let at = 0; at < 20; at += 1) {
      indexing.noteComing(comingPerSecond / 10);
      await world.clock.advance(100);
    }
    return steps.length - before;
  };
  indexing.start();
  assert.equal(await measured(0), 4, "a step of 10 ms, then a pause of 400");
  await measured(400);
  assert.equal(await measured(400), 38, "32 events each 53 ms are 600 a second");
  const stopped = indexing.stop();
  await world.clock.advance(20);
  await stopped;
});

test("indexing goes on after the store was away", async () => {
  const { world, indexing, find, set } = await createBehind(5);
  set({ fails: 1 });
  indexing.start();
  await world.clock.advance(10);
  assert.equal(await find(), 0);
  await world.clock.advance(secondsMs(5));
  assert.equal(await find(), 5);
  await indexing.stop();
});

const restOf = (step: Partial<IndexStep>): number =>
  Math.round(computePauseMs({ tookMs: 2, indexed: 32, busy: 0, comingPerSecond: 0, ...step }));

test("the pause grows with the loop's work, from three times the step to forty times", () => {
  for (const [busy, pauseMs] of [
    [0, 6],
    [0.01, 6],
    [0.05, 20],
    [0.1, 40],
    [0.2, 80],
    [0.4, 80],
  ] as const)
    assert.equal(restOf({ busy, comingPerSecond: 10 }), pauseMs, `busy for ${busy}`);
});

test("its own work does not keep the index from catching up where nothing comes in", () => {
  assert.deepEqual(
    [0.05, 0.19, 0.2].map((busy) => restOf({ busy })),
    [6, 6, 80],
  );
});

test("the index keeps up with what comes in, at a quarter of the time at most", () => {
  for (const [comingPerSecond, pauseMs] of [
    [10, 80],
    [250, 80],
    [500, 41],
    [1_000, 19],
    [2_000, 9],
    [5_000, 6],
  ] as const)
    assert.equal(restOf({ busy: 0.3, comingPerSecond }), pauseMs, `${comingPerSecond} a second`);
});

test("the index of a busy node falls behind", () => {
  for (const comingPerSecond of [0, 500, 20_000])
    assert.equal(restOf({ busy: 0.6, comingPerSecond }), 80, `${comingPerSecond} a second`);
});

test("no pause is longer than five seconds, however long a step has waited for the store", () => {
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
    const pauseMs = pace.pauseMs({ indexed, tookMs: 2, endedMs: nowMs });
    const waitMs = missing >= 1 ? pauseMs : 1_000;
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

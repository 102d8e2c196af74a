import assert from "node:assert/strict";
import { test } from "node:test";
import { ACCOUNT, createWorld, session } from "../../../test/kit/world/world.ts";
import { secondsMs } from "../../lib/duration.ts";
import { createIndexing } from "./indexing.ts";

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
  const indexing = createIndexing({ ...world.ctx, store: { indexEvents } }, { measureBusy: () => () => busy });
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

test("an index that is behind catches up in small steps, and rests for three times as long as each took", async () => {
  const { world, indexing, steps, find, set } = await createBehind(100);
  set({ stepMs: 10 });
  indexing.start();
  await world.clock.advance(200);
  assert.deepEqual(steps, [0, 40, 80, 120]);
  assert.equal(await find(), 100);
  const stopped = indexing.stop();
  await world.clock.advance(20);
  await stopped;
});

test("indexing rests longer while the node is busy", async () => {
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
  assert.equal(await measured(0), 4, "a step of 10 ms, then a rest of 400");
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

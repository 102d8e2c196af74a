import assert from "node:assert/strict";
import { test } from "node:test";
import { createWorld, session } from "../../test/kit/world/world.ts";
import { daysMs } from "../lib/duration.ts";
import { createHousekeeping } from "./housekeeping.ts";

const RETENTION = { payloadMs: daysMs(30), attemptBodyMs: daysMs(30), rowMs: daysMs(90) };
/** More than one step takes. */
const EVENTS = 1_700;

/** A node with that many expired events without a destination, and the number of rows that its steps purge. */
async function createLate() {
  const world = await createWorld();
  await world.setUpAccount();
  for (let from = 0; from < EVENTS; from += 850) {
    await world.accept(...Array.from({ length: 850 }, (_, index) => session(from + index + 1)));
  }
  await world.clock.advance(RETENTION.payloadMs + 1);
  const purges: { readonly atMs: number; readonly purged: number }[] = [];
  /** The duration of a step. */
  let stepMs = 0;
  const purge: typeof world.store.purge = async (params) => {
    const done = await world.store.purge(params);
    if (stepMs > 0) await new Promise<void>((resolve) => void world.clock.after(stepMs, resolve));
    purges.push({ atMs: world.clock.monotonicMs(), purged: done.purged });
    return done;
  };
  const ctx = { ...world.ctx, store: { ...world.store, purge } };
  const housekeeping = createHousekeeping(ctx, world.engine, RETENTION);
  return { world, housekeeping, purges, takeMs: (ms: number) => (stepMs = ms) };
}

test("retention goes on at once while there is more than a step takes", async () => {
  const { world, housekeeping, purges } = await createLate();
  housekeeping.start();
  await world.clock.advance(0);
  await world.clock.advance(50);
  await housekeeping.stop();
  const purged = purges.reduce((sum, step) => sum + step.purged, 0);
  assert.equal(purged, EVENTS, `${purges.length} steps in 50 ms`);
  assert.ok(Math.max(...purges.map((step) => step.purged)) <= 500, "steps stay short");
});

test("retention pauses after a full step for as long as that took, so that accepts have the other half", async () => {
  const { world, housekeeping, purges, takeMs } = await createLate();
  takeMs(30);
  const startMs = world.clock.monotonicMs();
  housekeeping.start();
  await world.clock.advance(0);
  await world.clock.advance(200);
  assert.deepEqual(
    purges.map(({ atMs }) => atMs - startMs),
    [30, 90, 150],
  );
  takeMs(0);
  const stopped = housekeeping.stop();
  await world.clock.advance(100);
  await stopped;
});

import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { ADA, ACCOUNT, answer, createWorld, session, toValue } from "../../test/kit/world/world.ts";
import { createVirtualClock } from "../../test/kit/world/virtual-clock.ts";
import { daysMs, minutesMs, secondsMs } from "../lib/duration.ts";
import { openSqliteStore } from "../store/sqlite/open.ts";
import type { Store } from "../store/contract/store.ts";
import { createHousekeeping } from "./housekeeping.ts";
import { resend, setReplayState, startReplay } from "./resend.ts";

const readId = (world: Awaited<ReturnType<typeof createWorld>>, place = 0): string =>
  world.sent[place]?.request.headers["webhook-id"] ?? "";

async function createDelivered(count: number, options: Parameters<typeof createWorld>[0] = {}) {
  const world = await createWorld(options);
  await world.setUpAccount();
  toValue(await world.setUpAlert());
  for (let from = 0; from < count; from += 1_000) {
    const size = Math.min(1_000, count - from);
    toValue(await world.accept(...Array.from({ length: size }, (_, index) => session(from + index + 1))));
  }
  await world.runToIdle();
  return world;
}

test("a resend sends the same body under the same webhook-id, as the next attempt of the same delivery", async () => {
  const world = await createDelivered(1);
  const request = { accountId: ACCOUNT, deliveryId: readId(world), by: ADA };
  toValue(await resend(world, request));
  await world.run();
  assert.equal(world.sent.length, 2);
  assert.equal(readId(world, 1), readId(world));
  assert.equal(world.sent[1]?.request.body, world.sent[0]?.request.body);
  const stored = await world.store.loadDelivery({ accountId: ACCOUNT, deliveryId: readId(world) });
  assert.deepEqual([stored?.state, stored?.attempts.map(({ number }) => number)], ["delivered", [1, 2]]);
});

test("an event, its resend and its replay carry no mark of a test", async () => {
  const world = await createDelivered(1);
  toValue(await resend(world, { accountId: ACCOUNT, deliveryId: readId(world), by: ADA }));
  await world.run();
  await world.clock.advance(secondsMs(1));
  const filter = { states: ["delivered"] as const };
  toValue(await startReplay(world, { accountId: ACCOUNT, filter, ratePerSecond: 1, startPaused: false, by: ADA }));
  for (let second = 0; second < 3; second += 1) {
    await world.clock.advance(secondsMs(1));
    await world.housekeeping.step();
    await world.runToIdle();
  }
  assert.equal(world.sent.length, 3);
  for (const { request } of world.sent) {
    assert.match(request.headers["webhook-id"] ?? "", /^dlv_/);
    assert.equal(Object.hasOwn(request.headers, "bellwire-test"), false);
  }
});

test("a resent delivery that had failed starts its schedule anew, and its attempts go on counting", async () => {
  const world = await createDelivered(1, { receiver: () => answer(400) });
  const load = () => world.store.loadDelivery({ accountId: ACCOUNT, deliveryId: readId(world) });
  for (let stored = await load(); stored?.state === "pending"; stored = await load()) {
    await world.clock.advance(Math.max((stored.dueAtMs ?? 0) - world.clock.nowMs(), minutesMs(15)));
    await world.run();
  }
  assert.deepEqual([(await load())?.state, world.sent.length], ["failed", 10]);

  toValue(await resend(world, { accountId: ACCOUNT, deliveryId: readId(world), by: ADA }));
  await world.clock.advance(minutesMs(15));
  await world.run();
  const waiting = await load();
  assert.deepEqual([waiting?.state, waiting?.attempts.at(-1)?.number], ["pending", 11]);
  assert.equal((waiting?.dueAtMs ?? 0) - world.clock.nowMs(), secondsMs(5));
});

test("another account's delivery cannot be resent", async () => {
  const world = await createDelivered(1);
  const resent = await resend(world, { accountId: "somebody-else", deliveryId: readId(world), by: ADA });
  assert.equal(resent.ok ? "" : resent.error.code, "delivery_not_found");
});

test("a replay of 200 at 10 a second, killed and restarted half-way, sends each once more", async () => {
  await using file = await createDatabaseFile();
  let world = await createDelivered(200, await file.open());
  await world.clock.advance(secondsMs(1));
  const request = {
    accountId: ACCOUNT,
    filter: { states: ["delivered"] as const },
    ratePerSecond: 10,
    startPaused: false,
    by: ADA,
  };
  const { replayId, deliveries } = toValue(await startReplay(world, request));
  assert.equal(deliveries, 200);

  const sendAgain = async (seconds: number): Promise<string[]> => {
    const before = world.sent.length;
    for (let step = 0; step < seconds * 10; step += 1) {
      await world.clock.advance(100);
      await world.housekeeping.step();
      await world.runToIdle();
    }
    return world.sent.slice(before).map(({ request: { headers } }) => headers["webhook-id"] ?? "");
  };
  const halfway = await sendAgain(10);
  assert.ok(halfway.length >= 90 && halfway.length <= 110, `${halfway.length} after 10 s`);
  world = await createWorld(await file.open());
  const resent = [...halfway, ...(await sendAgain(12))];
  assert.equal(resent.length, 200);
  assert.equal(new Set(resent).size, 200);
  const replay = (await world.store.listReplays({ accountId: ACCOUNT, replayId }))[0];
  assert.deepEqual([replay?.state, replay?.moved, replay?.skipped], ["finished", 200, 0]);
});

/** A database in a folder of its own; opening it again ends the store that had it. */
async function createDatabaseFile() {
  const folder = mkdtempSync(join(tmpdir(), "bellwire-replay-"));
  const clock = createVirtualClock();
  let store: Store | null = null;
  return {
    async open() {
      await store?.[Symbol.asyncDispose]();
      store = await openSqliteStore({ path: join(folder, "bellwire.db"), clock });
      return { store, clock };
    },
    async [Symbol.asyncDispose]() {
      await store?.[Symbol.asyncDispose]();
      rmSync(folder, { recursive: true });
    },
  };
}

test("a replay of too many is refused with what to do", async () => {
  const world = await createDelivered(1);
  const asked: unknown[] = [];
  const store = {
    ...world.store,
    createReplay(params: Parameters<Store["createReplay"]>[0]) {
      asked.push(params.deliveriesMax);
      return world.store.createReplay({ ...params, deliveriesMax: 0 });
    },
  };
  await world.clock.advance(1);
  const request = {
    accountId: ACCOUNT,
    filter: { states: ["delivered"] as const },
    ratePerSecond: 100,
    startPaused: false,
    by: ADA,
  };
  const started = await startReplay({ ...world, ctx: { ...world.ctx, store } }, request);
  assert.deepEqual(asked, [100_000]);
  assert.equal(started.ok ? "" : started.error.code, "replay_too_large");
  assert.match(started.ok ? "" : started.error.detail, /100000 deliveries/);
});

test("a paused replay stands still and a cancelled one ends", async () => {
  const world = await createDelivered(300);
  await world.clock.advance(1);
  const filter = { states: ["delivered"] as const };
  const { replayId } = toValue(
    await startReplay(world, { accountId: ACCOUNT, filter, ratePerSecond: 100, startPaused: false, by: ADA }),
  );
  const decide = (state: "running" | "paused" | "cancelled") =>
    setReplayState(world, { accountId: ACCOUNT, replayId, state, by: ADA });
  const pass = async () => {
    await world.clock.advance(secondsMs(1));
    await world.housekeeping.step();
    await world.run();
    return world.sent.length;
  };
  const first = await pass();
  assert.ok(first > 300);
  toValue(await decide("paused"));
  assert.equal(await pass(), first);
  toValue(await decide("running"));
  const second = await pass();
  assert.ok(second > first && second < 600);
  toValue(await decide("cancelled"));
  assert.equal(await pass(), second);
  assert.deepEqual(toValue(await decide("running")), { changed: false });
});

test("payloads go after 30 days and rows after 90, what is pending stays, and no key is forgotten", async () => {
  const world = await createDelivered(3);
  const deliveryId = readId(world);
  const load = () => world.store.loadDelivery({ accountId: ACCOUNT, deliveryId });
  const keep = async () => {
    while ((await world.housekeeping.step()) > 0);
  };
  await world.clock.advance(daysMs(30) - secondsMs(1));
  await keep();
  assert.notEqual((await load())?.body, null);
  await world.clock.advance(daysMs(1));
  await keep();
  assert.equal((await load())?.body, null);
  const purged = await resend(world, { accountId: ACCOUNT, deliveryId, by: ADA });
  assert.equal(purged.ok ? "" : purged.error.code, "not_resendable");
  await world.clock.advance(daysMs(60));
  await keep();
  assert.equal(await load(), null);
  assert.equal((await world.acceptOne(session(1))).duplicate, true);
});

test("housekeeping runs by itself and stops", async () => {
  const world = await createDelivered(1);
  const housekeeping = createHousekeeping(world.ctx, world.engine, { payloadMs: 1, attemptBodyMs: 1, rowMs: 1 });
  housekeeping.start();
  await world.clock.advance(0);
  await world.clock.advance(minutesMs(3));
  await housekeeping.stop();
  assert.equal(await world.store.loadDelivery({ accountId: ACCOUNT, deliveryId: readId(world) }), null);
  assert.deepEqual(world.told.failures, []);
});

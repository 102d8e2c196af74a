import assert from "node:assert/strict";
import { test } from "node:test";
import { ACCOUNT, answer, createWorld, session, toValue, type World } from "../../test/kit/world/world.ts";
import { daysMs, minutesMs, secondsMs } from "../lib/duration.ts";
import { accept } from "./accept.ts";
import { createEngine, type EngineOptions } from "./engine.ts";
import { createHousekeeping } from "./housekeeping.ts";

/** An engine that runs by itself, and the verbs that it and its housekeeping call. */
function startEngine(world: World, options: Partial<EngineOptions> = {}) {
  const calls: string[] = [];
  const store = new Proxy(world.store, {
    get(target, verb: keyof World["store"]) {
      if (typeof verb === "string") calls.push(verb);
      return target[verb];
    },
  });
  const ctx = { ...world.ctx, store };
  const engine = createEngine(ctx, { deliveriesMax: 100, ...options });
  engine.start();
  const count = (name: string): number => calls.filter((verb) => verb === name).length;
  return { ctx, engine, count };
}

test("a node with nothing due asks the store once a second, and claims every five", async () => {
  const world = await createWorld();
  const { engine, count } = startEngine(world);
  await world.clock.advance(0);
  const [claims, asks] = [count("claimDueDeliveries"), count("findNextDue")];
  await world.clock.advance(secondsMs(60));
  assert.deepEqual([count("claimDueDeliveries") - claims, count("findNextDue") - asks], [12, 60]);
  await engine.stop();
});

test("what another node has made due without a hint goes out within a second", async () => {
  const world = await createWorld();
  await world.setUpAccount();
  toValue(await world.setUpAlert());
  const { ctx, engine } = startEngine(world);
  await world.clock.advance(1_333);
  // It has no room to take anything into its own hands.
  const other = createEngine(ctx, { deliveriesMax: 0 });
  toValue(await accept({ ctx, engine: other }, ACCOUNT, [session(1)]));
  assert.equal(world.sent.length, 0);
  await world.clock.advance(secondsMs(1));
  assert.equal(world.sent.length, 1);
  await engine.stop();
});

test("a node that gets no hints of the others looks at every tick", async () => {
  const world = await createWorld();
  const { engine, count } = startEngine(world, { isHinted: false });
  await world.clock.advance(0);
  const before = count("findNextDue");
  await world.clock.advance(secondsMs(60));
  assert.equal(count("findNextDue") - before, 240);
  await engine.stop();
});

test("a retry goes out within a tick of its due time, whichever part of a second that is in", async () => {
  const world = await createWorld({ receiver: (_request, place) => answer(place < 4 ? 503 : 204) });
  await world.setUpAccount();
  toValue(await world.setUpAlert());
  const { engine } = startEngine(world);
  await world.clock.advance(333);
  await world.acceptOne(session(1));
  await world.run();
  const deliveryId = world.sent[0]?.request.headers["webhook-id"] ?? "";
  for (let place = 1; place < 4; place += 1) {
    const delivery = await world.store.loadDelivery({ accountId: ACCOUNT, deliveryId });
    const dueAtMs = delivery?.dueAtMs ?? 0;
    await world.clock.advance(dueAtMs + 250 - world.clock.nowMs());
    assert.equal(world.sent.length, place + 1);
    assert.ok((world.sent.at(-1)?.atMs ?? 0) >= dueAtMs);
  }
  await engine.stop();
});

test("housekeeping with nothing to do looks for replays ever less often, and for old rows once a minute", async () => {
  const world = await createWorld();
  const { ctx, engine, count } = startEngine(world);
  const retention = { payloadMs: daysMs(30), attemptBodyMs: daysMs(30), rowMs: daysMs(90) };
  const housekeeping = createHousekeeping(ctx, engine, retention);
  housekeeping.start();
  await world.clock.advance(0);
  const [steps, purges] = [count("stepReplays"), count("purge")];
  // After 1, 2, 4, 8 s, and every 8 s.
  await world.clock.advance(minutesMs(2));
  assert.deepEqual([count("stepReplays") - steps, count("purge") - purges], [17, 2]);
  housekeeping.nudge();
  await world.clock.advance(0);
  assert.equal(count("stepReplays") - steps, 18, "a person has set one running");
  await Promise.all([housekeeping.stop(), engine.stop()]);
});

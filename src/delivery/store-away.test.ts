/** Answers that cannot be stored because the database is away: on a real PostgreSQL, with the test's clock. */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { type Cluster, startCluster } from "../../test/kit/servers/postgres.ts";
import { type World, answer, conversation, createWorld, uuid, toValue } from "../../test/kit/world/world.ts";
import { systemClock } from "../lib/clock.ts";
import { openPostgresStore } from "../store/postgres/open.ts";
import { StoreUnavailable } from "../store/contract/store.ts";

const ASSISTANTS = ["a", "b", "c", "d"];
/** The number that the lanes send at once: each starts with four. */
const DELIVERIES = 12;
/** An account has as many as are free, and one of its lanes half of what is free to the account. */
const DELIVERIES_MAX = 4 * DELIVERIES;
const CLAIM_MS = 60_000;

let cluster: Cluster;
let url: string;

before(async () => {
  cluster = await startCluster();
  url = await cluster.createDatabase();
});
after(() => cluster[Symbol.asyncDispose]());

interface Outage {
  readonly world: World;
  /** Answers every request that is on the wire. */
  answerAll(): void;
  /** Lets time pass while the store is away, and lets the waiting settlements continue after each refusal. */
  pass(ms: number): Promise<void>;
  /** Resolves when the node holds nothing. Time passes only while a settlement waits for it, not for the store. */
  letGo(): Promise<void>;
}

/** A world in which every accepted delivery is in flight, and the database has just gone away. */
async function whileAway(run: (outage: Outage) => Promise<void>): Promise<void> {
  await using store = (await openPostgresStore({ url, clock: systemClock })).store;
  await cluster.emptyStore(url);
  const answers = Promise.withResolvers<void>();
  const receiver = () => answers.promise.then(() => answer(200));
  const world = await createWorld({ store, deliveriesMax: DELIVERIES_MAX, receiver });
  await world.setUpAccount();
  for (const id of ASSISTANTS) await world.setUpAssistant(id);
  for (let n = 0; n < DELIVERIES; n += 1) {
    await world.acceptOne(conversation(n, { assistant_id: ASSISTANTS[n % ASSISTANTS.length] }));
  }
  while (world.sent.length < DELIVERIES) await sleep(1);
  await cluster.stop("immediate");
  await run({
    world,
    answerAll: answers.resolve,
    async pass(ms) {
      for (let passed = 0; passed < ms; passed += 500) {
        await world.clock.advance(500);
        // The refusals come over a real socket.
        await sleep(3);
      }
    },
    async letGo() {
      while (world.engine.lanes.load.counts().deliveries > 0) {
        if (world.clock.pending() > 0) await world.clock.advance(500);
        await sleep(3);
      }
    },
  });
}

test("they are noted when it is back, if their claims hold until then: nothing is sent twice", () =>
  whileAway(async ({ world, answerAll, pass, letGo }) => {
    answerAll();
    await pass(CLAIM_MS / 3);
    assert.deepEqual(world.engine.lanes.load.counts().deliveries, DELIVERIES);
    await cluster.start();
    await letGo();
    assert.equal((await world.store.countWaiting({ nowMs: world.clock.nowMs() })).waiting, 0);
    await pass(2 * CLAIM_MS);
    await world.runToIdle();
    assert.equal(world.sent.length, DELIVERIES);
    assert.deepEqual(world.told.failures, []);
  }));

test("they are let go when their claims run out, never exceed the capacity of the lanes, and are sent again", () =>
  whileAway(async ({ world, answerAll, pass, letGo }) => {
    answerAll();
    await assert.rejects(world.acceptOne(conversation(99, { assistant_id: "a" })), StoreUnavailable);
    const { deliveries } = world.engine.lanes.load.counts();
    assert.ok(deliveries <= DELIVERIES_MAX, `${deliveries} in the lanes`);
    await pass(CLAIM_MS);
    await letGo();
    assert.equal(world.told.failures.length, DELIVERIES);
    for (const failure of world.told.failures) assert.ok(failure instanceof StoreUnavailable, String(failure));
    assert.equal(world.clock.pending(), 0, "something waits for nothing");
    assert.equal(world.sent.length, DELIVERIES, "nothing is sent while nothing can be claimed");

    await cluster.start();
    await world.runToIdle();
    assert.equal((await world.store.countWaiting({ nowMs: world.clock.nowMs() })).waiting, 0);
    const times = Map.groupBy(world.sent, ({ request }) => request.headers["webhook-id"]);
    assert.deepEqual([times.size, ...new Set([...times.values()].map(({ length }) => length))], [DELIVERIES, 2]);
    toValue(await world.accept(conversation(99, { assistant_id: "a", id: uuid(99) })));
  }));

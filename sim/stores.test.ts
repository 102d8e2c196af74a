/** Calls about accounts of several shards, each on a store of its own, some of which fail while the others commit. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { createSeededRandom } from "../test/kit/world/seeded-random.ts";
import { ACCOUNT, T0, accept, held, makeEvent, makeSettlement, setUp } from "../src/store/conformance/world.ts";
import type { NewEvent } from "../src/store/contract/path.ts";
import { type Store, StoreUnavailable } from "../src/store/contract/store.ts";
import { createChance } from "./chance.ts";
import { makeSwarm } from "./faults.ts";
import { NO_MUTANT } from "./mutant.ts";
import type { RunCall } from "./calls.ts";
import { type Stores, openStores, overShards, runOn, toDirectory } from "./stores.ts";

const WALKS = 20;
/** In shards of their own. */
const IDS = ["acc_1", "acc_2", "acc_3", "acc_a"];

test("a batch over several shards is repeated until all stand: each event once, each attempt once", async () => {
  const seen = { repeats: 0, duplicates: 0, lost: 0 };
  for (let seed = 1; seed <= WALKS; seed += 1) {
    const stores = openFour();
    const store = withFailingParts(stores, seed);
    const events: NewEvent[] = [];
    for (const [n, accountId] of IDS.entries()) {
      const configVersion = await setUp(stores.real, [`dst_${accountId}`], { ...ACCOUNT, id: accountId });
      events.push(makeEvent(n, { accountId, configVersion, deliveries: [held(`dlv_${n}`, `dst_${accountId}`)] }));
    }
    const answers = await untilItStands(() => accept(store, events), seen);
    for (const [n, answer] of answers.entries()) {
      if (answer.kind === "duplicate") seen.duplicates += 1;
      assert.ok(answer.kind === "accepted" || (answer.kind === "duplicate" && answer.eventId === `evt_${n}`));
    }
    const settlements = IDS.map((accountId, n) => makeSettlement(`dlv_${n}`, { accountId }));
    const settled = await untilItStands(() => store.settleAttemptsIfClaimed({ nowMs: T0, settlements }), seen);
    seen.lost += settled.filter(({ kind }) => kind === "claim_lost").length;
    for (const [n, accountId] of IDS.entries()) await assertOnce(stores.real, accountId, n);
    await stores.real[Symbol.asyncDispose]();
  }
  assert.ok(
    Object.values(seen).every((count) => count > WALKS / 4),
    JSON.stringify(seen),
  );
});

async function assertOnce(store: Store, accountId: string, n: number): Promise<void> {
  const delivery = await store.loadDelivery({ accountId, deliveryId: `dlv_${n}` });
  assert.deepEqual([delivery?.state, delivery?.attempts.length], ["delivered", 1]);
  const events = await store.listEvents({ accountId, type: "demo_viewed", before: null, limit: 9 });
  assert.deepEqual(
    events.map(({ id }) => id),
    [`evt_${n}`],
  );
  const counts = await store.countAttempts({ accountId, fromMs: 0, toMs: T0 + 1, bucketMs: 60_000 });
  assert.equal(counts.filter(({ kind }) => kind === "attempt").length, 1);
}

async function untilItStands<Answer>(call: () => Promise<Answer>, seen: { repeats: number }): Promise<Answer> {
  for (;;) {
    try {
      return await call();
    } catch (error) {
      if (!(error instanceof StoreUnavailable)) throw error;
      seen.repeats += 1;
    }
  }
}

const openFour = (): Stores =>
  openStores(
    {
      swarm: makeSwarm(1, ["shards"]),
      chance: createChance(1, "memory_lost"),
      areFaultsOn: () => false,
      nowMs: () => T0,
      onLoss: () => {},
    },
    NO_MUTANT,
    { after: () => {} },
  );

/** Each part of a call fails now and then, before its commit or after it. */
function withFailingParts(stores: Stores, seed: number): Store {
  const random = createSeededRandom(seed);
  const run: RunCall = async (call, shard) => {
    const dice = random.unit();
    if (dice < 0.2) throw new StoreUnavailable("before the commit");
    const answer = await runOn(stores.of(shard), call);
    if (dice < 0.4) throw new StoreUnavailable("the answer got lost");
    return answer;
  };
  return {
    ...overShards({ ...stores, run, directory: toDirectory(stores.shardOf) }),
    [Symbol.asyncDispose]: () => Promise.resolve(),
  };
}

/** Promises about replays that are prepared first: frozen and counted, but nothing moves before somebody says so. */
import assert from "node:assert/strict";
import { describe } from "node:test";
import { daysMs } from "../../lib/duration.ts";
import {
  ACCOUNT,
  acceptEach,
  ADA,
  EVE,
  held,
  inStore,
  type OpenStore,
  purgeNow,
  setUp,
  makeSettlement,
  T0,
} from "./world.ts";
import type { CreateReplay, SetReplayState } from "../contract/replays.ts";
import type { Store } from "../contract/store.ts";

const accountId = ACCOUNT.id;
const NOW = T0 + 60_000;
const DAY_LATER = NOW + daysMs(1);

/** A replay of the two deliveries that were delivered. */
async function prepare(store: Store, parts: Partial<CreateReplay> = {}): Promise<unknown> {
  const configVersion = await setUp(store, ["dst_a"]);
  await acceptEach(store, [held("dlv_1", "dst_a"), held("dlv_2", "dst_a")], configVersion);
  await store.settleAttemptsIfClaimed({ nowMs: T0, settlements: [makeSettlement("dlv_1"), makeSettlement("dlv_2")] });
  return await store.createReplay({ ...PREPARED, ...parts });
}

const PREPARED: CreateReplay = {
  accountId,
  id: "rpl_1",
  filter: { states: ["delivered"] },
  deliveriesMax: 9,
  ratePerSecond: 10,
  startPaused: true,
  by: ADA,
  nowMs: NOW,
};

const load = async (store: Store, replayId = "rpl_1") => (await store.listReplays({ accountId, replayId }))[0];

const setState = (store: Store, state: SetReplayState["state"], nowMs = NOW) =>
  store.setReplayState({ accountId, replayId: "rpl_1", state, by: EVE, nowMs });

const step = async (store: Store, nowMs: number) => (await store.stepReplays({ nowMs, deliveriesMax: 99 })).moved;

export function describePreparedReplays(open: OpenStore): void {
  describe("preparing a replay", () => {
    describePrepared(open);
    describeForgotten(open);
  });
}

function describePrepared(open: OpenStore): void {
  const test = inStore(open);
  test("it is counted and paused, and moves nothing however long it waits", async (store) => {
    assert.deepEqual(await prepare(store), { deliveries: 2 });
    const loaded = await load(store);
    assert.deepEqual([loaded?.state, loaded?.isPrepared, loaded?.deliveries], ["paused", true, 2]);
    assert.equal(await step(store, DAY_LATER - 1), 0);
    assert.equal(await setState(store, "paused"), "unchanged");
    assert.equal((await load(store))?.isPrepared, true);
  });

  test("once it is set running it is a replay like any other, from then on at its rate", async (store) => {
    await prepare(store);
    assert.equal(await setState(store, "running", NOW + 30_000), "changed");
    assert.equal(await step(store, NOW + 30_000), 0);
    assert.equal(await step(store, NOW + 30_100), 1);
    const running = await load(store);
    assert.deepEqual([running?.state, running?.isPrepared, running?.stateActor], ["running", false, "eve"]);
    await setState(store, "paused");
    assert.equal((await load(store))?.isPrepared, false);
  });

  test("one with ids has those of them that its filter names, and no other account's", async (store) => {
    const deliveryIds = ["dlv_2", "dlv_77"];
    assert.deepEqual(await prepare(store, { deliveryIds }), { deliveries: 1 });
    const create = async (parts: Partial<CreateReplay>) =>
      await store.createReplay({ ...PREPARED, deliveryIds, ...parts });
    assert.deepEqual(await create({ id: "rpl_2", filter: { states: ["failed"] } }), { deliveries: 0 });
    assert.deepEqual(await create({ id: "rpl_3", deliveryIds: [] }), { deliveries: 0 });
    assert.deepEqual(await create({ id: "rpl_4", deliveriesMax: 0 }), { refused: "too_many" });
    assert.deepEqual(await create({ id: "rpl_5", accountId: "acc_2" }), { deliveries: 0 });
    assert.equal(await setState(store, "running"), "changed");
    assert.equal(await step(store, NOW + 10_000), 1);
    assert.equal((await store.loadDelivery({ accountId, deliveryId: "dlv_2" }))?.state, "pending");
    assert.equal((await store.loadDelivery({ accountId, deliveryId: "dlv_1" }))?.state, "delivered");
  });

  test("one that names nothing has ended already, and waits for nobody", async (store) => {
    await prepare(store, { filter: { states: ["cancelled"] } });
    const loaded = await load(store);
    assert.deepEqual([loaded?.state, loaded?.isPrepared, loaded?.endedAtMs], ["finished", false, NOW]);
  });
}

function describeForgotten(open: OpenStore): void {
  const test = inStore(open);
  test("one that nobody has confirmed for a day is cancelled, and its deliveries stay as they are", async (store) => {
    await prepare(store);
    await purgeNow(store, DAY_LATER);
    assert.equal((await load(store))?.state, "paused");
    await purgeNow(store, DAY_LATER + 1);
    const loaded = await load(store);
    assert.deepEqual([loaded?.state, loaded?.stateActor, loaded?.endedAtMs], ["cancelled", "system", DAY_LATER + 1]);
    assert.deepEqual([loaded?.isPrepared, loaded?.moved], [false, 0]);
    assert.equal(await setState(store, "running", DAY_LATER + 2), "unchanged");
    assert.equal(await step(store, DAY_LATER + 9_000), 0);
  });

  test("one that was paused after it ran may rest for as long as it likes", async (store) => {
    await prepare(store);
    await setState(store, "running");
    await setState(store, "paused");
    await purgeNow(store, DAY_LATER + daysMs(9));
    assert.equal((await load(store))?.state, "paused");
  });
}

/** Orders on PostgreSQL: their rows, and a switch that is turned while a claim is under way. */
import assert from "node:assert/strict";
import { after, describe, test } from "node:test";
import pg from "pg";
import { shareCluster, untilSomeoneWaits } from "../../../../test/kit/servers/postgres.ts";
import { systemClock } from "../../../lib/clock.ts";
import { daysMs } from "../../../lib/duration.ts";
import { describeOrderRows } from "../../conformance/order-rows.ts";
import {
  accept,
  claimIds,
  due,
  loadVersion,
  makeEvent,
  makeSettlement,
  nthWebhook,
  purgeStep,
  setUp,
  T0,
  webhookToSave,
} from "../../conformance/world.ts";
import type { Store } from "../../contract/store.ts";
import { openPostgresStore } from "../open.ts";

const cluster = await shareCluster();
after(() => cluster[Symbol.asyncDispose]());
const url = await cluster.createStoreDatabase();

const openEmpty = async () => {
  const { store } = await openPostgresStore({ url, clock: systemClock });
  await cluster.emptyStore(url);
  return store;
};

const listOrder = async (): Promise<string[]> =>
  (await cluster.query(url, "select delivery_id as id from bellwire.ordered_deliveries order by seq")).map(
    ({ id }) => id as string,
  );

describeOrderRows(openEmpty, listOrder);

/** Two orders, of each of which the head waits until tomorrow although the bound says now. */
async function setUpTwo(store: Store): Promise<void> {
  await setUp(store, []);
  for (const n of [1, 2]) {
    await store.saveWebhook(webhookToSave(nthWebhook(n, { oneAtATime: true })));
  }
  const configVersion = await loadVersion(store);
  for (const n of [11, 12, 13, 21, 22, 23]) {
    const deliveries = [due(`dlv_${n}`, `dst_${Math.floor(n / 10)}`)];
    await accept(store, [makeEvent(n, { configVersion, deliveries })]);
  }
  assert.deepEqual((await claimIds(store, T0)).toSorted(), ["dlv_11", "dlv_21"]);
  const next = { state: "pending", dueAtMs: T0 + daysMs(1) } as const;
  const settlements = ["dlv_11", "dlv_21"].map((id) => makeSettlement(id, { next }));
  await store.settleAttemptsIfClaimed({ nowMs: T0, settlements });
  await cluster.query(url, `update bellwire.destinations set next_due_at = ${T0}`);
}

/** Runs `work`, while what it reads of a destination is changed before it can lock it. */
async function changeMeanwhile<Answer>(work: () => Promise<Answer>, change: string): Promise<Answer> {
  const holder = new pg.Client({ connectionString: url });
  await holder.connect();
  try {
    await holder.query("begin; lock table bellwire.destinations in exclusive mode");
    const working = work();
    await Promise.race([untilSomeoneWaits(cluster, url), working]);
    await holder.query(`update bellwire.destinations set ${change}; commit`);
    return await working;
  } finally {
    await holder.end();
  }
}

describe("an order that is ended while a claim is under way", () => {
  for (const [ended, kept] of [
    [1, 2],
    [2, 1],
  ] as const) {
    test(`the claim goes by the other order, and the next one takes what waits (${ended})`, async () => {
      await using store = await openEmpty();
      await setUpTwo(store);
      const claiming = () => claimIds(store, T0 + 1);
      assert.deepEqual(await changeMeanwhile(claiming, `one_at_a_time = false where id = 'dst_${ended}'`), []);
      assert.deepEqual(await claimIds(store, T0 + 2), [`dlv_${ended}2`, `dlv_${ended}3`]);
      assert.deepEqual(await claimIds(store, T0 + daysMs(1)).then((ids) => ids.includes(`dlv_${kept}1`)), true);
    });
  }
});

test("an order that begins while its last rows are taken keeps them", async () => {
  await using store = await openEmpty();
  await setUpTwo(store);
  await cluster.query(url, "update bellwire.destinations set one_at_a_time = false where id = 'dst_1'");
  const before = await listOrder();
  const purging = () => purgeStep(store, { nowMs: T0 });
  await changeMeanwhile(purging, "one_at_a_time = true where id = 'dst_1'");
  assert.deepEqual(await listOrder(), before);
});

/** The store's promises where accounts lie in several groups of buckets: four made-up ones, on one PostgreSQL. */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { findMisplacedRows } from "../../../../test/kit/servers/misplaced-rows.ts";
import { type SharedCluster, shareCluster } from "../../../../test/kit/servers/postgres.ts";
import { bucketOf } from "../../../lib/bucket.ts";
import { systemClock } from "../../../lib/clock.ts";
import { describeNodes } from "../../conformance/nodes.ts";
import { storeConformance } from "../../conformance/suite.ts";
import { ACCOUNT, accept, held, makeEvent, makeSettlement, SETTLED, setUp, T0 } from "../../conformance/world.ts";
import type { Store } from "../../contract/store.ts";
import { madeUpGroups } from "./groups.ts";
import { openPostgresStore } from "../open.ts";

const GROUPS = 4;

let cluster: SharedCluster;
let urls: { readonly suite: string; readonly nodes: string };

before(async () => {
  cluster = await shareCluster();
  urls = { suite: await cluster.createDatabase(), nodes: await cluster.createDatabase() };
});
after(() => cluster[Symbol.asyncDispose]());

async function open(url: string): Promise<Store> {
  const { store } = await openPostgresStore({ url, clock: systemClock, groups: madeUpGroups(GROUPS) });
  return {
    ...store,
    async [Symbol.asyncDispose]() {
      await store[Symbol.asyncDispose]();
      assert.deepEqual(await findMisplacedRows(cluster, url), [], "rows that lie in another bucket than their account");
    },
  };
}

storeConformance("PostgreSQL, in four groups", async () => {
  const store = await open(urls.suite);
  await cluster.emptyStore(urls.suite);
  return store;
});

describeNodes("nodes on one PostgreSQL, in four groups", () => ({
  cluster,
  url: urls.nodes,
  openNode: () => open(urls.nodes),
}));

test("a row that lies in another bucket than its account is found, also where it names no account", async () => {
  const url = await cluster.createDatabase();
  const { store } = await openPostgresStore({ url, clock: systemClock, groups: madeUpGroups(GROUPS) });
  await setUp(store, ["dst_a"]);
  await store[Symbol.asyncDispose]();
  assert.deepEqual(await findMisplacedRows(cluster, url), []);
  await cluster.query(url, "update bellwire.chat_assistants set bucket = (bucket + 1) % 256");
  const columns = "destination_id, at, kind, result, code, bin, slot, count, bucket";
  await cluster.query(
    url,
    `insert into bellwire.attempt_counts (${columns}) values ('dst_a', 0, 'attempt', 'failed', '', 0, 0, 1, 7)`,
  );
  assert.deepEqual(await findMisplacedRows(cluster, url), ["chat_assistants: 1", "attempt_counts: 1"]);
});

/** More than a server's room has places. */
const BUSY_GROUPS = 12;

test("a lease that is lost while many groups of one server settle is taken over", { timeout: 30_000 }, async () => {
  const url = await cluster.createDatabase();
  const groups = madeUpGroups(32);
  const onServers = new Map(groups.map(([first = 0], number) => [first, number % 2 === 0 ? "one" : "other"]));
  const locate = () => Promise.resolve(onServers);
  const { store } = await openPostgresStore({ url, clock: systemClock, groups, locate });
  const accounts = groups
    .filter(([first = 0]) => onServers.get(first) === "one")
    .slice(0, BUSY_GROUPS)
    .map((group) => accountIn(group));
  for (const [number, accountId] of accounts.entries()) {
    const configVersion = await setUp(store, [`dst_${number}`], { ...ACCOUNT, id: accountId });
    const deliveries = [held(`dlv_${number}`, `dst_${number}`)];
    await accept(store, [makeEvent(number, { accountId, configVersion, deliveries })]);
  }
  await cluster.query(url, "update bellwire.leases set until_at = 0");
  const settlements = accounts.map((accountId, number) => makeSettlement(`dlv_${number}`, { accountId }));
  const settled = await store.settleAttemptsIfClaimed({ nowMs: T0, settlements });
  assert.deepEqual(
    settled,
    accounts.map(() => SETTLED),
  );
  await store[Symbol.asyncDispose]();
});

function accountIn(group: readonly number[]): string {
  for (let number = 0; ; number += 1) if (group.includes(bucketOf(`acc_${number}`))) return `acc_${number}`;
}

test("a node settles what it had in memory under a taken lease, also before a group has its rows", async () => {
  const url = await cluster.createDatabase();
  await using store = await open(url);
  // In groups of their own.
  const accounts = ["acc_1", "acc_2", "acc_3", "acc_a"];
  for (const [n, accountId] of accounts.entries()) {
    const configVersion = await setUp(store, [`dst_${n}`], { ...ACCOUNT, id: accountId });
    await accept(store, [makeEvent(n, { accountId, configVersion, deliveries: [held(`dlv_${n}`, `dst_${n}`)] })]);
  }
  await cluster.query(url, "update bellwire.leases set until_at = 0");
  const settlements = accounts.map((accountId, n) => makeSettlement(`dlv_${n}`, { accountId }));
  assert.deepEqual(
    await store.settleAttemptsIfClaimed({ nowMs: T0, settlements }),
    accounts.map(() => SETTLED),
  );
  for (const [n, accountId] of accounts.entries()) {
    const delivery = await store.loadDelivery({ accountId, deliveryId: `dlv_${n}` });
    assert.deepEqual([delivery?.state, delivery?.attempts.length], ["delivered", 1]);
  }
});

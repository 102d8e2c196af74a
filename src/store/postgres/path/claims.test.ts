/** Claims on one PostgreSQL. Where there are several shards each claims for itself, and the order is a shard's own. */
import assert from "node:assert/strict";
import { after, test } from "node:test";
import { shareCluster } from "../../../../test/kit/servers/postgres.ts";
import { systemClock } from "../../../lib/clock.ts";
import { ACCOUNT, acceptEach, accept, claimDue, due, makeEvent, setUp, T0 } from "../../conformance/world.ts";
import { openPostgresStore } from "../open.ts";

const cluster = await shareCluster();
after(() => cluster[Symbol.asyncDispose]());
const url = await cluster.createStoreDatabase();

test("a small claim takes from the account that has waited longest, however many slots it has", async () => {
  await using store = (await openPostgresStore({ url, clock: systemClock })).store;
  const ours = await setUp(store, ["dst_a", "dst_b"]);
  await acceptEach(store, [due("dlv_1", "dst_a"), due("dlv_2", "dst_b")], ours);
  const other = { ...ACCOUNT, id: "acc_other" };
  const to = { accountId: other.id, configVersion: await setUp(store, ["dst_x"], other) };
  const events = [3, 4].map((n) => makeEvent(n, { ...to, deliveries: [due(`dlv_${n}`, "dst_x")] }));
  await accept(store, events, T0 + 50);
  const limits = { deliveriesMax: 2, perDestinationMax: 2, perAccountMax: 3 };
  const claimed = await claimDue(store, T0 + 99, limits);
  assert.deepEqual(
    claimed.map(({ id }) => id),
    ["dlv_1", "dlv_2"],
  );
});

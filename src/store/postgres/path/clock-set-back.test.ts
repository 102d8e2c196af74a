/** A node on a database that has had its clock set back, as by a failover: it goes on writing webhooks once. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { shareCluster } from "../../../../test/kit/servers/postgres.ts";
import { systemClock } from "../../../lib/clock.ts";
import { hoursMs, secondsMs } from "../../../lib/duration.ts";
import { accept, claimIds, held, makeEvent, makeSettlement, SETTLED, setUp, T0 } from "../../conformance/world.ts";
import { openPostgresStore } from "../open.ts";

test("what a node takes into memory after its clock was set back an hour gets no row before it is sent", async () => {
  await using cluster = await shareCluster();
  const url = await cluster.createStoreDatabase();
  await using node = (await openPostgresStore({ url, clock: systemClock })).store;
  const configVersion = await setUp(node, ["dst_a"]);
  const take = async (n: number, nowMs: number) =>
    await accept(node, [makeEvent(n, { configVersion, deliveries: [held(`dlv_${n}`, "dst_a")] })], nowMs);
  const settle = async (n: number, nowMs: number) =>
    await node.settleAttemptsIfClaimed({ nowMs, settlements: [makeSettlement(`dlv_${n}`)] });
  const ahead = T0 + hoursMs(1);
  await take(1, ahead);
  assert.deepEqual(await settle(1, ahead), [SETTLED]);
  // The engine claims each second, which is when a node notices.
  await claimIds(node, T0 + secondsMs(1));
  await take(2, T0 + secondsMs(2));
  assert.equal((await cluster.query(url, "select 1 from bellwire.deliveries")).length, 1);
  assert.deepEqual(await settle(2, T0 + secondsMs(2)), [SETTLED]);
});

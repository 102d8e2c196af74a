/** The counters of attempts, while several nodes add up what was settled. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { shareCluster } from "../../../../test/kit/servers/postgres.ts";
import { systemClock } from "../../../lib/clock.ts";
import { minutesMs } from "../../../lib/duration.ts";
import { ACCOUNT, accept, held, makeEvent, makeSettlement, purgeStep, setUp, T0 } from "../../conformance/world.ts";
import type { Store } from "../../contract/store.ts";
import { openPostgresStore } from "../open.ts";

async function countAll(store: Store): Promise<number> {
  const span = { fromMs: T0 - minutesMs(1), toMs: T0 + minutesMs(10), bucketMs: minutesMs(1) };
  const params = { accountId: ACCOUNT.id, ...span } as const;
  const counted = await Promise.all([
    store.countAttempts(params),
    store.countAttempts({ ...params, joined: "destinations" }),
  ]);
  const [ofEach = 0, ofAll = 0] = counted.map((rows) =>
    rows.filter(({ kind }) => kind === "attempt").reduce((sum, { count }) => sum + count, 0),
  );
  assert.equal(ofEach, ofAll);
  return ofAll;
}

test("are exact while and after what was settled is added up, on several nodes at once", async () => {
  await using cluster = await shareCluster();
  const url = await cluster.createStoreDatabase();
  await using one = (await openPostgresStore({ url, clock: systemClock })).store;
  await using other = (await openPostgresStore({ url, clock: systemClock })).store;
  const configVersion = await setUp(one, ["dst_a"]);
  const ids = Array.from({ length: 40 }, (_, n) => `dlv_${n}`);
  await accept(
    one,
    ids.map((id, n) => makeEvent(n, { configVersion, deliveries: [held(id, "dst_a")] })),
  );
  for (const id of ids) await one.settleAttemptsIfClaimed({ nowMs: T0, settlements: [makeSettlement(id)] });
  const deltas = async (): Promise<number> =>
    (await cluster.query(url, "select 1 from bellwire.attempt_deltas")).length;
  assert.equal(await deltas(), 40);
  assert.equal(await countAll(other), 40);
  const purge = (store: Store) => purgeStep(store, { nowMs: T0 });
  const [, , during] = await Promise.all([purge(one), purge(other), countAll(other)]);
  assert.deepEqual([during, await deltas(), await countAll(one)], [40, 0, 40]);
});

/** How much waits on the workers of a Citus, where one is given (`BELLWIRE_TEST_CITUS`). */
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { type CitusCluster, distributeAtOnce, openCitus, withoutCitus } from "../../../../test/kit/servers/citus.ts";
import { eventually } from "../../../../test/kit/wait.ts";
import { bucketOf } from "../../../lib/bucket.ts";
import { systemClock } from "../../../lib/clock.ts";
import { ACCOUNT, setUp, T0 } from "../../conformance/world.ts";
import { openPostgresStore } from "../open.ts";
import { COUNTED_MAX } from "../path/statistics.ts";

const WAITING = COUNTED_MAX + 5_000;

describe("on the workers of a Citus", { skip: withoutCitus }, () => {
  let citus: CitusCluster;
  before(() => void (citus = openCitus()));
  after(() => citus[Symbol.asyncDispose]());

  test("more than are counted one by one are as many as the worker knows of, shard by shard", async () => {
    const url = await citus.createDatabase();
    await using store = (await openPostgresStore({ url, clock: systemClock })).store;
    const accounts = [ACCOUNT.id, "acc_2"];
    for (const id of accounts) await setUp(store, [`dst_${id}`], { ...ACCOUNT, id });
    const count = async (): Promise<number> => (await store.countWaiting({ nowMs: T0 })).waiting;
    for (const id of accounts) await citus.query(url, insertPending(id));
    await citus.query(url, `update bellwire.destinations set next_due_at = ${T0}`);
    assert.equal(await count(), 2 * COUNTED_MAX, "groups that share a table are counted up to the maximum");
    await distributeAtOnce(url);
    // A worker tells its own statistics within a second or so.
    await eventually("all to be counted", async () => (await count()) === 2 * WAITING);
  });
});

const insertPending = (accountId: string): string => `
  insert into bellwire.deliveries (bucket, id, event_id, account_id, destination_id, state, is_ended, due_at,
    created_at, attempts_made, attempts_before)
  select ${bucketOf(accountId)}, 'dlv_${accountId}_' || n, 'evt_' || n, '${accountId}', 'dst_${accountId}', 'pending',
    false, ${T0}, ${T0}, 0, 0
  from generate_series(1, ${WAITING}) n`;

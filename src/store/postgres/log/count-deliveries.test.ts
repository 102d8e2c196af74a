/** A total asks no more than it needs: what waits is in one table, and days that are not there have nothing. */
import assert from "node:assert/strict";
import { after, test } from "node:test";
import { shareCluster } from "../../../../test/kit/servers/postgres.ts";
import { openDatabase } from "../../../../test/kit/servers/store-database.ts";
import { createVirtualClock } from "../../../../test/kit/world/virtual-clock.ts";
import type { CountDeliveries } from "../../contract/log.ts";
import { T0 } from "../../conformance/world.ts";
import { SIDE_POOL } from "../connection/connections.ts";
import { openPostgresStore } from "../open.ts";
import { commit } from "../transaction.ts";
import { countDeliveries } from "./count-deliveries.ts";

const cluster = await shareCluster();
const url = await cluster.createStoreDatabase();
await (await openPostgresStore({ url, clock: createVirtualClock(T0) })).store[Symbol.asyncDispose]();
const database = openDatabase(url, SIDE_POOL);
after(async () => {
  await database.pool.end();
  await cluster[Symbol.asyncDispose]();
});

/** The indexes that a total is counted along, one for each statement. */
async function listIndexes(filter: Pick<CountDeliveries, "statuses" | "response">): Promise<string[]> {
  const indexes: string[] = [];
  const note = (sql: string): void => {
    const [, index] = /^-- name: count deliveries along (\w+)/.exec(sql) ?? [];
    if (index !== undefined) indexes.push(index);
  };
  await commit(database, "shard", async (tx) => {
    const get: typeof tx.db.get = (sql, ...values) => {
      note(sql);
      return tx.db.get(sql, ...values);
    };
    return await countDeliveries(
      { ...tx, db: { ...tx.db, get } },
      { accountId: "acc_1", withTests: false, rowsMax: 1_000, ...filter },
    );
  });
  return indexes;
}

test("what waits is counted once, and not again for each stretch of days", async () => {
  assert.deepEqual(await listIndexes({ statuses: ["waiting"] }), ["deliveries_queue"]);
  assert.deepEqual(await listIndexes({ statuses: ["retrying"] }), ["deliveries_retrying"]);
});

test("nothing is asked of days before the first that has a table", async () => {
  // A day may have rows of the hour beside it.
  assert.ok((await listIndexes({})).length <= 2);
  const rare = await listIndexes({ response: { status: 204 } });
  assert.equal(rare.filter((index) => index === "deliveries_queue").length, 2, "once for each of two states");
  assert.ok(rare.length <= 2 + 2 * 3, rare.join(" "));
});

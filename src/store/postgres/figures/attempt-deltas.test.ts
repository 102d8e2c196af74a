import assert from "node:assert/strict";
import { after, describe, test } from "node:test";
import pg from "pg";
import { startCluster } from "../../../../test/kit/servers/postgres.ts";
import { openDatabase } from "../../../../test/kit/servers/store-database.ts";
import { createVirtualClock } from "../../../../test/kit/world/virtual-clock.ts";
import { T0 } from "../../conformance/world.ts";
import { SIDE_POOL } from "../connection/connections.ts";
import { rollUpTable, rollUpInactive } from "./attempt-deltas.ts";
import { openPostgresStore } from "../open.ts";
import { commit } from "../transaction.ts";

const COMMITS = 1_500;

const cluster = await startCluster();
const url = await cluster.createDatabase();
await (await openPostgresStore({ url, clock: createVirtualClock(T0) })).store[Symbol.asyncDispose]();
const database = openDatabase(url, SIDE_POOL);
after(async () => {
  await database.pool.end();
  await cluster[Symbol.asyncDispose]();
});

const insertTallies = async (turns: readonly number[]): Promise<void> => {
  await cluster.emptyStore(url);
  const counts = `[["dst_a", "acme", ${T0}, "attempt", "delivered", "200", 7, 2]]`;
  await cluster.query(
    url,
    `insert into bellwire.attempt_deltas (turn, account_ids, counts)
     select turn, '{acme}', '${counts}'
     from unnest('{${turns.join(",")}}'::integer[]) turn cross join generate_series(1, ${COMMITS})`,
  );
};

interface Found {
  readonly left: number;
  readonly ofDestination: number;
  readonly ofAccount: number;
  readonly deleted: number;
}

async function look(): Promise<Found> {
  const [found] = await cluster.query(
    url,
    `select (select count(*)::integer from bellwire.attempt_deltas) as left,
       (select coalesce(sum(count), 0)::integer from bellwire.attempt_counts) as "ofDestination",
       (select coalesce(sum(count), 0)::integer from bellwire.account_attempt_counts) as "ofAccount",
       (select sum(n_tup_del)::integer from pg_stat_user_tables where relname ~ '^attempt_deltas') as deleted`,
  );
  return found as unknown as Found;
}

/** Folds until nothing is left to do, and lets the server count it. */
async function fold(): Promise<void> {
  while (await commit(database, "shard", (tx) => rollUpTable(tx, "attempt_deltas_0")));
  await commit(database, "shard", ({ db }) => db.run("-- name: flush\n select pg_stat_force_next_flush()"));
  await commit(database, "shard", ({ db }) => db.run("-- name: one\n select 1"));
}

const ALL = { left: 0, ofDestination: 2 * COMMITS, ofAccount: 2 * COMMITS };

describe("deltas of a turn that is over", () => {
  test("are added up without deleting a row for each", async () => {
    await insertTallies([0]);
    const { deleted } = await look();
    await fold();
    assert.deepEqual(await look(), { ...ALL, deleted });
  });

  test("are added up row by row while somebody reads the table for long", async () => {
    await insertTallies([0]);
    const reader = new pg.Client(url);
    await reader.connect();
    await reader.query("begin; select 1 from bellwire.attempt_deltas limit 1");
    const { deleted } = await look();
    await fold();
    await reader.end();
    assert.deepEqual(await look(), { ...ALL, deleted: deleted + COMMITS });
  });

  for (const [name, count] of [
    ["all at once", COMMITS],
    ["row by row", 50],
  ] as const) {
    test(`are dropped for an account that was deleted, ${name}`, async () => {
      await insertTallies([0]);
      await cluster.query(
        url,
        `delete from bellwire.attempt_deltas where ctid not in
        (select ctid from bellwire.attempt_deltas_0 limit ${count})`,
      );
      await cluster.query(url, "insert into bellwire.account_states values ('acme', 'deleted', 0, null, '[]', 0)");
      await fold();
      const { left, ofDestination, ofAccount } = await look();
      assert.deepEqual([left, ofDestination, ofAccount], [0, 0, 0]);
    });
  }

  test("are added up, and those of the turn that is written to are not", async () => {
    await insertTallies([0, 1]);
    await commit(database, "shard", rollUpInactive);
    assert.equal((await look()).left, COMMITS);
  });
});

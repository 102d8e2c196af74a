/** A queue in a state of its own: what its statements read of it then. */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { type Cluster, startCluster } from "../../../../test/kit/servers/postgres.ts";
import { systemClock } from "../../../lib/clock.ts";
import { FIND_OLDEST_DUE } from "../../sql/path/statistics.ts";
import type { Value } from "../connection/connection.ts";
import { newSession } from "../connection/connections.ts";
import { READ_IN_ORDER } from "../connection/transaction-settings.ts";
import { LIST_DESTINATIONS } from "../log/destination-reports.ts";
import { COUNT_PENDING } from "../log/list-deliveries.ts";
import { openPostgresStore } from "../open.ts";
import { TAKE_DUE } from "../path/claims.ts";
import { CORRECT_DUE_BOUNDS, NOTE_SERVED } from "../path/destinations.ts";

let cluster: Cluster;
before(async () => void (cluster = await startCluster({ settings: ["autovacuum=off"] })));
after(async () => await cluster[Symbol.asyncDispose]());

/** A database of the newest schema with these rows. */
async function fill(sql: string): Promise<string> {
  const url = await cluster.createDatabase();
  await (await openPostgresStore({ url, clock: systemClock })).store[Symbol.asyncDispose]();
  await cluster.query(url, sql);
  return url;
}

test("a queue that was never analysed is read in its index's order by claims and bounds", async () => {
  const url = await fill(
    `insert into bellwire.deliveries (is_ended, id, event_id, account_id, destination_id, state, due_at,
      created_at)
     select false, 'dlv_' || n, 'evt_' || n, 'acc_1', 'dst_' || n % 20, 'pending', n, n from generate_series(1,
       50000) n`,
  );
  const session = newSession({ url, pooler: "none", forcesSync: false });
  await session.connect();
  const ids = Array.from({ length: 20 }, (_, n) => `dst_${n}`);
  const read = async (sql: string, values: Value[]): Promise<string> => {
    const { rows } = await session.query<object>(`explain (format json) ${sql}`, values);
    return JSON.stringify(rows);
  };
  const asked = [
    [TAKE_DUE, [ids, ids.map(() => 64), 10 ** 6, 200]],
    [NOTE_SERVED, [ids, 1]],
    [CORRECT_DUE_BOUNDS, [ids]],
    [FIND_OLDEST_DUE, [10 ** 6]],
  ] as const;
  const SLOW = /"Bitmap Heap Scan"|"Sort"|"Seq Scan"[^{}]*"deliveries/;
  await session.query("begin");
  assert.match(await read(asked[0][0], [...asked[0][1]]), SLOW, "the setting is not needed any more");
  await session.query(READ_IN_ORDER);
  for (const [sql, values] of asked) assert.doesNotMatch(await read(sql, [...values]), SLOW, sql);
  await session.end();
});

test("a queue that two of many destinations have is not read for each of the others", async () => {
  const url =
    await fill(`insert into bellwire.destinations (id, account_id, state, next_due_at, owner_kind, owner_id, url,
      headers, created_at, updated_at)
    select 'dst_' || n, 'acc_1', 'on', case when n < 2 then 1 end, 'alert', 'alr_' || n, 'https://x.example/', '[]',
      0, 0 from generate_series(0, 499) n;
    insert into bellwire.deliveries (is_ended, id, event_id, account_id, destination_id, state, due_at, created_at)
    select false, 'dlv_' || n, 'evt_' || n, 'acc_1', 'dst_' || n % 2, 'pending', n, n from generate_series(1, 2000) n`);
  await cluster.query(url, "vacuum analyze");
  const session = newSession({ url, pooler: "none", forcesSync: false });
  await session.connect();
  const ids = Array.from({ length: 500 }, (_, n) => `dst_${n}`);
  for (const [sql, values] of [
    [LIST_DESTINATIONS, ["acc_1", null, false, 10_001]],
    [COUNT_PENDING, [ids, 10_001]],
  ] as const) {
    const { rows } = await session.query<{ "QUERY PLAN": [{ Plan: RunNode }] }>(
      `explain (analyze, format json) ${sql}`,
      [...values],
    );
    const plan = rows[0]?.["QUERY PLAN"][0].Plan;
    assert.ok(plan !== undefined && countQueueRows(plan) <= 2 * 2_000 + 500, `${sql}\n${JSON.stringify(plan)}`);
  }
  await session.end();
});

interface RunNode {
  readonly "Relation Name"?: string;
  readonly "Actual Rows": number;
  readonly "Actual Loops": number;
  /** On average of the loops, as `Actual Rows`. */
  readonly "Rows Removed by Filter"?: number;
  readonly Plans?: readonly RunNode[];
}

/** Rows of the queue that were looked at. */
function countQueueRows(node: RunNode): number {
  const own = (node["Actual Rows"] + (node["Rows Removed by Filter"] ?? 0)) * node["Actual Loops"];
  const below = (node.Plans ?? []).reduce((sum, each) => sum + countQueueRows(each), 0);
  return (node["Relation Name"] === "deliveries_pending" ? own : 0) + below;
}

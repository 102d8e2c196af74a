/** Whether each account lies in exactly one shard, with all that it ever had, and no move has left anything. */
import assert from "node:assert/strict";
import type { Acknowledged } from "../../test/kit/process/oracle.ts";
import { OF_SHARD } from "../../src/store/postgres/shards/move/tables.ts";
import type { Installation, PlacedShard } from "./installation.ts";

export async function assertInOneShard(installation: Installation, acknowledged: Acknowledged): Promise<void> {
  const { shards } = installation;
  const places = await readDirectory(installation);
  const events = new Set<string>();
  const seen = new Map<string, string>();
  for (const shard of shards) {
    const here = await column(shard, `select id as value from ${shard.schema}.accounts`);
    for (const id of here) {
      assert.equal(seen.get(id), undefined, `${id} is in two shards`);
      assert.equal(places.get(id) ?? "0", shard.name, `where the directory has ${id}, and where it is`);
      seen.set(id, shard.name);
    }
    for (const table of ["arriving_accounts", "departed_accounts"]) {
      const left = await column(shard, `select account_id as value from ${shard.schema}.${table}`);
      assert.deepEqual(left, [], `${table} of shard ${shard.name}`);
    }
    await assertNothingElse(shard, here);
    const ids = await column(shard, `select id as value from ${shard.schema}.events where source_id is not null`);
    for (const id of ids) events.add(id);
    const open = `select id as value from ${shard.schema}.deliveries where state <> 'delivered'`;
    assert.deepEqual(await column(shard, open), [], "deliveries that did not arrive, by their rows");
  }
  const missing = [...places.keys()].filter((id) => !seen.has(id));
  assert.deepEqual(missing, [], "accounts of the directory that are in no shard");
  const unknown = [...acknowledged.values()].flatMap(({ eventIds }) => [...eventIds]).filter((id) => !events.has(id));
  assert.deepEqual(unknown.slice(0, 5), [], `${unknown.length} acknowledged events are in no shard`);
}

/** Those that are not there are at home. */
async function readDirectory({ shards }: Installation): Promise<ReadonlyMap<string, string>> {
  const [{ cluster, url, schema }] = shards;
  const rows = await cluster.query(url, `select account_id, shard, moving_to, leaving from ${schema}.accounts_at`);
  const moving = rows.filter((row) => row["moving_to"] !== null || row["leaving"] !== null);
  assert.deepEqual(moving, [], "accounts that are still on their way");
  return new Map(rows.map((row) => [String(row["account_id"]), String(row["shard"])]));
}

/** No row of another account, and no attempt without its delivery. */
async function assertNothingElse(shard: PlacedShard, here: readonly string[]): Promise<void> {
  const { schema } = shard;
  const tables = await column(shard, listTables(schema));
  for (const table of tables.filter((name) => OF_SHARD[name] === undefined)) {
    const found = await column(shard, `select distinct account_id as value from ${schema}.${table}`);
    const others = found.filter((id) => !["", "null", ...here].includes(id));
    assert.deepEqual(others, [], `shard ${shard.name} has rows in ${table} of accounts that are elsewhere`);
  }
  const orphans = await column(
    shard,
    `select distinct a.delivery_id as value from ${schema}.attempts a
     where not exists (select 1 from ${schema}.deliveries d where d.id = a.delivery_id)`,
  );
  assert.deepEqual(orphans, [], `shard ${shard.name} has attempts without a delivery`);
}

const listTables = (schema: string): string => `
  select c.relname as value
  from pg_class c
  join pg_attribute a on a.attrelid = c.oid and a.attname = 'account_id' and not a.attisdropped
  where c.relnamespace = '${schema}'::regnamespace and c.relkind in ('r', 'p') and not c.relispartition`;

async function column({ cluster, url }: PlacedShard, sql: string): Promise<string[]> {
  return (await cluster.query(url, sql)).map(({ value }) => String(value));
}

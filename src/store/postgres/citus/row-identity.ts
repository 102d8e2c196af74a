/**
 * How changes of rows are followed while Citus copies a shard, when it is made and whenever it moves: by the row's key.
 * A table without one is followed by whole rows. PostgreSQL finds such a row by comparing each of its values, which it
 * cannot with `json`: the copy would stand still at the first row that is deleted.
 */
import type { Connection } from "../connection/connection.ts";
import type { MigratingSession } from "../schema/migrate.ts";
import { steppingAside } from "./stepping-aside.ts";

/** For all tables, those too that an earlier Bellwire has distributed. Statements read the text as JSON. */
export async function compareRows(session: MigratingSession): Promise<void> {
  const columns = await session.transaction((db) => db.all<{ table: string; column: string }>(LIST_INCOMPARABLE));
  for (const { table, column } of columns) {
    const sql = `alter table bellwire.${table} alter column ${column} type text`;
    await steppingAside(session, (db) => db.exec(sql));
  }
}

/** For a table and its partitions. */
export async function identifyRows(db: Connection, table: string): Promise<void> {
  for (const { name } of await db.all<{ name: string }>(LIST_WITHOUT_KEY, table)) {
    await db.exec(`alter table bellwire.${name} replica identity full`);
  }
}

/** Partitions follow their table. */
const LIST_INCOMPARABLE = `-- name: list columns that rows cannot be compared by
  select c.relname as "table", a.attname as "column"
  from pg_class c
  join pg_attribute b on b.attrelid = c.oid and b.attname = 'bucket' and not b.attisdropped
  join pg_attribute a on a.attrelid = c.oid and a.atttypid = 'json'::regtype and not a.attisdropped
  where c.relnamespace = 'bellwire'::regnamespace and c.relkind in ('r', 'p') and not c.relispartition
    and not exists (select 1 from pg_index i where i.indrelid = c.oid and i.indisprimary)`;

const LIST_WITHOUT_KEY = `-- name: list tables without a key
  select c.relname as name
  from pg_class c
  where c.relnamespace = 'bellwire'::regnamespace and c.relreplident = 'd'
    and (c.relname = $1 or c.oid in (select relid from pg_partition_tree(('bellwire.' || $1)::regclass)))
    and not exists (select 1 from pg_index i where i.indrelid = c.oid and i.indisprimary)`;

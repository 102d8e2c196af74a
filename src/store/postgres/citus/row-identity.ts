/**
 * How changes of rows are followed while Citus copies a shard, when it is made and whenever it moves: by the row's key.
 * A table without one is followed by whole rows. PostgreSQL finds such a row by comparing each of its values, so it has
 * no column of type `json`, which cannot be compared: the copy would stand still at the first row that is deleted.
 */
import type { Connection } from "../connection/connection.ts";

/** For a table and its partitions. */
export async function identifyRows(db: Connection, table: string): Promise<void> {
  for (const { name } of await db.all<{ name: string }>(LIST_WITHOUT_KEY, table)) {
    await db.exec(`alter table bellwire.${name} replica identity full`);
  }
}

const LIST_WITHOUT_KEY = `-- name: list tables without a key
  select c.relname as name
  from pg_class c
  where c.relnamespace = 'bellwire'::regnamespace and c.relreplident = 'd'
    and (c.relname = $1 or c.oid in (select relid from pg_partition_tree(('bellwire.' || $1)::regclass)))
    and not exists (select 1 from pg_index i where i.indrelid = c.oid and i.indisprimary)`;

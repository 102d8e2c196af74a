/** The tables, indexes and functions that a database has, for comparing an upgraded one with a new one. */
import { openConnection } from "../../../src/store/sqlite/connection/connection.ts";
import type { SharedCluster } from "../servers/postgres.ts";

/** Its statements, without comments. */
export function readSchemaOfFile(path: string): string[] {
  const db = openConnection(path);
  const rows = db.all<{ sql: string }>("select sql from sqlite_schema where sql is not null order by name");
  db.close();
  return rows.map(({ sql }) => sql.replace(/--.*/g, "").replace(/\s+/g, " "));
}

/** But for the tables of days, which nodes make. */
export const readSchemaOfDatabase = (cluster: SharedCluster, url: string): Promise<unknown> =>
  cluster.query(url, LIST_SCHEMA);

const LIST_SCHEMA = `
  with tables as (
    select oid, relname,
      concat_ws(' ', relname, reloptions, pg_get_expr(relpartbound, oid), pg_get_partkeydef(oid)) as line
    from pg_class
    where relnamespace = 'bellwire'::regnamespace and relkind in ('r', 'p') and relname !~ '_[0-9]{8}$'
  )
  select line from tables
  union all
  select concat_ws(' ', relname, attname, format_type(atttypid, atttypmod), attcollation::regcollation, attnotnull,
    attidentity, attgenerated, pg_get_expr(adbin, adrelid))
  from tables
  join pg_attribute a on attrelid = tables.oid and attnum > 0 and not attisdropped
  left join pg_attrdef on adrelid = attrelid and adnum = attnum
  union all
  select pg_get_indexdef(indexrelid) from tables join pg_index on indrelid = tables.oid
  union all
  select concat_ws(' ', relname, conname, pg_get_constraintdef(c.oid))
  from tables
  join pg_constraint c on conrelid = tables.oid
  union all
  select pg_get_functiondef(oid) from pg_proc where pronamespace = 'bellwire'::regnamespace
  order by line`;

/**
 * The schema `bellwire` as text that makes it again, for databases that are kept, and that people review. Tables come
 * from the steps that made them, since npm brings a server and no `pg_dump`; days and rows come from the database.
 */
import type { Migration } from "../../../src/store/postgres/schema/migrations.ts";

export type Query = (sql: string) => Promise<readonly Record<string, unknown>[]>;

export async function dumpPostgres(query: Query, migrations: readonly Migration[]): Promise<string> {
  const list = async (sql: string) => (await query(sql)).map(({ text }) => String(text));
  const rows = [];
  for (const select of await list(LIST_SELECTS)) rows.push(...(await list(select)));
  return [
    "create schema bellwire;",
    "set search_path = bellwire;",
    ...(await list(HISTORY)),
    // A dump is loaded in one transaction, in which no index is made beside writers.
    ...migrations.map(({ sql }) => sql.trim().replace("create index concurrently", "create index")),
    ...(await list(LIST_DAYS)),
    ...(await list(EMPTY_FIRST)),
    ...rows,
    ...(await list(LIST_SEQUENCES)),
    "reset search_path;",
    "",
  ].join("\n");
}

/** The table that a migration makes before its first step. */
const HISTORY = `
  select 'create table schema_migrations (' || string_agg(format('%I %s', a.attname, format_type(a.atttypid, -1))
    || case when a.attname = 'version' then ' primary key' when a.attnotnull then ' not null' else '' end, ', '
    order by a.attnum) || ');' as text
  from pg_attribute a
  where a.attrelid = 'bellwire.schema_migrations'::regclass and a.attnum > 0 and not a.attisdropped`;

const LIST_DAYS = `
  select format('create table %I partition of %I %s', c.relname, p.relname, pg_get_expr(c.relpartbound, c.oid))
    || coalesce(' with (' || array_to_string(c.reloptions, ', ') || ')', '') || ';' as text
  from pg_inherits i join pg_class c on c.oid = i.inhrelid join pg_class p on p.oid = i.inhparent
  where c.relnamespace = 'bellwire'::regnamespace and c.relname ~ '_[0-9]{8}$'
  order by c.relname`;

/** Rows that the steps have made. */
const EMPTY_FIRST = `
  select format('delete from %I;', relname) as text
  from pg_class
  where relnamespace = 'bellwire'::regnamespace and relkind in ('r', 'p') and not relispartition
  order by relname`;

/** For each table a query that writes its rows as statements. Columns that the database computes are left out. */
const LIST_SELECTS = `
  select format(
    'select %L || concat_ws('', '', %s) || '');'' as text from bellwire.%I t order by t::text collate "C"',
    format('insert into %I (%s) overriding system value values (', c.relname,
      string_agg(quote_ident(a.attname), ', ' order by a.attnum)),
    string_agg(format('quote_nullable(%I)', a.attname), ', ' order by a.attnum),
    c.relname) as text
  from pg_class c join pg_attribute a on a.attrelid = c.oid
  where c.relnamespace = 'bellwire'::regnamespace and c.relkind in ('r', 'p') and not c.relispartition
    and a.attnum > 0 and not a.attisdropped and a.attgenerated = ''
  group by c.relname
  order by c.relname`;

const LIST_SEQUENCES = `
  select format('select setval(%L, %s);', 'bellwire.' || sequencename, last_value) as text
  from pg_sequences
  where schemaname = 'bellwire' and last_value is not null
  order by sequencename`;

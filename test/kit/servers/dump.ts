/**
 * A database as a text of SQL, as `pg_dump` would make it: the npm package of PostgreSQL has none. Its rows are written
 * anew where it is restored, in other transactions and in tables of their own.
 */
import { createHistory } from "../../../src/store/postgres/schema/migrate.ts";
import { MIGRATIONS } from "../../../src/store/postgres/schema/migrations.ts";
import type { SharedCluster } from "./postgres.ts";

export interface DumpDatabase {
  readonly url: string;
  /** The tables of one day, as an instant in it, or of all: nodes make others ahead, by the clock of the database. */
  readonly day: number | "all";
}

type Table = Readonly<Record<"table" | "columns" | "values", string>>;

/** The steps of the schema, then its rows. */
export async function dumpDatabase({ query }: SharedCluster, { url, day }: DumpDatabase): Promise<string> {
  const lines = ["begin", createHistory("bellwire"), "set local search_path = bellwire"];
  lines.push(...MIGRATIONS.map(({ sql }) => sql.trimEnd().replace(/;$/, "")));
  lines.push(...(await query(url, listDays(day))).map(({ line }) => String(line)));
  for (const { table, columns, values } of (await query(url, LIST_TABLES)) as unknown as Table[]) {
    const rows = await query(url, `select concat_ws(', ', ${values}) as row from bellwire.${table} order by 1`);
    const insert = `insert into ${table} (${columns}) overriding system value values`;
    // What a step itself has put in is among the rows.
    lines.push(`delete from ${table}`, ...rows.map(({ row }) => `${insert} (${String(row)})`));
  }
  lines.push(...(await query(url, LIST_SEQUENCES)).map(({ line }) => String(line)), "commit");
  return `${lines.join(";\n")};\n`;
}

/** Rows of a day are among its parent's. */
const LIST_TABLES = `
  select relname as "table", string_agg(quote_ident(attname), ', ' order by attnum) as columns,
    string_agg(format('quote_nullable(%I::text)', attname), ', ' order by attnum) as "values"
  from pg_class
  join pg_attribute on attrelid = pg_class.oid and attnum > 0 and not attisdropped and attgenerated = ''
  where relnamespace = 'bellwire'::regnamespace and relkind in ('r', 'p') and not relispartition
  group by relname
  order by relname`;

const listDays = (day: number | "all"): string => `
  select format('create table %I (like %I including defaults including constraints) with (%s);\n'
    'alter table %2$I attach partition %1$I %4$s', day.relname, parent.relname, array_to_string(day.reloptions, ', '),
    pg_get_expr(day.relpartbound, day.oid)) as line
  from pg_class day
  join pg_inherits on inhrelid = day.oid
  join pg_class parent on parent.oid = inhparent
  where parent.relnamespace = 'bellwire'::regnamespace
    and day.relname ~ ${day === "all" ? "'_[0-9]{8}$'" : `to_char(to_timestamp(${day} / 1000), '"_"YYYYMMDD"$"')`}
  order by 1`;

const LIST_SEQUENCES = `
  select format('select setval(%L, %s)', sequencename, last_value) as line
  from pg_sequences
  where schemaname = 'bellwire' and last_value is not null
  order by sequencename`;

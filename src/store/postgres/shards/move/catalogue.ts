/** The columns of the tables, as the database has them: a move copies whatever columns there are. */
import { assert } from "../../../../lib/assert.ts";
import type { Connection } from "../../connection/connection.ts";

export interface Column {
  readonly name: string;
  /** As a list of columns has it, with its collation. */
  readonly type: string;
}

export interface Columns {
  /** Those that are written: all but generated ones. */
  readonly columns: readonly Column[];
  readonly all: readonly string[];
  readonly key: readonly Column[];
  /** The one that the database numbers by itself; `null`: none. */
  readonly identity: string | null;
}

export type Catalogue = ReadonlyMap<string, Columns>;

/** Of every table in the session's schema. */
export async function loadCatalogue(db: Connection): Promise<Catalogue> {
  const rows = await db.all<Row>(LIST_COLUMNS);
  const tables = Map.groupBy(rows, ({ table }) => table);
  return new Map([...tables].map(([table, columns]) => [table, toColumns(columns)]));
}

export function columnsOf(catalogue: Catalogue, table: string): Columns {
  const columns = catalogue.get(table);
  assert(columns !== undefined, `the schema has no table ${table}`);
  return columns;
}

interface Row extends Column {
  readonly table: string;
  readonly isIdentity: boolean;
  /** From 1 on in the table's key; `null`: it is not part of it. */
  readonly keyPlace: number | null;
}

function toColumns(columns: readonly Row[]): Columns {
  const key = columns.filter(({ keyPlace }) => keyPlace !== null);
  return {
    columns,
    all: columns.map(({ name }) => name),
    key: key.toSorted((a, b) => (a.keyPlace ?? 0) - (b.keyPlace ?? 0)),
    identity: columns.find(({ isIdentity }) => isIdentity)?.name ?? null,
  };
}

/** Partitions have their parent's columns. */
const LIST_COLUMNS = `-- name: list columns of tables
  select c.relname as table, a.attname as name, a.attidentity <> '' as "isIdentity",
    format_type(a.atttypid, a.atttypmod) || case when o.collname = 'C' then ' collate "C"' else '' end as type,
    array_position(k.conkey, a.attnum) as "keyPlace"
  from pg_class c
  join pg_attribute a on a.attrelid = c.oid
  left join pg_collation o on o.oid = a.attcollation
  left join pg_constraint k on k.conrelid = c.oid and k.contype = 'p'
  where c.relnamespace = current_schema()::regnamespace and c.relkind in ('r', 'p') and not c.relispartition
    and a.attnum > 0 and not a.attisdropped and a.attgenerated = ''
  order by c.relname, a.attnum`;

/**
 * The rows that make an account live: taken out of one shard as one JSON text, kept in the other one's
 * `arriving_accounts`, and put into their tables there in one transaction.
 */
import type { Connection } from "../../connection/connection.ts";
import { type Catalogue, columnsOf } from "./catalogue.ts";
import type { Owners, Reader } from "./copy.ts";
import { LIVE, type LiveTable } from "./tables.ts";

/** JSON: {table: [row]}. */
export async function readLiveRows(
  db: Reader,
  { accountId, owners, catalogue }: { accountId: string; owners: Owners; catalogue: Catalogue },
): Promise<string> {
  const tables: string[] = [];
  for (const table of LIVE) {
    const found = await db.get<{ rows: string }>(toFetch(table, catalogue), accountId, idsOf(table, owners));
    tables.push(`"${table.name}":${found?.rows ?? "[]"}`);
  }
  return `{${tables.join(",")}}`;
}

/** Out of `arriving_accounts`. Nodes that decided by what the account was before are told that it has changed. */
export async function insertLiveRows(db: Connection, accountId: string, catalogue: Catalogue): Promise<void> {
  const tables = await db.all<{ name: string; rows: string }>(FIND_LIVE_ROWS, accountId);
  const rowsOf = new Map(tables.map(({ name, rows }) => [name, rows]));
  for (const { name } of LIVE) await db.run(toInsert(name, catalogue), rowsOf.get(name) ?? "[]");
  await db.run(RAISE_VERSION, accountId);
}

/** The account's own row last. */
export async function deleteLiveRows(db: Connection, accountId: string, owners: Owners): Promise<void> {
  for (const table of LIVE.toReversed()) await db.run(toDelete(table), accountId, idsOf(table, owners));
}

const idsOf = ({ owner }: LiveTable, owners: Owners): readonly string[] => (owner === null ? [] : owners[owner]);

/** Parameters that a table has no use for have a type all the same. */
const isOfAccount = ({ where }: LiveTable): string => `${where} and $1::text is not null and $2::text[] is not null`;

function toFetch(table: LiveTable, catalogue: Catalogue): string {
  const { all, key } = columnsOf(catalogue, table.name);
  return `-- name: fetch live rows of ${table.name}
    select coalesce(json_agg(row_to_json(one) order by ${key.map(({ name }) => `one.${name}`).join(", ")}), '[]')::text
      as rows
    from (
      select ${all.map((name) => `t.${name}`).join(", ")}
      from ${table.name} t
      where ${isOfAccount(table)}
    ) one`;
}

function toInsert(name: string, catalogue: Catalogue): string {
  const { all, identity } = columnsOf(catalogue, name);
  const names = all.filter((column) => column !== identity);
  return `-- name: insert live rows of ${name}
    insert into ${name} (${names.join(", ")})
    select ${names.map((column) => `t.${column}`).join(", ")}
    from json_populate_recordset(null::${name}, $1::json) t
    ${identity === null ? "" : `order by t.${identity}`}`;
}

/** By way of us: Citus makes faulty SQL of an insert that reads another table of the schema through such a function. */
const FIND_LIVE_ROWS = `-- name: find live rows of arriving account
  select one.key as name, one.value::text as rows
  from arriving_accounts a
  cross join lateral json_each(a.rows) one
  where a.account_id = $1`;

const toDelete = (table: LiveTable): string => `-- name: delete live rows of ${table.name}
    delete from ${table.name} t
    where ${isOfAccount(table)}`;

const RAISE_VERSION = `-- name: raise version of moved account
  update accounts
  set config_version = config_version + 1, moves = moves + 1, closed_until = null
  where id = $1`;

/** An SQLite database as text that makes it again: for databases that are kept, and that people review. */
import type { Connection } from "../../../src/store/sqlite/connection/connection.ts";

export function dumpSqlite(db: Connection): string {
  const id = db.get<{ application_id: number }>("pragma application_id")?.application_id ?? 0;
  const entries = db.all<{ type: string; name: string; sql: string }>(LIST_SCHEMA);
  // An index of words has no rows of its own: those databases are kept without what search has indexed.
  const tables = entries.filter(({ type, sql }) => type === "table" && !/^create virtual/i.test(sql));
  return [
    `pragma application_id = ${id};`,
    "begin;",
    ...entries.map(({ sql }) => `${sql};`),
    ...tables.flatMap(({ name }) => dumpRows(db, name)),
    "delete from sqlite_sequence;",
    ...dumpRows(db, "sqlite_sequence"),
    "commit;",
    "",
  ].join("\n");
}

function dumpRows(db: Connection, table: string): string[] {
  const columns = db.all<{ name: string }>("select name from pragma_table_xinfo(?) where hidden = 0", table);
  const names = columns.map(({ name }) => `"${name}"`);
  const values = names.map((name) => `quote(${name})`).join(" || ', ' || ");
  const rows = db.all<{ row: string }>(`select ${values} as row from "${table}" order by 1`);
  return rows.map(({ row }) => `insert into ${table} (${names.join(", ")}) values (${row});`);
}

const LIST_SCHEMA = `
  select type, name, sql
  from sqlite_schema
  where sql is not null and name not like 'sqlite_%'
    and name not in (select name from pragma_table_list where type = 'shadow')
  order by rowid`;

/**
 * The SQLite database that is moved away: held by its lock, so that no service changes what is read, and read table by
 * table in batches by key.
 */
import { type DatabaseFile, openDatabaseFile } from "../sqlite/writer/database-file.ts";
import { loadSetting, saveSetting } from "../sql/settings.ts";
import { commit, commitAtOnce } from "../sqlite/commit.ts";
import { rollUpAll } from "../sqlite/figures/attempt-counts.ts";
import { type Cell, type Row, countChars, fromSource, toSource, type MovedTable } from "./cells.ts";

/** The most that a batch has in memory, save that one row may be larger. Guesses: more makes a move hardly quicker. */
const BATCH_ROWS_MAX = 2_000;
const BATCH_CHARS_MAX = 4 * 1024 * 1024;

/** The key of the last row that was read, in the table's order. */
export type Place = readonly Cell[];

export interface Batch {
  readonly rows: readonly Row[];
  /** The place of its last row. */
  readonly place: Place;
}

export interface Source extends Disposable {
  /** The file's path, for messages. */
  readonly path: string;
  readonly settings: Settings;
  countRows(table: MovedTable): number;
  /** The rows behind `place`, or `null` at the table's end. */
  readBatch(table: MovedTable, place: Place | null): Batch | null;
  /** When the first event was accepted, and the last; `null` without any. */
  eventSpan(): { readonly firstMs: number; readonly lastMs: number } | null;
  /** The last number that was given to a row; 0 for none. */
  lastNumber(table: MovedTable): number;
}

/** Those verbs of the store that a mark needs. */
export interface Settings {
  loadSetting(params: { name: string }): Promise<string | null>;
  saveSetting(params: { name: string; value: string }): Promise<void>;
  deleteSetting(params: { name: string }): Promise<void>;
}

/** Throws `StoreUnusable` when a service has the file, and what else opening it as a store throws. */
export function openSource({ path, nowMs }: { path: string; nowMs: number }): Source {
  const file = openDatabaseFile({ path, nowMs });
  commitAtOnce(file.db, rollUpAll);
  return {
    path,
    settings: settingsIn(file),
    countRows: (table) => file.db.get<{ count: number }>(toCountRows(table))?.count ?? 0,
    readBatch: (table, place) => readBatch(file, table, place),
    eventSpan: () => file.db.get<{ firstMs: number; lastMs: number }>(FIND_EVENT_SPAN) ?? null,
    lastNumber: ({ name }) => file.db.get<{ last: number | null }>(toFindLastNumber(name))?.last ?? 0,
    [Symbol.dispose]: () => file[Symbol.dispose](),
  };
}

function settingsIn({ db }: DatabaseFile): Settings {
  return {
    loadSetting: async (params) => commit(db, (tx) => loadSetting(tx, params)),
    saveSetting: async (params) => commit(db, (tx) => saveSetting(tx, params)),
    deleteSetting: async ({ name }) => void (await commit(db, (tx) => tx.db.run(DELETE_SETTING, name))),
  };
}

/** Ends only where a key ends: the rows that one key unpacks to stay together. */
function readBatch({ db }: DatabaseFile, table: MovedTable, after: Place | null): Batch | null {
  const kinds = table.order.map(({ kind }) => kind);
  const columns = table.columns.map(({ kind }) => kind);
  const values = after === null ? [] : after.map(toSource);
  const rows: Row[] = [];
  let place: Place = [];
  let chars = 0;
  for (const read of db.each<Record<string, unknown>>(toReadRows(table, after), ...values)) {
    const here = kinds.map((kind, index) => fromSource(kind, read[`k${index}`]));
    const isFull = rows.length >= BATCH_ROWS_MAX || chars >= BATCH_CHARS_MAX;
    if (isFull && here.some((cell, index) => cell !== place[index])) break;
    const row = columns.map((kind, index) => fromSource(kind, read[`c${index}`]));
    for (const cell of row) chars += countChars(cell);
    rows.push(row);
    place = here;
  }
  return rows.length === 0 ? null : { rows, place };
}

/** Without a limit: rows are read as they are asked for, in the order of the table's own key. */
function toReadRows({ from, order, columns, unpack, only }: MovedTable, after: Place | null): string {
  const keys = order.map(({ name }) => `t.${name}`);
  const read = [
    ...keys.map((key, index) => `${key} as k${index}`),
    ...columns.map((column, n) => `${column.read} as c${n}`),
  ];
  const behind = after === null ? [] : [`(${keys.join(", ")}) > (${keys.map(() => "?").join(", ")})`];
  const conditions = [...behind, ...(only === undefined ? [] : [only])];
  return `-- name: read rows to move
    select ${read.join(", ")}
    from ${from} t ${unpack === undefined ? "" : `cross join ${unpack} b`}
    ${conditions.length === 0 ? "" : `where ${conditions.join(" and ")}`}
    order by ${keys.join(", ")}`;
}

const toCountRows = ({ from, unpack, only }: MovedTable): string => `-- name: count rows to move
  select count(*) as count
  from ${from} t ${unpack === undefined ? "" : `cross join ${unpack} b`}
  ${only === undefined ? "" : `where ${only}`}`;

/** Numbers of notices are never used twice, not even those of rows that are gone: an e-mail's id is made of one. */
const toFindLastNumber = (name: string): string => `-- name: find last number of table
  select max(seq) as last
  from (select max(seq) as seq from ${name} union all select seq from sqlite_sequence where name = '${name}')`;

/** Events are numbered as they are accepted. */
const FIND_EVENT_SPAN = `-- name: find span of events
  select oldest.accepted_at as "firstMs", newest.accepted_at as "lastMs"
  from events oldest
  cross join events newest
  where oldest.seq = (select min(seq) from events) and newest.seq = (select max(seq) from events)`;

const DELETE_SETTING = `-- name: delete setting
  delete from settings
  where name = ?`;

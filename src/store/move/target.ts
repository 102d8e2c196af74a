/**
 * The PostgreSQL database that is moved into. A batch and its place are one transaction, so that a move which is killed
 * at any moment goes on behind the last row that arrived.
 *
 * The place's row is written first and only over what this move wrote last: of two processes that move into one
 * database (the older one may be dead already, with its last transaction still on its way) one fails.
 */
import type { Clock } from "../../lib/clock.ts";
import { daysMs, minutesMs } from "../../lib/duration.ts";
import { toBeginning, describeUrl, openPool } from "../postgres/connection/connections.ts";
import type { Value } from "../postgres/connection/connection.ts";
import { daysFrom, startOfDay } from "../postgres/days.ts";
import { inspectPostgres } from "../postgres/inspect.ts";
import { NEWEST_VERSION } from "../postgres/schema/migrations.ts";
import { openPostgresStore } from "../postgres/open.ts";
import { openingError, type Pooler } from "../postgres/connection/server.ts";
import { loadCalendar, makeDays } from "../postgres/schema/partitions.ts";
import { loadCatalogue } from "../postgres/shards/move/catalogue.ts";
import { commit, type Database, newMemory, type Transaction } from "../postgres/transaction.ts";
import { StoreUnavailable, StoreUnusable } from "../contract/store.ts";
import { type Cell, KINDS, type Row, fromTarget, type MovedTable } from "./cells.ts";
import type { Arriving } from "./marks.ts";
import { listTables, MARKS } from "./tables.ts";

export interface Target extends AsyncDisposable {
  /** Such as `the database bellwire of app at db:5432`. */
  readonly place: string;
  /** In the order in which they are moved. */
  readonly tables: readonly MovedTable[];
  loadSetting(name: string): Promise<string | null>;
  /** The first of the tables that has something in it. */
  firstFilledTable(): Promise<string | null>;
  /** Makes tables for the days of that time, as far as it can. */
  makeDays(span: { readonly firstMs: number; readonly lastMs: number }): Promise<void>;
  /** Rejects when somebody else has begun. */
  begin(mark: Arriving): Promise<void>;
  /** The rows, and `mark` in place of `before`. */
  insert(table: MovedTable, rows: readonly Row[], marks: Marks): Promise<void>;
  /** So that looking rows up follows their keys. */
  analyze(table: MovedTable): Promise<void>;
  /** The rows with the same keys as these, in their order; `null` for those that are not there. */
  find(table: MovedTable, rows: readonly Row[]): Promise<(Row | null)[]>;
  countRows(table: MovedTable): Promise<number>;
  /** New rows are numbered on from `lastNumbers`, and nodes may start: in one transaction. */
  complete(lastNumbers: ReadonlyMap<string, number>, marks: { before: Arriving; after: string }): Promise<void>;
}

export interface Marks {
  readonly before: Arriving;
  readonly mark: Arriving;
}

interface OpenTarget {
  readonly url: string;
  readonly pooler?: Pooler;
  readonly clock: Clock;
}

/** One connection does it: batches follow each other. Counting a large table takes its time. */
const ONE_CONNECTION = { connectionsMax: 1, statementMsMax: minutesMs(60) };

/**
 * Makes the tables where there are none. Rejects with `StoreUnusable` (no database to move into: a newer Bellwire's,
 * somebody else's) or `StoreUnavailable`, as opening it as a store does.
 */
export async function openTarget({ url, pooler = "none", clock }: OpenTarget): Promise<Target> {
  const place = describeUrl(url);
  const connections = { url, pooler, forcesSync: true };
  const database: Database = {
    pool: openPool(connections, ONE_CONNECTION),
    beginning: toBeginning(connections, ONE_CONNECTION),
    node: newMemory(),
    onReadOnly: () => {},
  };
  const run: Run = async (work) => {
    try {
      return await commit(database, "nothing", work);
    } catch (error) {
      throw openingError(place, error);
    }
  };
  let tables: readonly MovedTable[];
  try {
    await prepare({ url, pooler, clock }, run);
    tables = listTables(await run(({ db }) => loadCatalogue(db)));
  } catch (error) {
    await database.pool.end();
    throw error;
  }
  return {
    place,
    tables,
    loadSetting: (name) => run(async ({ db }) => (await db.get<{ value: string }>(FIND_MARK, name))?.value ?? null),
    firstFilledTable: () => run((tx) => firstFilledTable(tx, tables)),
    async makeDays(span) {
      for (const days of inBatches(listDays(span))) await run((tx) => makeTables(tx, days));
    },
    begin: (mark) => run(async (tx) => await insertMark(tx, MARKS.arriving, JSON.stringify(mark))),
    insert: (table, rows, marks) =>
      run(async (tx) => void (await Promise.all([moveMark(tx, marks), insertRows(tx, table, rows)]))),
    analyze: (table) => run(async ({ db }) => await db.exec(`analyze ${table.name}`)),
    find: (table, rows) => run((tx) => findRows(tx, table, rows)),
    countRows: (table) => run(async ({ db }) => (await db.get<{ count: number }>(toCountRows(table)))?.count ?? 0),
    complete: (lastNumbers, marks) => run((tx) => complete(tx, lastNumbers, marks)),
    [Symbol.asyncDispose]: () => database.pool.end(),
  };
}

type Run = <Answer>(work: (tx: Transaction) => Promise<Answer>) => Promise<Answer>;

/** Somebody else's installation, which an older Bellwire may be running, is refused before it is brought up to date. */
async function prepare(target: Required<OpenTarget>, run: Run): Promise<void> {
  const { place, schemaVersion } = await inspectPostgres(target);
  if (schemaVersion > NEWEST_VERSION) {
    throw new StoreUnusable(
      `${place} has schema version ${schemaVersion}, this Bellwire knows up to ${NEWEST_VERSION}: move with the ` +
        "version that is to run there",
    );
  }
  const isOlder = schemaVersion > 0 && schemaVersion < NEWEST_VERSION;
  if (isOlder && (await run(isForeign))) throw new StoreUnusable(`${place} has an installation already; name another`);
  const { store } = await openPostgresStore(target);
  await store[Symbol.asyncDispose]();
}

async function isForeign({ db }: Transaction): Promise<boolean> {
  const marks = await db.all(FIND_MARK, MARKS.arriving);
  return marks.length === 0 && (await db.get(FIND_ANY_ACCOUNT)) !== undefined;
}

async function firstFilledTable({ db }: Transaction, tables: readonly MovedTable[]): Promise<string | null> {
  for (const table of tables) {
    if ((await db.get(toFindAnyRow(table))) !== undefined) return table.name;
  }
  return null;
}

/** Rows of older days are kept in the default partitions, where retention finds them too. */
const DAYS_MAX = 400;

/** A day is twenty tables and indexes, each locked until the commit, and a small server has room for 3,000 locks. */
const DAYS_AT_ONCE = 30;

function listDays({ firstMs, lastMs }: Parameters<Target["makeDays"]>[0]): number[] {
  const count = Math.min(DAYS_MAX, Math.floor((startOfDay(lastMs) - startOfDay(firstMs)) / daysMs(1)) + 1);
  return daysFrom(startOfDay(lastMs) - daysMs(count - 1), count);
}

const inBatches = (days: readonly number[]): number[][] =>
  Array.from({ length: Math.ceil(days.length / DAYS_AT_ONCE) }, (_, batch) =>
    days.slice(batch * DAYS_AT_ONCE, (batch + 1) * DAYS_AT_ONCE),
  );

async function makeTables({ db }: Transaction, days: readonly number[]): Promise<void> {
  await makeDays(db, (await loadCalendar(db)).days, days);
}

async function insertMark({ db }: Transaction, name: string, value: string): Promise<void> {
  if ((await db.run(INSERT_MARK, name, value)) === 1) return;
  throw new StoreUnusable("another move into this database has begun at the same moment; let it end");
}

async function moveMark({ db }: Transaction, { before, mark }: Marks): Promise<void> {
  const moved = await db.run(MOVE_MARK, MARKS.arriving, JSON.stringify(mark), JSON.stringify(before));
  if (moved !== 1) throw new StoreUnavailable("another process moves into this database too; let it end, or end it");
}

async function insertRows({ db }: Transaction, table: MovedTable, rows: readonly Row[]): Promise<void> {
  const given = rows.map((row) => Object.fromEntries(row.map((cell, index) => [`c${index}`, cell])));
  await db.run(toInsertRows(table), JSON.stringify(given));
}

async function findRows({ db }: Transaction, table: MovedTable, rows: readonly Row[]): Promise<(Row | null)[]> {
  const kinds = table.columns.map(({ kind }) => kind);
  const places = table.key.map((column) => table.columns.indexOf(column));
  const keys = rows.map((row) => places.map((place) => row[place] ?? null));
  const found = await db.all<Record<string, unknown>>(toFindRows(table), ...toColumns(keys, places.length));
  return found.map((read) =>
    read["is_there"] === true ? kinds.map((kind, index) => fromTarget(kind, read[`c${index}`])) : null,
  );
}

async function complete(
  { db }: Transaction,
  lastNumbers: ReadonlyMap<string, number>,
  { before, after }: { before: Arriving; after: string },
): Promise<void> {
  for (const [name, last] of lastNumbers) {
    if (last > 0) await db.run(SET_NUMBER, name, last);
  }
  const deleted = await db.run(DELETE_MARK, MARKS.arriving, JSON.stringify(before));
  if (deleted !== 1) throw new StoreUnavailable("another process moves into this database too; let it end, or end it");
  await db.run(INSERT_MARK, MARKS.arrived, after);
}

/** Keys as arrays of their columns, for `unnest`. */
function toColumns(rows: readonly Row[], count: number): Value[] {
  return Array.from({ length: count }, (_, index) => rows.map((row): Cell => row[index] ?? null));
}

/**
 * As one JSON text. As an array each would cost the client ten times as much (80 µs a body of 1 KB against 8), because
 * every quotation mark of a body is escaped there by itself.
 */
function toInsertRows({ name, columns }: MovedTable): string {
  const names = columns.map((column) => column.name);
  const kinds = columns.map(({ kind }) => KINDS[kind]);
  return `-- name: insert moved ${name}
    insert into ${name} (${names.join(", ")})
    overriding system value
    select ${kinds.map(({ write }, index) => write(`c${index}`)).join(", ")}
    from json_to_recordset($1::json) as given (${kinds.map(({ type }, index) => `c${index} ${type}`).join(", ")})`;
}

function toFindRows({ name, columns, key }: MovedTable): string {
  const arrays = key.map(({ kind }, index) => `$${index + 1}::${KINDS[kind].type}[]`);
  const given = key.map((_, index) => `k${index}`);
  const cells = columns.map((column, index) => `t.${column.name} as c${index}`);
  return `-- name: find moved ${name}
    select t.${key[0]?.name} is not null as "is_there", ${cells.join(", ")}
    from unnest(${arrays.join(", ")}) with ordinality as given (${given.join(", ")}, place)
    left join ${name} t on ${key.map((column, index) => `t.${column.name} = given.k${index}`).join(" and ")}
    order by given.place`;
}

const toCountRows = ({ name, only }: MovedTable): string => `-- name: count moved ${name}
  select count(*) as count
  from ${name} t
  ${only === undefined ? "" : `where ${only}`}`;

const toFindAnyRow = ({ name, only }: MovedTable): string => `-- name: find any row of ${name}
  select 1
  from ${name} t
  ${only === undefined ? "" : `where ${only}`}
  limit 1`;

/** Every version has had this table. */
const FIND_ANY_ACCOUNT = `-- name: find any account of target
  select 1
  from accounts
  limit 1`;

const FIND_MARK = `-- name: find mark of move
  select value
  from settings
  where name = $1`;

const INSERT_MARK = `-- name: insert mark of move
  insert into settings (name, value)
  values ($1, $2)
  on conflict do nothing`;

const MOVE_MARK = `-- name: move mark of move on
  update settings
  set value = $2
  where name = $1 and value = $3`;

const DELETE_MARK = `-- name: delete mark of move
  delete from settings
  where name = $1 and value = $2`;

const SET_NUMBER = `-- name: set last number of moved rows
  select setval(pg_get_serial_sequence($1, 'seq'), $2)`;

/**
 * An account's rows in a shard of the simulator, which is an SQLite database: read as a whole, put into another one
 * with its own numbers, and deleted. Which tables are history and which make an account live is production's list.
 */
import type { Owners } from "../../src/store/postgres/shards/move/copy.ts";
import { HISTORY, LIVE } from "../../src/store/postgres/shards/move/tables.ts";
import type { Connection } from "../../src/store/sqlite/connection/connection.ts";
import type { Transaction } from "../../src/store/sqlite/transaction.ts";

type Value = string | number | null | Uint8Array;
type Row = Readonly<Record<string, Value>>;

/** By table. */
export type Rows = ReadonlyMap<string, readonly Row[]>;

export interface OfAccount {
  readonly accountId: string;
  readonly owners: Owners;
}

/** PostgreSQL alone has these. */
const ELSEWHERE: ReadonlySet<string> = new Set(["account_hours"]);

const namesOf = (tables: readonly { readonly name: string }[]): readonly string[] =>
  tables.map(({ name }) => name).filter((name) => !ELSEWHERE.has(name));

/** What leads to others comes behind them, so that they can be deleted in this order. */
export const HISTORY_TABLES: readonly string[] = [
  "attempts",
  ...namesOf(HISTORY).filter((name) => name !== "attempts"),
];
export const LIVE_TABLES: readonly string[] = namesOf(LIVE);

const listed = (ids: string): string => `in (select value from json_each(${ids}))`;

/** Of account ?1, its destinations ?2, replays ?3 and addresses ?4. */
const WHERE: Readonly<Record<string, string>> = {
  accounts: "id = ?1",
  attempts: "delivery_id in (select id from deliveries where account_id = ?1)",
  attempt_counts: `destination_id ${listed("?2")}`,
  replay_items: `replay_id ${listed("?3")}`,
  mail_links: `address_id ${listed("?4")}`,
  operator_conditions: `subject ${listed("?2")}`,
};

const isOf = (table: string): string =>
  `${WHERE[table] ?? "account_id = ?1"} and ?1 is not null and ?2 is not null and ?3 is not null and ?4 is not null`;

const valuesOf = ({ accountId, owners }: OfAccount): string[] => [
  accountId,
  ...[owners.destinations, owners.replays, owners.addresses].map((ids) => JSON.stringify(ids)),
];

export const isHere = (db: Connection, accountId: string): boolean =>
  db.get("select 1 from accounts where id = ?", accountId) !== undefined;

export function loadOwners(db: Connection, accountId: string): Owners {
  const idsOf = (table: string): string[] =>
    db.all<{ id: string }>(`select id from ${table} where account_id = ? order by id`, accountId).map(({ id }) => id);
  return { destinations: idsOf("destinations"), replays: idsOf("replays"), addresses: idsOf("mail_addresses") };
}

export function readRows(db: Connection, tables: readonly string[], of: OfAccount): Rows {
  const rows = tables.map((table) => {
    const names = columnsOf(db, table).map(({ name }) => name);
    const found = db.all<Row>(`select ${names.join(", ")} from ${table} where ${isOf(table)}`, ...valuesOf(of));
    return [table, found.toSorted((one, other) => (keyOf(one) < keyOf(other) ? -1 : 1))] as const;
  });
  return new Map(rows);
}

const keyOf = (row: Row): string => `${String(row["seq"] ?? "").padStart(12, "0")} ${JSON.stringify(row)}`;

export function countRows(db: Connection, of: OfAccount): number {
  const tables = [...HISTORY_TABLES, ...LIVE_TABLES];
  const countOf = (table: string): number =>
    db.get<{ count: number }>(`select count(1) as count from ${table} where ${isOf(table)}`, ...valuesOf(of))?.count ??
    0;
  return tables.reduce((count, table) => count + countOf(table), 0);
}

export const deleteRows = ({ db }: Transaction, table: string, of: OfAccount): number =>
  db.run(`delete from ${table} where ${isOf(table)}`, ...valuesOf(of));

/** The shard numbers them itself. Deliveries name their event by its number. */
export function insertRows(tx: Transaction, rows: Rows): void {
  const numbers = new Map<Value, number>();
  const events = rows.get("events") ?? [];
  for (const event of events) {
    numbers.set(event["seq"] ?? null, tx.nextEventSeq);
    insert(tx.db, "events", { ...event, seq: tx.nextEventSeq });
    tx.nextEventSeq += 1;
  }
  for (const [table, all] of rows) {
    if (table === "events") continue;
    for (const { seq: _, ...row } of all) {
      const number = numbers.get(row["event_seq"] ?? null);
      insert(tx.db, table, table === "deliveries" && number !== undefined ? { ...row, event_seq: number } : row);
    }
  }
}

function insert(db: Connection, table: string, row: Row): void {
  const names = Object.keys(row);
  const marks = names.map(() => "?").join(", ");
  db.run(`insert into ${table} (${names.join(", ")}) values (${marks})`, ...Object.values(row));
}

interface Column {
  readonly name: string;
  /** 0: it is one that is written. */
  readonly hidden: number;
}

const columnsOf = (db: Connection, table: string): readonly Column[] =>
  db.all<Column>(`select name, hidden from pragma_table_xinfo('${table}')`).filter(({ hidden }) => hidden === 0);

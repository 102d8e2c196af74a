/**
 * One connection to SQLite: durable settings, and each statement prepared once. All SQL of the store runs through it.
 *
 * Invariant: a commit that returned is on disk. `synchronous = full` syncs the write-ahead log at every commit; the
 * store joins calls into one commit instead of giving that up.
 */
import { statfsSync } from "node:fs";
import { dirname } from "node:path";
import { DatabaseSync, type SQLInputValue, type StatementSync } from "node:sqlite";
import { StoreUnusable } from "../../contract/store.ts";
import { KeptHours } from "../../sql/figures/kept-hours.ts";
import { BUILT_IN_TYPES, type EventTypes } from "../../../events/event-types.ts";
import { InMemoryDeliveries } from "../in-memory-deliveries.ts";
import { type PlainValue, bind, translate } from "./translate.ts";

/**
 * SQLite's default, and the best of 2, 4 and 8 KiB here: random event keys touch about one page for each event, so
 * larger pages write more, and smaller ones leave no room for bodies.
 */
const PAGE_BYTES = 4096;

/**
 * 32 MiB of log between checkpoints. Fewer checkpoints write shared pages less often, but each stops commits for
 * longer: with 4,000 pages a batch took at most 44 ms, with 8,000 32 ms and 10 % more events/s, with 16,000 47 ms.
 * At this length another thread copies the log (`../writer/checkpoints.ts`); a log that is half as long again is copied
 * by the commit that finds it.
 */
const CHECKPOINT_PAGES = 8_000;
const WAL_PAGES_MAX = 12_000;

/** On a small disk the log takes no more than this share: it would fill the disk before its first checkpoint. */
const WAL_DISK_SHARE = 1 / 8;
const WAL_PAGES_MIN = 250;

/** After a burst the log is cut back to this, so that one bad hour does not keep the disk. */
const WAL_BYTES_KEPT = 64 * 1024 * 1024;

/**
 * Fixed, so that memory does not grow with the backlog; the system's own cache holds the rest. Small, because SQLite
 * looks through all of it in nearly every commit: where it puts pages of a tree in order, one has a high number for a
 * moment, and the commit drops what lies behind the file's end. 16 MiB made a commit of 32 webhooks 2 % dearer.
 */
const CACHE_KIB = 4 * 1024;

/** Only a person with a database tool could hold the lock; a longer wait would only grow the queue. */
export const BUSY_TIMEOUT_MS = 1_000;

/** What any transaction uses of a connection. */
export interface ReadConnection {
  /** Rows changed. */
  run(sql: string, ...values: PlainValue[]): number;
  /** The first row. `Row` is the caller's word for what its columns are. */
  get<Row>(sql: string, ...values: PlainValue[]): Row | undefined;
  all<Row>(sql: string, ...values: PlainValue[]): Row[];
  /** Row by row: a caller that stops early has not read the rest. Nothing may be written before the loop's end. */
  each<Row>(sql: string, ...values: PlainValue[]): Iterable<Row>;
  /** Results of hours that were read before. */
  readonly keptHours: KeptHours;
}

export interface Connection extends ReadConnection {
  /** Several statements, without answers. */
  exec(sql: string): void;
  inTransaction(): boolean;
  close(): void;
  /** Pending deliveries, counted at open and kept by each commit: counting a million rows takes 23 ms. */
  waiting: number;
  /** Deliveries that have no row yet. */
  readonly inMemory: InMemoryDeliveries;
  /** Set where the file is opened. */
  types: EventTypes;
  /** The number of the next event. */
  nextEventSeq: number;
  /** The latest instant of a claim, to notice a clock that was set back. */
  newestServedMs: number;
  /** What this transaction is of an erasure, and so what follows its commit (`../erase.ts`). */
  erasing: "no" | "step" | "end";
  /** The log may have bytes of an erased person: it is cut off once nobody reads it (`../writer/checkpoints.ts`). */
  cutsOffLog: boolean;
  /** Where retention goes on looking (see `../retention/purge.ts`). Lost at a start, which only means looking again. */
  readonly sweeps: Map<string, SweepPlace>;
}

/** The event that was looked at last. */
export interface SweepPlace {
  readonly acceptedAtMs: number;
  readonly seq: number;
}

/** Opens `location`, a file's path or ":memory:". Throws what SQLite throws, and `StoreUnusable` without a log. */
export function openConnection(location: string): Connection {
  const database = new DatabaseSync(location, {
    enableForeignKeyConstraints: false,
    timeout: BUSY_TIMEOUT_MS,
    defensive: true,
  });
  setPragmas(database, location);
  return overDatabase(database);
}

function setPragmas(database: DatabaseSync, location: string): void {
  // The page size counts only before the first table, and before the switch to the log.
  database.exec(`pragma page_size = ${PAGE_BYTES}`);
  const { journal_mode: mode } = database.prepare("pragma journal_mode = wal").get() ?? {};
  if (location !== ":memory:" && mode !== "wal") {
    database.close();
    throw new StoreUnusable(`${location}: no write-ahead log here (got "${String(mode)}"); use a local disk`);
  }
  database.exec(`
    pragma synchronous = full;
    pragma secure_delete = fast;
    pragma wal_autocheckpoint = ${walPagesMax(location)};
    pragma journal_size_limit = ${WAL_BYTES_KEPT};
    pragma cache_size = -${CACHE_KIB};
    pragma mmap_size = 0;
  `);
}

/** The log's length, in pages, at which it should be copied into the database. */
export const checkpointPages = (location: string): number =>
  Math.floor((walPagesMax(location) / WAL_PAGES_MAX) * CHECKPOINT_PAGES);

function walPagesMax(location: string): number {
  if (location === ":memory:") return WAL_PAGES_MAX;
  const { blocks, bsize } = statfsSync(dirname(location));
  const share = Math.floor((blocks * bsize * WAL_DISK_SHARE) / PAGE_BYTES);
  return Math.min(WAL_PAGES_MAX, Math.max(WAL_PAGES_MIN, share));
}

interface Prepared {
  readonly statement: StatementSync;
  readonly bound: (values: PlainValue[]) => SQLInputValue[];
}

function overDatabase(database: DatabaseSync): Connection {
  const read = new Map<string, Prepared>();
  const written = new Map<string, Prepared>();
  const prepared = (sql: string, known = read): Prepared => {
    const before = known.get(sql);
    if (before !== undefined) return before;
    const { text, order } = translate(sql);
    const bound = order === null ? asTheyAre : (values: PlainValue[]) => bind(order, values);
    const fresh = { statement: database.prepare(text), bound };
    // The last row's number comes along: in the index of search it may be beyond a number's, and Node would throw.
    if (known === written) fresh.statement.setReadBigInts(true);
    known.set(sql, fresh);
    return fresh;
  };
  const run = (sql: string, values: PlainValue[]) => {
    const { statement, bound } = prepared(sql, written);
    return statement.run(...bound(values));
  };
  return {
    run: (sql, ...values) => Number(run(sql, values).changes),
    get: <Row>(sql: string, ...values: PlainValue[]) => {
      const { statement, bound } = prepared(sql);
      return statement.get(...bound(values)) as Row | undefined;
    },
    all: <Row>(sql: string, ...values: PlainValue[]) => {
      const { statement, bound } = prepared(sql);
      return statement.all(...bound(values)) as Row[];
    },
    each: <Row>(sql: string, ...values: PlainValue[]) => {
      const { statement, bound } = prepared(sql);
      return statement.iterate(...bound(values)) as Iterable<Row>;
    },
    exec: (sql) => database.exec(sql),
    inTransaction: () => database.isTransaction,
    close: () => database.close(),
    waiting: 0,
    inMemory: new InMemoryDeliveries(),
    types: BUILT_IN_TYPES,
    keptHours: new KeptHours(),
    nextEventSeq: 1,
    newestServedMs: 0,
    erasing: "no",
    cutsOffLog: false,
    sweeps: new Map(),
  };
}

/** Statements of this folder take their values in the order of their `?`, and have no booleans. */
const asTheyAre = (values: PlainValue[]): SQLInputValue[] => values as SQLInputValue[];

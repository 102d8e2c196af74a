/**
 * Distributes a database: each table with a bucket becomes one of shards, which lie on the workers, and those of one
 * bucket lie together. A table at a time, and each is all there or not begun: so a run that was stopped or killed is
 * simply begun again, and goes on with the tables that are left.
 *
 * Citus copies a table while it is read and written, and lets writes wait only for the last moment. `isOnline: false`
 * copies without that: faster, and writes to a table wait until it is done.
 */
import type { Connection } from "../connection/connection.ts";
import type { MigratingSession } from "../schema/migrate.ts";
import { assertIsReady, type Ready } from "./ready.ts";
import { SHARDS_MAX } from "./shards.ts";
import { isBetweenServers, isLockedOut } from "../failures.ts";

export interface Distribute {
  readonly session: MigratingSession;
  /** Names the database in messages. */
  readonly place: string;
  readonly isOnline: boolean;
  readonly shards?: number;
  isStopping(): boolean;
  readonly tell: (step: DistributeStep) => void;
}

export type DistributeStep =
  /** For another run that is at it. */
  | { readonly kind: "waits" }
  | { readonly kind: "begins"; readonly ready: Ready; readonly left: readonly TableLeft[]; readonly done: number }
  | { readonly kind: "table"; readonly table: TableLeft; readonly number: number }
  | { readonly kind: "table done"; readonly table: TableLeft };

export interface TableLeft {
  readonly name: string;
  /** With its indexes and partitions. */
  readonly bytes: number;
  readonly partitions: number;
}

export type Distributed = "distributed" | "nothing left" | "stopped";

/** Throws `StoreUnusable` before anything is changed, or what PostgreSQL throws. */
export async function distribute(options: Distribute): Promise<Distributed> {
  const { session, place, isOnline, tell } = options;
  const ready = await session.transaction((db) => assertIsReady(db, { place, isOnline }));
  await holdAlone(options);
  if (options.isStopping()) return "stopped";
  await CHECKS.putBack(session);
  const left = await session.transaction((db) => listTablesLeft(db));
  const done = await session.transaction((db) => countDistributed(db));
  if (left.length === 0) return "nothing left";
  tell({ kind: "begins", ready, left, done });
  for (const [index, table] of left.entries()) {
    if (options.isStopping()) return "stopped";
    tell({ kind: "table", table, number: done + index + 1 });
    await distributeTable(options, table);
    tell({ kind: "table done", table });
  }
  return "distributed";
}

/** One that was killed may still be ending on the server. */
async function holdAlone({ session, tell, isStopping }: Distribute): Promise<void> {
  // A run that dies takes its statement with it.
  await session.alone("set client_connection_check_interval = '2s'");
  for (let tries = 0; !isStopping(); tries += 1) {
    if ((await session.transaction((db) => db.get<{ isAlone: boolean }>(HOLD_ALONE)))?.isAlone === true) return;
    if (tries === 0) tell({ kind: "waits" });
    await session.alone(WAIT_FOR_OTHER);
  }
}

async function distributeTable(options: Distribute, { name, bytes, partitions }: TableLeft): Promise<void> {
  const { session, isOnline, shards = SHARDS_MAX } = options;
  // The first one makes the shards, and the others follow it.
  const where = name === FIRST ? `colocate_with => 'none', shard_count => ${shards}` : `colocate_with => '${FIRST}'`;
  // Also for shards that move later.
  await steppingAside(session, (db) => identifyRows(db, name));
  if (!isOnline || (bytes <= AT_ONCE_BYTES_MAX && partitions <= AT_ONCE_PARTITIONS_MAX)) {
    const sql = `-- name: distribute table at once
      select create_distributed_table('bellwire.${name}', 'bucket', ${where})`;
    await steppingAside(session, (db) => db.exec(sql));
    // Citus leaves the rows that it has copied, out of sight.
    await session.alone(`-- name: forget local rows of distributed table
      select truncate_local_data_after_distributing_table('bellwire.${name}')`);
    return;
  }
  const isPartitioned = partitions > 0;
  if (isPartitioned) await steppingAside(session, (db) => CHECKS.takeOff(db, name));
  await session.alone(`-- name: distribute table
    select create_distributed_table_concurrently('bellwire.${name}', 'bucket', ${where})`);
  if (isPartitioned) await CHECKS.putBack(session);
}

const FIRST = "accounts";

/** A table up to this size is copied in about a second, while its writers wait. While they go on it takes eight. */
const AT_ONCE_BYTES_MAX = 16 * 2 ** 20;
/** Each has shards of its own to be made. */
const AT_ONCE_PARTITIONS_MAX = 4;

/**
 * Tables that one statement reads or changes together, which cannot be while one is distributed and another is not: its
 * callers are told to come back. So these are the last, one right behind the other, those that may be large first; and
 * destinations come right behind deliveries, because claims need both.
 */
const TOGETHER = [
  "search_blocks",
  "attempts",
  "search_entries",
  "events",
  "deliveries",
  "destinations",
  "destination_changes",
  "attempt_counts",
  "attempt_deltas",
  "account_attempt_counts",
  "alerts",
  "chat_assistants",
  "incidents",
  "messages",
  "replays",
  "replay_items",
];

export const listTablesLeft = (db: Connection): Promise<TableLeft[]> =>
  db.all<TableLeft>(LIST_TABLES_LEFT, [FIRST], TOGETHER);

const countDistributed = async (db: Connection): Promise<number> =>
  (await db.get<{ count: number }>(COUNT_DISTRIBUTED))?.count ?? 0;

const WAIT_FOR_OTHER = `-- name: wait for another distribution
  select pg_sleep(1)`;

/** Any number of our own: that of migrations, and two. Until the session ends. */
const HOLD_ALONE = `-- name: hold distributing
  select pg_try_advisory_lock(1113943150) as "isAlone"`;

const LIST_TABLES_LEFT = `-- name: list tables to distribute
  select c.relname as name, (
    select count(1)::integer
    from pg_partition_tree(c.oid) part
    where part.level > 0
  ) as partitions, (
    select coalesce(sum(pg_total_relation_size(part.relid)), 0)::bigint
    from pg_partition_tree(c.oid) part
  ) + case when c.relkind = 'p' then 0 else pg_total_relation_size(c.oid) end as bytes
  from pg_class c
  join pg_attribute a on a.attrelid = c.oid and a.attname = 'bucket' and not a.attisdropped
  left join pg_dist_partition d on d.logicalrelid = c.oid and d.partmethod = 'h'
  where c.relnamespace = 'bellwire'::regnamespace and c.relkind in ('r', 'p') and not c.relispartition
    and d.logicalrelid is null
  order by c.relname = any ($1::text[]) desc, array_position($2::text[], c.relname::text) nulls first, c.relname`;

const COUNT_DISTRIBUTED = `-- name: count distributed tables
  select count(1)::integer as count
  from pg_dist_partition d
  join pg_class c on c.oid = d.logicalrelid
  where c.relnamespace = 'bellwire'::regnamespace and d.partmethod = 'h' and not c.relispartition`;

/* Work on tables that may be on their way to the workers: some are distributed already, and others not yet. */

/** Within a transaction that goes on: where the work cannot be done now, nothing of it stays. */
export async function unlessBetweenServers(db: Connection, work: () => Promise<void>): Promise<void> {
  await db.exec("savepoint between_servers");
  try {
    await work();
    await db.exec("release savepoint between_servers");
  } catch (error) {
    if (!isBetweenServers(error)) throw error;
    await db.exec("rollback to savepoint between_servers");
  }
}

/* Changes of a table that traffic uses: one that waits for its lock would hold up everybody behind it. */

/** A minute of trying. */
const TRIES_MAX = 60;

/** In a transaction that gives up after 200 ms of waiting, and tries again when others have passed. */
export async function steppingAside(session: MigratingSession, work: (db: Connection) => Promise<void>): Promise<void> {
  for (let tries = 1; ; tries += 1) {
    try {
      await session.transaction(async (db) => {
        await db.exec("set local lock_timeout = '200ms'");
        await work(db);
      });
      return;
    } catch (error) {
      if (!isLockedOut(error) || tries === TRIES_MAX) throw error;
      await session.alone(LET_OTHERS_PASS);
    }
  }
}

const LET_OTHERS_PASS = `-- name: let others pass before a change of a table
  select pg_sleep(0.8)`;

/*
 * How changes of rows are followed while Citus copies a shard, when it is made and whenever it moves: by the row's key.
 * A table without one is followed by whole rows. PostgreSQL finds such a row by comparing each of its values, so it has
 * no column of type `json`, which cannot be compared: the copy would stand still at the first row that is deleted.
 */

/** For a table and its partitions. */
export async function identifyRows(db: Connection, table: string): Promise<void> {
  for (const { name } of await db.all<{ name: string }>(LIST_WITHOUT_KEY, table)) {
    await db.exec(`alter table bellwire.${name} replica identity full`);
  }
}

const LIST_WITHOUT_KEY = `-- name: list tables without a key
  select c.relname as name
  from pg_class c
  where c.relnamespace = 'bellwire'::regnamespace and c.relreplident = 'd'
    and (c.relname = $1 or c.oid in (select relid from pg_partition_tree(('bellwire.' || $1)::regclass)))
    and not exists (select 1 from pg_index i where i.indrelid = c.oid and i.indisprimary)`;

/*
 * Checks of a partitioned table while Citus copies it: it cannot attach the copy of a partition whose parent has
 * checks, so they are taken off before and put back afterwards. Which ones is kept in a row of the settings: a run that
 * was killed between leaves it, and the next one puts them back first.
 */

interface Check {
  readonly table: string;
  readonly name: string;
  /** Such as `CHECK ((due_at IS NULL))`. */
  readonly definition: string;
}

const SETTING = "distribute.checks_taken_off";

/** In one transaction with its note. */
async function takeOff(db: Connection, table: string): Promise<void> {
  const checks = await db.all<Check>(LIST_CHECKS, table);
  if (checks.length === 0) return;
  await db.run(NOTE_CHECKS, SETTING, JSON.stringify(checks));
  for (const { name } of checks) await db.exec(`alter table bellwire.${table} drop constraint ${name}`);
}

/** Rows that are there are checked without keeping others from writing. */
async function putBack(session: MigratingSession): Promise<void> {
  const noted = await session.transaction((db) => db.get<{ value: string }>(LOAD_NOTE, SETTING));
  if (noted === undefined) return;
  for (const { table, name, definition } of JSON.parse(noted.value) as Check[]) {
    const there = await session.transaction((db) => db.all<Check>(LIST_CHECKS, table));
    if (!there.some((check) => check.name === name)) {
      const add = `alter table bellwire.${table} add constraint ${name} ${definition} not valid`;
      await steppingAside(session, (db) => db.exec(add));
    }
    await session.alone(`alter table bellwire.${table} validate constraint ${name}`);
  }
  await session.transaction((db) => db.run(DELETE_NOTE, SETTING));
}

export const CHECKS = { takeOff, putBack };

const LIST_CHECKS = `-- name: list checks of table
  select $1 as "table", quote_ident(conname) as name, pg_get_constraintdef(oid) as definition
  from pg_constraint
  where conrelid = ('bellwire.' || $1)::regclass and contype = 'c'
  order by conname`;

const NOTE_CHECKS = `-- name: note checks taken off
  insert into bellwire.settings (name, value)
  values ($1, $2)
  on conflict (name) do update set value = excluded.value`;

const LOAD_NOTE = `-- name: load checks taken off
  select value
  from bellwire.settings
  where name = $1`;

const DELETE_NOTE = `-- name: forget checks taken off
  delete from bellwire.settings
  where name = $1`;

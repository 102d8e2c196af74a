/**
 * Tallies are added to their counters, on the server. They lie in two tables that take turns: the one that is not
 * written to is read under a lock and truncated, so that a busy node leaves no dead row for each of its commits. A few
 * rows are deleted instead, and so are all of them while somebody (a backup) reads the table for long.
 *
 * Invariant: the statement that reads tallies begins when its table is locked, and the truncation commits with the
 * counters. So each row is added once, and a reader sees it in one of the two places.
 */
import { COUNTERS } from "../sql/count-tiers.ts";
import { TALLY_FIELDS } from "./attempt-tallies.ts";
import type { Transaction } from "./transaction.ts";
import { withoutQueueing } from "./without-queueing.ts";

/** To truncate a table writes some rows of the server's own catalogue and a new file. Guess. */
const DELETED_MAX = 100;

/** A transaction's share where a table cannot be truncated. */
const DELETED_AT_ONCE = 1_000;

/** Adds up the turn that is over. True: there may be more. */
export async function foldTurn(tx: Transaction): Promise<boolean> {
  const over = await tx.db.get<{ turn: number }>(FIND_TURN_OVER);
  return await foldTable(tx, TURNS[over?.turn ?? 0] ?? TURNS[0]);
}

/** Exported for tests, which take longer than a turn now and then. */
export async function foldTable(tx: Transaction, table: Turn): Promise<boolean> {
  const found = await tx.db.get<{ count: number }>(countUpTo(table), DELETED_MAX + 1);
  const count = found?.count ?? 0;
  if (count === 0) return false;
  if (count > DELETED_MAX && (await withoutQueueing(tx.db, () => addAndTruncate(tx, table)))) return false;
  return (await tx.db.run(addAndDelete(table), DELETED_AT_ONCE)) === DELETED_AT_ONCE;
}

/** A few of both turns, for a system that rests. */
export async function foldFew(tx: Transaction): Promise<void> {
  for (const table of TURNS) await tx.db.run(addAndDelete(table), DELETED_MAX);
}

async function addAndTruncate(tx: Transaction, table: Turn): Promise<true> {
  await tx.db.exec(`lock table ${table} in access exclusive mode`);
  await tx.db.run(addAll(table));
  await tx.db.exec(`truncate ${table}`);
  return true;
}

const TURNS = ["attempt_tallies_0", "attempt_tallies_1"] as const;
type Turn = (typeof TURNS)[number];

/** By the column's default. */
const FIND_TURN_OVER = `-- name: find turn of tallies that is over
  select (1 - extract(epoch from clock_timestamp())::bigint / 10 % 2)::integer as turn`;

const countUpTo = (table: Turn): string => `-- name: count ${table} up to a maximum
  select count(1) as count
  from (select 1 from ${table} limit $1) tally`;

const addedTo = ({ table, column }: (typeof COUNTERS)[keyof typeof COUNTERS]): string => `${table}_added as (
    insert into ${table} (${column}, at, kind, result, code, bin, slot, count)
    select ${column}, at, kind, result, code, bin, pg_backend_pid(), sum(count)
    from one
    group by ${column}, at, kind, result, code, bin
    on conflict (${column}, at, kind, result, code, bin, slot) do update
    set count = ${table}.count + excluded.count
  )`;

/** To both tables of counters, from `taken`. */
const ADDED = `one as materialized (
    select ${TALLY_FIELDS}
    from taken
    cross join lateral json_array_elements(taken.counts) one
  ), ${addedTo(COUNTERS.destination)}, ${addedTo(COUNTERS.account)}
  select 1
  from taken`;

const addAll = (table: Turn): string => `-- name: add all of ${table}
  with taken as materialized (
    select counts
    from ${table}
  ), ${ADDED}`;

/** By place in the table, the shortest name of a row that is locked. */
const addAndDelete = (table: Turn): string => `-- name: add some of ${table}
  with old as materialized (
    select ctid as place
    from ${table}
    limit $1
    for update skip locked
  ), taken as (
    delete from ${table} t
    using old
    where t.ctid = old.place
    returning t.counts
  ), ${ADDED}`;

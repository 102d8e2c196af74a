/**
 * Tallies are added to their counters. They lie in two tables that take turns: the one that is not written to is added
 * up on the server under a lock and truncated, so that a busy node leaves no dead row for each of its commits. A few
 * rows are taken out and counted by the node instead, and so are all of them while a backup reads the table for long,
 * or where several groups share the table.
 *
 * Invariant: the statements that read tallies begin when their table is locked or its rows are gone, and both commit
 * with the counters. So each row is added once, and a reader sees it in one of the two places.
 */
import { bucketOf } from "../../../lib/bucket.ts";
import { COUNTERS, type CountScope } from "../../sql/figures/count-tiers.ts";
import { Counts } from "./attempt-counts.ts";
import { BY_TEXT, COUNTED, type Tallied } from "./attempt-tallies.ts";
import type { Transaction } from "../transaction.ts";
import { withoutQueueing } from "../connection/without-queueing.ts";

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
  const mayTruncate = count > DELETED_MAX && !tx.where.isOneOfSeveral;
  if (mayTruncate && (await withoutQueueing(tx.db, () => addAndTruncate(tx, table)))) return false;
  return (await addAndDelete(tx, table, DELETED_AT_ONCE)) === DELETED_AT_ONCE;
}

/** A few of both turns, for a system that rests. */
export async function foldFew(tx: Transaction): Promise<void> {
  for (const table of TURNS) await addAndDelete(tx, table, DELETED_MAX);
}

async function addAndTruncate(tx: Transaction, table: Turn): Promise<true> {
  await tx.db.exec(`lock table ${table} in access exclusive mode`);
  await Promise.all([tx.db.run(addAll("destination", table)), tx.db.run(addAll("account", table))]);
  await tx.db.exec(`truncate ${table}`);
  return true;
}

async function addAndDelete(tx: Transaction, table: Turn, limit: number): Promise<number> {
  const taken = await tx.db.all<{ counts: readonly Tallied[] }>(takeSome(table), limit);
  if (taken.length === 0) return 0;
  const counts = new Counts();
  for (const [destinationId, accountId, atMs, kind, result, code, bin, count] of taken.flatMap((row) => row.counts)) {
    const figure = { bucket: bucketOf(accountId), atMs, kind, result, code, bin, count };
    counts.addCount({ ...figure, scope: "destination", id: destinationId });
    counts.addCount({ ...figure, scope: "account", id: accountId });
  }
  await counts.write(tx);
  return taken.length;
}

const TURNS = ["attempt_tallies_0", "attempt_tallies_1"] as const;
type Turn = (typeof TURNS)[number];

/** By the column's default. */
const FIND_TURN_OVER = `-- name: find turn of tallies that is over
  select (1 - extract(epoch from clock_timestamp())::bigint / 10 % 2)::integer as turn`;

const countUpTo = (table: Turn): string => `-- name: count ${table} up to a maximum
  select count(1) as count
  from (select 1 from ${table} t where t.turn >= 0 and t.bucket = any ($buckets) limit $1) tally`;

const addAll = (scope: CountScope, turn: Turn): string => {
  const { table, column } = COUNTERS[scope];
  return `-- name: add ${turn} to ${table}
  insert into ${table} (bucket, ${column}, at, kind, result, code, bin, slot, count)
  select ('x' || left(md5(account_id), 4))::bit(16)::integer & 255 as bucket, ${column}, at, kind, result, code, bin,
    pg_backend_pid(), sum(count)
  from (
    select ${COUNTED}
        from ${turn} tally
    ${BY_TEXT}
  ) counted
  group by bucket, ${column}, at, kind, result, code, bin
  on conflict (${column}, at, kind, result, code, bin, slot, bucket) do update
  set count = ${table}.count + excluded.count`;
};

/** By place in the table, the shortest name of a row that is locked. */
const takeSome = (table: Turn): string => `-- name: take some of ${table}
  with old as materialized (
    select o.ctid as place
    from ${table} o
    where o.turn >= 0 and o.bucket = any ($buckets)
    limit $1
    for update skip locked
  )
  delete from ${table} t
  using old
  where t.ctid = old.place and t.bucket = any ($buckets)
  returning t.counts::json`;

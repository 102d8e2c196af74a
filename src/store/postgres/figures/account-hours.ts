/**
 * Old figures: how counters are joined and dropped, and the whole hours of the bars, each one row of all of an
 * account's destinations. A node that has just started has none in memory, and would read the counters of a day: with
 * 500 destinations hundreds of thousands. The step of housekeeping that joins the minutes of an hour, two hours later,
 * writes its row.
 *
 * Invariant: a row is right where it has as many attempts as the account has counted in that hour. Readers compare, and
 * read the counters where it is missing or where something was counted later.
 */
import { daysMs } from "../../../lib/duration.ts";
import type { AttemptCount } from "../../contract/log.ts";
import {
  COUNTERS,
  type CountScope,
  type OldCounts,
  type Tier,
  TIERS,
  toPeriodStart,
} from "../../sql/figures/count-tiers.ts";
import { HOUR_MS, type HourOfAccount } from "../../sql/figures/kept-hours.ts";
import type { Transaction } from "../transaction.ts";
import { type Counted, Counts } from "./attempt-deltas.ts";

/** Bars are of a day and begin with a whole hour. */
const KEPT_MS = daysMs(1) + 2 * HOUR_MS;

/** Fewer attempts have so few counters that these are read as quickly. Guess. */
const ATTEMPTS_MIN = 50;

/** In one step. */
const DELETED_MAX = 1_000;

/** Rows of accounts' counters that were joined, all of them from before then: their hours are over. */
export async function writeHours(
  tx: Transaction,
  joined: readonly Pick<Counted, "id" | "atMs" | "kind" | "count">[],
  beforeMs: number,
): Promise<void> {
  const oldestMs = beforeMs - KEPT_MS;
  const busy = sumHours(joined).filter(({ atMs, count }) => count >= ATTEMPTS_MIN && atMs > oldestMs);
  const missing = busy.length === 0 ? [] : await leaveOutWritten(tx, busy);
  if (missing.length === 0) return;
  const hours = await tx.db.all<AccountHour>(SUM_RESULTS, ...toColumns(missing));
  if (hours.length > 0) {
    await tx.db.run(
      INSERT_HOURS,
      ...toColumns(hours),
      hours.map(({ results }) => JSON.stringify(results)),
    );
  }
  await tx.db.run(DELETE_HOURS, oldestMs, DELETED_MAX);
}

/** Those of the hours that have no row yet. */
async function leaveOutWritten(tx: Transaction, hours: readonly BusyHour[]): Promise<BusyHour[]> {
  const written = await tx.db.all<Omit<AccountHour, "results">>(LIST_WRITTEN, ...toColumns(hours));
  const known = new Set(written.map(({ accountId, atMs }) => `${accountId} ${atMs}`));
  return hours.filter(({ accountId, atMs }) => !known.has(`${accountId} ${atMs}`));
}

const toColumns = (hours: readonly Omit<AccountHour, "results">[]): [accountIds: string[], ats: number[]] => [
  hours.map(({ accountId }) => accountId),
  hours.map(({ atMs }) => atMs),
];

interface BusyHour {
  readonly accountId: string;
  readonly atMs: number;
  readonly count: number;
}

function sumHours(joined: Parameters<typeof writeHours>[1]): BusyHour[] {
  const hours = new Map<string, BusyHour>();
  for (const { id, atMs, kind, count } of joined) {
    if (kind !== "attempt") continue;
    const hourMs = toPeriodStart(atMs, HOUR_MS);
    const key = `${id} ${hourMs}`;
    hours.set(key, { accountId: id, atMs: hourMs, count: count + (hours.get(key)?.count ?? 0) });
  }
  return [...hours.values()];
}

interface AccountHour {
  readonly accountId: string;
  readonly atMs: number;
  readonly results: readonly Result[];
}

type Result = readonly [destinationId: string, result: AttemptCount["result"], count: number];

/** Those of these hours that there are, whatever was counted since. */
export async function loadHours(
  tx: Transaction,
  accountId: string,
  hours: readonly number[],
): Promise<ReadonlyMap<number, HourOfAccount>> {
  if (hours.length === 0) return new Map();
  const rows = await tx.db.all<Omit<AccountHour, "accountId">>(LIST_HOURS, accountId, hours);
  return new Map(rows.map(({ atMs, results }) => [atMs, results.map((result) => toCount(atMs, result))]));
}

const toCount = (atMs: number, [destinationId, result, count]: Result): AttemptCount => ({
  destinationId,
  atMs,
  kind: "attempt",
  result,
  code: "",
  bin: 0,
  count,
});

/** Those of these accounts and these instants, and maybe others. */
const LIST_WRITTEN = `-- name: list hours of accounts that are written
  select h.account_id as "accountId", h.at as "atMs"
  from account_hours h
  where h.account_id = any ($1::text[]) and h.at = any ($2::bigint[])`;

/** Exported for the test that reads its plan, like the next ones. */
export const SUM_RESULTS = `-- name: sum results of accounts' hours
  select hour.account_id as "accountId", hour.at as "atMs",
    json_agg(json_build_array(d.id, counted.result, counted.count)) as results
  from unnest($1::text[], $2::bigint[]) as hour (account_id, at)
  join destinations d on d.account_id = hour.account_id
  cross join lateral (
    select c.result, sum(c.count)::bigint as count
    from attempt_counts c
    where c.destination_id = d.id and c.at >= hour.at and c.at < hour.at + ${HOUR_MS} and c.kind = 'attempt'
    group by c.result
  ) counted
  group by hour.account_id, hour.at`;

/** Another node may have written one meanwhile. */
const INSERT_HOURS = `-- name: insert accounts' hours
  insert into account_hours (account_id, at, results)
  select account_id, at, results::json
  from unnest($1::text[], $2::bigint[], $3::text[]) as given (account_id, at, results)
  on conflict (at, account_id) do nothing`;

export const LIST_HOURS = `-- name: list hours of account
  select h.at as "atMs", h.results
  from account_hours h
  where h.account_id = $1 and h.at = any ($2::bigint[])`;

export const DELETE_HOURS = `-- name: delete old hours of accounts
  with old as materialized (
    select h.at, h.account_id
    from account_hours h
    where h.at < $1
    order by h.at
    limit $2
  )
  delete from account_hours
  where (at, account_id) in (select at, account_id from old)`;

export async function joinCounts(tx: Transaction, old: OldCounts, periodMs: number): Promise<number> {
  const { scope, tier, beforeMs, limit } = old;
  const statement = takeOld(scope, tier);
  const taken = await tx.db.all<Omit<Counted, "scope">>(statement, toPeriodStart(beforeMs, periodMs), limit);
  const counts = new Counts();
  for (const count of taken) counts.addCount({ ...count, scope, atMs: toPeriodStart(count.atMs, periodMs) });
  await counts.write(tx);
  // An hour of the account is over when its minutes are joined, and what it counts is counted at its destinations too.
  if (scope === "account" && tier === "minutes") await writeHours(tx, taken, beforeMs);
  return taken.length;
}

/** A figure also says that its destination was attempted once, which is kept with the destination. */
export async function dropCounts(tx: Transaction, { scope, beforeMs, limit }: OldCounts): Promise<number> {
  const taken = await tx.db.all<{ id: string }>(takeOld(scope, "hours"), beforeMs, limit);
  const ids = [...new Set(taken.map(({ id }) => id))];
  if (scope === "destination" && ids.length > 0) await tx.db.run(NOTE_ATTEMPTED, ids);
  return taken.length;
}

/** By place in the table, the shortest name of a row that is locked. Exported for the test that reads its plan. */
export function takeOld(scope: CountScope, tier: Tier): string {
  const { table, column } = COUNTERS[scope];
  return `-- name: take old ${tier} of ${table}
  with old as materialized (
    select ctid as place
    from ${table} o
    where ${TIERS[tier]} and at < $1
    order by at
    limit $2
    for update skip locked
  )
  delete from ${table} c
  using old
  where c.ctid = old.place
  returning c.${column} as id, c.at as "atMs", c.kind, c.result, c.code, c.bin, c.count`;
}

/** In the order in which all lock destinations. */
const NOTE_ATTEMPTED = `-- name: note destinations as attempted
  with found as materialized (
    select o.id
    from destinations o
    where o.id = any ($1::text[]) and not o.was_attempted
    order by o.id
    for no key update
  )
  update destinations d
  set was_attempted = true
  from found
  where d.id = found.id`;

/**
 * Counters of attempts by time, result and answer, each one row with its histogram: of each destination, and of each
 * account's destinations together.
 *
 *     settle ──► attempt_deltas ──rolled up, many at once──► minutes ──joined──► quarters ──joined──► hours ──► gone
 *
 * A settling commit changes no counter: it adds what it has counted as deltas, and a later commit rolls up those of
 * many. Thousands of destinations have a counter each, and to change them in every commit would take longer than all
 * else in it. Readers of counters read both tables in one statement.
 *
 * Invariant: each attempt is counted once, also over a crash. The commit that settles it writes its delta, and one
 * commit takes the delta away and adds it to its counters.
 */
import {
  COUNTERS,
  type CountScope,
  type OldCounts,
  type Tier,
  TIERS,
  toPeriodStart,
} from "../../sql/figures/count-tiers.ts";
import { type SettledAttempt, toFigures } from "../../sql/path/settled-rows.ts";
import type { Transaction } from "../transaction.ts";
import { type Addition, type Counter, Counts } from "./counts.ts";

/** So many deltas are worth a roll-up: the more there are, the more of them are of the same counters. */
const ROLLED_UP_FROM = 2_048;

/**
 * Commits that share it, at 2 µs for each and 10 µs for each counter: posts to 1,000 accounts waited 40 ms for one, and
 * four made the p99 of every other second 10 to 25 ms instead of 3 to 6 at 500 posts a second.
 */
const ROLLED_UP_IN = 16;

export function noteCounts(counts: Counts, settled: SettledAttempt): void {
  const { accountId, destinationId: id } = settled;
  for (const { bin, ...counter } of toFigures(settled)) counts.add({ ...counter, id, accountId }, [[bin, 1]]);
}

/** Before the commit. */
export function writeDeltas(tx: Transaction): void {
  for (const addition of tx.counts.values()) {
    const { id, accountId, atMs, kind, result, code } = addition;
    tx.db.run(INSERT_DELTA, accountId, id, atMs, kind, result, code, sumBins(addition), printBins(addition));
  }
  tx.counts.clear();
}

/** At the end of a transaction. Their numbers begin again at 1 when all are rolled up; the higher, the more go. */
export function rollUpIfMany(tx: Transaction): void {
  const newest = tx.db.get<{ seq: number | null }>(FIND_NEWEST_DELTA)?.seq ?? 0;
  if (newest >= ROLLED_UP_FROM) rollUp(tx, Math.ceil(newest / ROLLED_UP_IN));
}

/** Adds at most `deltasMax` deltas to their counters, those of one counter together, and returns how many. */
export function rollUp(tx: Transaction, deltasMax: number): number {
  const deltas = tx.db.all<Delta>(LIST_DELTAS, deltasMax);
  if (deltas.length === 0) return 0;
  const counts = { destination: new Counts(), account: new Counts() };
  const deleted = listDeleted(tx, new Set(deltas.map(({ accountId }) => accountId)));
  for (const { destinationId, bins: json, ...delta } of deltas) {
    if (deleted.has(delta.accountId)) continue;
    const bins = parseBins(json);
    counts.destination.add({ ...delta, id: destinationId }, bins);
    counts.account.add({ ...delta, id: delta.accountId }, bins);
  }
  for (const scope of ["destination", "account"] as const) addToCounters(tx, scope, counts[scope]);
  return tx.db.run(DELETE_DELTAS, JSON.stringify(deltas.map(({ seq }) => seq)));
}

/** A deleted account gets no figures any more: what it has goes in steps, and none would take what comes later. */
const listDeleted = (tx: Transaction, accountIds: ReadonlySet<string>): ReadonlySet<string> =>
  new Set(tx.db.all<{ id: string }>(LIST_DELETED, JSON.stringify([...accountIds])).map(({ id }) => id));

/** For a database that is only read from now on. */
export function rollUpAll(tx: Transaction): void {
  while (rollUp(tx, ROLLED_UP_FROM) > 0);
}

interface Delta extends Omit<Counter, "id"> {
  readonly seq: number;
  readonly destinationId: string;
  readonly bins: string;
}

function addToCounters(tx: Transaction, scope: CountScope, counts: Counts): void {
  for (const { id, accountId, atMs, kind, result, code, bins } of counts.values()) {
    const sum = new Counts();
    const counter = { id, accountId, atMs, kind, result, code };
    const kept = tx.db.get<{ bins: string }>(FIND_BINS[scope], id, atMs, kind, result, code);
    if (kept !== undefined) sum.add(counter, parseBins(kept.bins));
    sum.add(counter, bins);
    for (const addition of sum.values())
      tx.db.run(SAVE_COUNT[scope], id, atMs, kind, result, code, sumBins(addition), printBins(addition));
  }
}

/** How old figures are joined: they are taken away and counted again, at the start of a longer period. */
export function joinCounts(tx: Transaction, { scope, tier, beforeMs, limit }: OldCounts, periodMs: number): number {
  const taken = tx.db.all<TakenRow>(takeOld(scope, tier), toPeriodStart(beforeMs, periodMs), limit);
  const counts = new Counts();
  for (const { bins, atMs, ...counter } of taken) {
    counts.add({ ...counter, accountId: "", atMs: toPeriodStart(atMs, periodMs) }, parseBins(bins));
  }
  addToCounters(tx, scope, counts);
  return taken.length;
}

export const dropCounts = (tx: Transaction, { scope, beforeMs, limit }: OldCounts): number =>
  tx.db.all<TakenRow>(takeOld(scope, "hours"), beforeMs, limit).length;

interface TakenRow extends Omit<Counter, "accountId"> {
  readonly bins: string;
}

export function parseBins(json: string): [bin: number, count: number][] {
  return Object.entries(JSON.parse(json) as Record<string, number>).map(([bin, count]) => [Number(bin), count]);
}

const printBins = ({ bins }: Addition): string => JSON.stringify(Object.fromEntries(bins));

const sumBins = ({ bins }: Addition): number => [...bins.values()].reduce((sum, count) => sum + count, 0);

const INSERT_DELTA = `-- name: insert delta of attempts
  insert into attempt_deltas (account_id, destination_id, at, kind, result, code, count, bins)
  values (?, ?, ?, ?, ?, ?, ?, ?)`;

const FIND_NEWEST_DELTA = `-- name: find newest delta of attempts
  select max(seq) as seq
  from attempt_deltas`;

const LIST_DELTAS = `-- name: list deltas of attempts
  select seq, account_id as "accountId", destination_id as "destinationId", at as "atMs", kind, result, code, bins
  from attempt_deltas
  order by account_id, destination_id
  limit ?`;

const LIST_DELETED = `-- name: list deleted accounts among those with deltas
  select account_id as id
  from account_states
  where account_id in (select value from json_each(?)) and state = 'deleted'`;

const DELETE_DELTAS = `-- name: delete deltas of attempts that are rolled up
  delete from attempt_deltas
  where seq in (select value from json_each(?))`;

type Table = (typeof COUNTERS)[CountScope];

const toFindBins = ({ table, column }: Table): string => `-- name: find bins in ${table}
  select bins
  from ${table}
  where ${column} = ? and at = ? and kind = ? and result = ? and code = ?`;

const toSaveCount = ({ table, column }: Table): string => `-- name: save count in ${table}
  insert into ${table} (${column}, at, kind, result, code, count, bins)
  values (?, ?, ?, ?, ?, ?, ?)
  on conflict do update
  set count = excluded.count, bins = excluded.bins`;

const FIND_BINS = { destination: toFindBins(COUNTERS.destination), account: toFindBins(COUNTERS.account) } as const;

const SAVE_COUNT = { destination: toSaveCount(COUNTERS.destination), account: toSaveCount(COUNTERS.account) } as const;

/** Exported for the test that reads its plan. */
export function takeOld(scope: CountScope, tier: Tier): string {
  const { table, column } = COUNTERS[scope];
  return `-- name: take old ${tier} of ${table}
  delete from ${table}
  where (${column}, at, kind, result, code) in (
    select ${column}, at, kind, result, code from ${table} where ${TIERS[tier]} and at < ? order by at limit ?
  )
  returning ${column} as id, at as "atMs", kind, result, code, bins`;
}

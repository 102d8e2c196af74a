/**
 * The figures of the charts: counters by time, result, answer and bin of the histogram, of each destination and of each
 * account's destinations together, written in the transaction that settles an attempt. What a transaction counts is
 * added up first, so that a batch of a thousand settlements writes a few dozen rows.
 *
 * Invariant: an attempt that is settled is counted, once, and nothing else is.
 */
import { binOf } from "../../domain/histogram.ts";
import { minutesMs } from "../../lib/duration.ts";
import type { AttemptCount, CountAttempts } from "../dashboard-verbs.ts";
import { type AttemptColumns, outcomeKindOf, startedAtOf, statusOf, totalMsOf } from "./attempts.ts";
import type { Transaction } from "./transaction.ts";
import type { PackedSettlement } from "./verbs.ts";

/** The finest that a chart shows. */
const FINEST_MS = minutesMs(1);

/** Whose counters: by table, and its column that says of which one. */
export const COUNTERS = {
  destination: { table: "attempt_counts", column: "destination_id" },
  account: { table: "account_attempt_counts", column: "account_id" },
} as const;

export type CountScope = keyof typeof COUNTERS;

/** `atMs` is the start of a period. */
export interface Counted extends Omit<AttemptCount, "destinationId"> {
  readonly scope: CountScope;
  /** The destination's or account's. */
  readonly id: string;
}

export interface SettledDelivery {
  readonly accountId: string;
  readonly destinationId: string;
  readonly acceptedAtMs: number;
  readonly attempt: AttemptColumns;
  readonly next: PackedSettlement["next"];
}

export function noteCounts(tx: Transaction, settled: SettledDelivery): void {
  const { accountId, destinationId, acceptedAtMs, attempt, next } = settled;
  const startedAtMs = startedAtOf(attempt);
  const totalMs = totalMsOf(attempt);
  const code = String(statusOf(attempt) ?? outcomeKindOf(attempt));
  const result = next.state === "delivered" ? "delivered" : next.state === "pending" ? "retry" : "failed";
  const note = (kind: AttemptCount["kind"], atMs: number, ms: number): void => {
    const one = { atMs: startOf(Math.floor(atMs), FINEST_MS), kind, result, code, bin: binOf(ms), count: 1 } as const;
    addCount(tx, { ...one, scope: "destination", id: destinationId });
    addCount(tx, { ...one, scope: "account", id: accountId });
  };
  note("attempt", startedAtMs, totalMs);
  const arrivedAtMs = startedAtMs + totalMs;
  if (result === "delivered") note("delivery", arrivedAtMs, arrivedAtMs - acceptedAtMs);
}

export const startOf = (atMs: number, periodMs: number): number => atMs - (atMs % periodMs);

export function addCount(tx: Transaction, added: Counted): void {
  const { scope, id, atMs, kind, result, code, bin } = added;
  const key = `${scope} ${id} ${atMs} ${kind} ${result} ${code} ${bin}`;
  const known = tx.counts.get(key);
  tx.counts.set(key, known === undefined ? added : { ...known, count: known.count + added.count });
}

/** Writes what the transaction has counted: before its commit, and before it reads counts itself. */
export function flushCounts(tx: Transaction): void {
  for (const { scope, id, atMs, kind, result, code, bin, count } of tx.counts.values()) {
    tx.db.run(ADD_COUNT[scope], id, atMs, kind, result, code, bin, count);
  }
  tx.counts.clear();
}

/** What is some hours old is kept by the quarter, and after a day by the hour: it is counted at that one's start. */
export function countAttempts(tx: Transaction, params: CountAttempts): AttemptCount[] {
  flushCounts(tx);
  const { accountId, destinationId = null, fromMs, toMs, bucketMs, joined } = params;
  const rows =
    joined === "destinations" && destinationId === null
      ? tx.db.all<AttemptCount>(LIST_OF_ACCOUNT, accountId, fromMs, toMs, bucketMs)
      : tx.db.all<AttemptCount>(listOfDestinations(joined), accountId, fromMs, toMs, bucketMs, destinationId);
  return rows.map((row) => ({ ...row }));
}

const addTo = ({ table, column }: (typeof COUNTERS)[CountScope]): string => `-- name: add to ${table}
  insert into ${table} (${column}, at, kind, result, code, bin, count)
  values (?, ?, ?, ?, ?, ?, ?)
  on conflict do update
  set count = count + excluded.count`;

const ADD_COUNT: Readonly<Record<CountScope, string>> = {
  destination: addTo(COUNTERS.destination),
  account: addTo(COUNTERS.account),
};

/** Exported for the test that reads its plan, like the next one. */
export const LIST_OF_ACCOUNT = `-- name: list counts of account's attempts by bucket
  select '' as "destinationId", at - at % ?4 as "atMs", kind, result, code, bin, sum(count) as count
  from account_attempt_counts
  where account_id = ?1 and at >= ?2 and at < ?3
  group by 2, 3, 4, 5, 6`;

/** What is joined has the same value everywhere. */
export function listOfDestinations(joined: CountAttempts["joined"]): string {
  const destination = joined === "destinations" ? "''" : "c.destination_id";
  const [code, bin] = joined === "answers" ? ["''", "0"] : ["c.code", "c.bin"];
  return `-- name: list counts of destinations' attempts by bucket
  select ${destination} as "destinationId", c.at - c.at % ?4 as "atMs", c.kind, c.result, ${code} as code, ${bin} as bin,
    sum(c.count) as count
  from destinations d
  cross join attempt_counts c on c.destination_id = d.id
  where d.account_id = ?1 and (?5 is null or d.id = ?5) and c.at >= ?2 and c.at < ?3
  group by 1, 2, 3, 4, 5, 6`;
}

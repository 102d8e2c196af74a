/** How old figures are joined: they are counted again in memory, and written when the transaction ends. */
import {
  COUNTERS,
  type CountScope,
  type OldCounts,
  type Tier,
  TIERS,
  toPeriodStart,
} from "../../sql/figures/count-tiers.ts";
import { parseBins } from "./attempt-counts.ts";
import { addToBin } from "./counters.ts";
import type { Counter } from "./counters.ts";
import type { Transaction } from "../transaction.ts";

export function joinCounts(tx: Transaction, { scope, tier, beforeMs, limit }: OldCounts, periodMs: number): number {
  const taken = tx.db.all<TakenRow>(takeOld(scope, tier), toPeriodStart(beforeMs, periodMs), limit);
  for (const { bins, atMs, ...counter } of taken) {
    // The account's counter is taken by itself.
    const addition = tx.counts.findOrAdd({ ...counter, atMs: toPeriodStart(atMs, periodMs), scope, accountId: null });
    for (const [bin, count] of parseBins(bins)) addToBin(addition, bin, count);
  }
  return taken.length;
}

export function dropCounts(tx: Transaction, { scope, beforeMs, limit }: OldCounts): number {
  const dropped = tx.db.all<TakenRow>(takeOld(scope, "hours"), beforeMs, limit);
  for (const { atMs } of dropped) tx.db.keptHours.forget(atMs);
  return dropped.length;
}

interface TakenRow extends Counter {
  readonly bins: string;
}

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

/** How old figures are joined: they are counted again in memory, and written when the transaction ends. */
import { addToBin, additionFor, binsOf, startOf } from "./attempt-counts.ts";
import { COUNTERS, type Counter, type CountScope } from "./counters.ts";
import { type OldCounts, type Tier, TIERS, tidyTiers } from "../sql/count-tiers.ts";
import type { Transaction } from "./transaction.ts";

export function tidyCounts(tx: Transaction, params: { nowMs: number; limit: number }): Promise<number> {
  return tidyTiers(params, {
    join: (old, periodMs) => joinOld(tx, old, periodMs),
    drop: ({ scope, beforeMs, limit }) => tx.db.all(takeOld(scope, "hours"), beforeMs, limit).length,
  });
}

function joinOld(tx: Transaction, { scope, tier, beforeMs, limit }: OldCounts, periodMs: number): number {
  const taken = tx.db.all<TakenRow>(takeOld(scope, tier), startOf(beforeMs, periodMs), limit);
  for (const { bins, atMs, ...counter } of taken) {
    // The account's counter is taken by itself.
    const addition = additionFor(tx, { ...counter, atMs: startOf(atMs, periodMs) }, { scope, accountId: null });
    for (const [bin, count] of binsOf(bins)) addToBin(addition, bin, count);
  }
  return taken.length;
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

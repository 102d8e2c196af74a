/**
 * Old figures take less room: minutes become quarters of an hour, those become hours, and hours go. The chart of an
 * hour, and the hour before it, need minutes; the chart of a day needs quarters; longer ones need hours.
 *
 * Only whole periods are joined. Each step follows an index of what it still has to do.
 */
import { daysMs, hoursMs, minutesMs } from "../../lib/duration.ts";
import { addToBin, additionFor, binsOf, startOf } from "./attempt-counts.ts";
import { COUNTERS, type Counter, type CountScope } from "./counters.ts";
import type { Transaction } from "./transaction.ts";

const QUARTER_MS = minutesMs(15);
const HOUR_MS = hoursMs(1);

const MINUTES_KEPT_MS = hoursMs(2);
const QUARTERS_KEPT_MS = hoursMs(25);
const HOURS_KEPT_MS = daysMs(31);

/** Joins or deletes at most `limit` rows and returns how many. */
export function tidyCounts(tx: Transaction, { nowMs, limit }: { nowMs: number; limit: number }): number {
  let left = limit;
  for (const scope of ["destination", "account"] as const) {
    const join = { scope, limit: left };
    left -= joinOld(tx, { ...join, tier: "minutes", beforeMs: nowMs - MINUTES_KEPT_MS, periodMs: QUARTER_MS });
    left -= joinOld(tx, {
      ...join,
      limit: left,
      tier: "quarters",
      beforeMs: nowMs - QUARTERS_KEPT_MS,
      periodMs: HOUR_MS,
    });
    left -= tx.db.all(takeOld(scope, "hours"), nowMs - HOURS_KEPT_MS, left).length;
  }
  return limit - left;
}

interface Join {
  readonly scope: CountScope;
  readonly tier: Tier;
  readonly beforeMs: number;
  readonly periodMs: number;
  readonly limit: number;
}

/** Counts again what is taken away, at the start of its longer period. */
function joinOld(tx: Transaction, { scope, tier, beforeMs, periodMs, limit }: Join): number {
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

type Tier = keyof typeof TIERS;

/** As the indexes have them. */
const TIERS = {
  minutes: "at % 900000 <> 0",
  quarters: "at % 900000 = 0 and at % 3600000 <> 0",
  hours: "at % 3600000 = 0",
} as const;

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

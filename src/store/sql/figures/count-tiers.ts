/**
 * Old figures take less room: minutes become quarters of an hour, those become hours, and hours go. The chart of an
 * hour, and the hour before it, need minutes; the chart of a day needs quarters; longer ones need hours.
 *
 * Only whole periods are joined. Each step follows an index of what it still has to do.
 */
import { daysMs, hoursMs, minutesMs } from "../../../lib/duration.ts";
import type { Answer } from "../transaction.ts";

const QUARTER_MS = minutesMs(15);
const HOUR_MS = hoursMs(1);

const MINUTES_KEPT_MS = hoursMs(2);
const QUARTERS_KEPT_MS = hoursMs(25);
const HOURS_KEPT_MS = daysMs(31);

/** The two tables of counters and their key columns. */
export const COUNTERS = {
  destination: { table: "attempt_counts", column: "destination_id" },
  account: { table: "account_attempt_counts", column: "account_id" },
} as const;

export type CountScope = keyof typeof COUNTERS;

export const toPeriodStart = (atMs: number, periodMs: number): number => atMs - (atMs % periodMs);

/** Conditions as the indexes have them. */
export const TIERS = {
  minutes: "at % 900000 <> 0",
  quarters: "at % 900000 = 0 and at % 3600000 <> 0",
  hours: "at % 3600000 = 0",
} as const;

export type Tier = keyof typeof TIERS;

/** Old counts of a tier, at most `limit` rows of them. */
export interface OldCounts {
  readonly scope: CountScope;
  readonly tier: Tier;
  readonly beforeMs: number;
  readonly limit: number;
}

/** Each returns how many rows it took. */
export interface TierSteps<Tx> {
  /** Takes old counts away and counts them again, at the start of their longer period. */
  joinCounts(tx: Tx, old: OldCounts, periodMs: number): Answer<number>;
  dropCounts(tx: Tx, old: OldCounts): Answer<number>;
}

/** Joins or deletes at most `limit` rows and returns how many. */
export async function tidyTiers<Tx>(
  tx: Tx,
  { nowMs, limit }: { readonly nowMs: number; readonly limit: number },
  { joinCounts, dropCounts }: TierSteps<Tx>,
): Promise<number> {
  let left = limit;
  // The account's go first: what they still count is counted at its destinations too, where the log looks for it.
  for (const scope of ["account", "destination"] as const) {
    left -= await joinCounts(
      tx,
      { scope, tier: "minutes", beforeMs: nowMs - MINUTES_KEPT_MS, limit: left },
      QUARTER_MS,
    );
    left -= await joinCounts(tx, { scope, tier: "quarters", beforeMs: nowMs - QUARTERS_KEPT_MS, limit: left }, HOUR_MS);
    left -= await dropCounts(tx, { scope, tier: "hours", beforeMs: nowMs - HOURS_KEPT_MS, limit: left });
  }
  return limit - left;
}

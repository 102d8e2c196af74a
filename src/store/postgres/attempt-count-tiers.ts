/**
 * Old figures take less room: minutes become quarters of an hour, those become hours, and hours go. The chart of an
 * hour, and the hour before it, need minutes; the chart of a day needs quarters; longer ones need hours.
 *
 * Only whole periods are joined. Each step follows an index of what it still has to do.
 */
import { daysMs, hoursMs, minutesMs } from "../../lib/duration.ts";
import { type Counted, COUNTERS, Counts, type CountScope, startOf } from "./attempt-counts.ts";
import type { Transaction } from "./transaction.ts";

const QUARTER_MS = minutesMs(15);
const HOUR_MS = hoursMs(1);

const MINUTES_KEPT_MS = hoursMs(2);
const QUARTERS_KEPT_MS = hoursMs(25);
const HOURS_KEPT_MS = daysMs(31);

/** Joins or deletes at most `limit` rows and returns how many. */
export async function tidyCounts(tx: Transaction, { nowMs, limit }: { nowMs: number; limit: number }): Promise<number> {
  let left = limit;
  for (const scope of ["destination", "account"] as const) {
    const minutes = { tier: "minutes", beforeMs: nowMs - MINUTES_KEPT_MS, periodMs: QUARTER_MS } as const;
    left -= await joinOld(tx, { ...minutes, scope, limit: left });
    const quarters = { tier: "quarters", beforeMs: nowMs - QUARTERS_KEPT_MS, periodMs: HOUR_MS } as const;
    left -= await joinOld(tx, { ...quarters, scope, limit: left });
    left -= await deleteHours(tx, { scope, beforeMs: nowMs - HOURS_KEPT_MS, limit: left });
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
async function joinOld(tx: Transaction, { scope, tier, beforeMs, periodMs, limit }: Join): Promise<number> {
  const taken = await tx.db.all<Omit<Counted, "scope">>(takeOld(scope, tier), startOf(beforeMs, periodMs), limit);
  const counts = new Counts();
  for (const count of taken) counts.addCount({ ...count, scope, atMs: startOf(count.atMs, periodMs) });
  await counts.write(tx);
  return taken.length;
}

/** What they say of a destination besides figures is kept with it: that it was attempted once. */
async function deleteHours(
  tx: Transaction,
  { scope, beforeMs, limit }: Pick<Join, "scope" | "beforeMs" | "limit">,
): Promise<number> {
  const taken = await tx.db.all<{ id: string }>(takeOld(scope, "hours"), beforeMs, limit);
  const ids = [...new Set(taken.map(({ id }) => id))];
  if (scope === "destination" && ids.length > 0) await tx.db.run(NOTE_ATTEMPTED, ids);
  return taken.length;
}

type Tier = keyof typeof TIERS;

/** As the indexes have them. */
const TIERS = {
  minutes: "at % 900000 <> 0",
  quarters: "at % 900000 = 0 and at % 3600000 <> 0",
  hours: "at % 3600000 = 0",
} as const;

/** By place in the table, the shortest name of a row that is locked. Exported for the test that reads its plan. */
export function takeOld(scope: CountScope, tier: Tier): string {
  const { table, column } = COUNTERS[scope];
  return `-- name: take old ${tier} of ${table}
  with old as materialized (
    select ctid as place
    from ${table}
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
    select id
    from destinations
    where id = any ($1::text[]) and not was_attempted
    order by id
    for no key update
  )
  update destinations d
  set was_attempted = true
  from found
  where d.id = found.id`;

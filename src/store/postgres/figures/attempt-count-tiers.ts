/** How old figures are joined: rows are taken by their place and counted again. */
import {
  COUNTERS,
  type CountScope,
  type OldCounts,
  type Tier,
  TIERS,
  toPeriodStart,
} from "../../sql/figures/count-tiers.ts";
import { writeHours } from "./account-hours.ts";
import { type Counted, Counts } from "./attempt-counts.ts";
import type { Transaction } from "../transaction.ts";

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
    where ${TIERS[tier]} and at < $1 and o.bucket = any ($buckets)
    order by at
    limit $2
    for update skip locked
  )
  delete from ${table} c
  using old
  where c.ctid = old.place and c.bucket = any ($buckets)
  returning c.bucket, c.${column} as id, c.at as "atMs", c.kind, c.result, c.code, c.bin, c.count`;
}

/** In the order in which all lock destinations. */
const NOTE_ATTEMPTED = `-- name: note destinations as attempted
  with found as materialized (
    select o.id
    from destinations o
    where o.id = any ($1::text[]) and not o.was_attempted and o.bucket = any ($buckets)
    order by o.id
    for no key update
  )
  update destinations d
  set was_attempted = true
  from found
  where d.id = found.id and d.bucket = any ($buckets)`;

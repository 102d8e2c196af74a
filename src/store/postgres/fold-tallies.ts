/** Tallies are added to their counters: rows are taken by their place and counted. */
import { Counts } from "./attempt-counts.ts";
import type { Tallied } from "./attempt-tallies.ts";
import type { Transaction } from "./transaction.ts";

/** A transaction's share: with fifty webhooks in a commit, those of half a minute at full speed. */
const ROWS_MAX = 1_000;

/** True: there may be more. */
export async function foldTallies(tx: Transaction): Promise<boolean> {
  const rows = await tx.db.all<{ counts: readonly Tallied[] }>(TAKE_TALLIES, ROWS_MAX);
  const counts = new Counts();
  for (const [destinationId, accountId, atMs, kind, result, code, bin, count] of rows.flatMap((row) => row.counts)) {
    counts.addCount({ scope: "destination", id: destinationId, atMs, kind, result, code, bin, count });
    counts.addCount({ scope: "account", id: accountId, atMs, kind, result, code, bin, count });
  }
  await counts.write(tx);
  return rows.length === ROWS_MAX;
}

const TAKE_TALLIES = `-- name: take tallies of attempts
  with taken as materialized (
    select ctid as place
    from attempt_tallies
    limit $1
    for update skip locked
  )
  delete from attempt_tallies t
  using taken
  where t.ctid = taken.place
  returning t.counts`;

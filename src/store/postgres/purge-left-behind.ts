/**
 * The part of retention that is not the log's, refused records of the inbox, and at last owners that were deleted.
 *
 * Invariant: a deleted alert or destination stays for as long as the log names it.
 */
import type { Purge } from "../contract/log.ts";
import { idsBetween, isIn, orUndated, placeholdersOf, SLACK_MS } from "./days.ts";
import { purgeRefusedRecords } from "./refused-records.ts";
import { tidyLeftBehind } from "../sql/left-behind.ts";
import type { Transaction } from "./transaction.ts";

/** Changes at most `rowsMax` rows and returns how many. */
export async function purgeLeftBehind(tx: Transaction, params: Purge, rowsMax: number): Promise<number> {
  const { nowMs, rowsBeforeMs } = params;
  let left = rowsMax;
  left -= await tidyLeftBehind(tx, { nowMs, limit: left });
  left -= await purgeRefusedRecords(tx, params, left);
  left -= await forgetDestinations(tx, { nowMs, beforeMs: rowsBeforeMs, rowsMax: left });
  left -= await tx.db.run(FORGET_ALERTS, rowsBeforeMs, left);
  return rowsMax - left;
}

/**
 * All of its deliveries are older than its deletion; those that are still there lie in days that could not be dropped.
 */
async function forgetDestinations(
  tx: Transaction,
  { nowMs, beforeMs, rowsMax }: { nowMs: number; beforeMs: number; rowsMax: number },
): Promise<number> {
  const deleted = (await tx.db.all<{ id: string }>(LIST_DELETED_LONG_AGO, beforeMs, rowsMax)).map(({ id }) => id);
  if (deleted.length === 0) return 0;
  const ids = orUndated("dlv", idsBetween("dlv", 0, beforeMs + SLACK_MS), nowMs);
  return await tx.db.run(FORGET_DESTINATIONS, deleted, ...placeholdersOf(ids));
}

const LIST_DELETED_LONG_AGO = `-- name: list destinations deleted long ago
  select id
  from destinations
  where deleted_at < $1
  order by deleted_at
  limit $2`;

export const FORGET_DESTINATIONS = `-- name: forget deleted destinations that nothing names
  delete from destinations t
  where t.id = any ($1::text[]) and not exists (
    select 1
    from deliveries d
    where d.destination_id = t.id and not d.is_test and ${isIn("d.id", 2)}
  )`;

const FORGET_ALERTS = `-- name: forget deleted alerts that nothing names
  with nameless as materialized (
    select a.account_id, a.id
    from alerts a
    where a.deleted_at < $1 and not exists (select 1 from destinations where id = a.destination_id)
    order by a.deleted_at
    limit $2
  )
  delete from alerts a
  using nameless
  where a.account_id = nameless.account_id and a.id = nameless.id`;

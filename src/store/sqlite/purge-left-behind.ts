/**
 * The part of retention that is not the log's, and at last owners that were deleted.
 *
 * Invariant: a deleted alert or destination stays for as long as the log names it.
 */
import type { Purge } from "../contract/log.ts";
import { tidyLeftBehind } from "../sql/left-behind.ts";
import type { Transaction } from "./transaction.ts";

/** Changes at most `rowsMax` rows and returns how many. */
export async function purgeLeftBehind(
  tx: Transaction,
  { nowMs, rowsBeforeMs }: Purge,
  rowsMax: number,
): Promise<number> {
  let left = rowsMax;
  left -= await tidyLeftBehind(tx, { nowMs, limit: left });
  left -= tx.db.run(FORGET_DESTINATIONS, rowsBeforeMs, left);
  left -= tx.db.run(FORGET_ALERTS, rowsBeforeMs, left);
  return rowsMax - left;
}

/** Exported for the test that reads its plan, like the next one. */
export const FORGET_DESTINATIONS = `-- name: forget deleted destinations that nothing names
  delete from destinations
  where rowid in (
    select rowid from destinations t
    where deleted_at < ? and not exists (select 1 from deliveries where destination_id = t.id and is_test = 0)
    order by deleted_at
    limit ?
  )`;

export const FORGET_ALERTS = `-- name: forget deleted alerts that nothing names
  delete from alerts
  where (account_id, id) in (
    select account_id, id from alerts a
    where deleted_at < ? and not exists (select 1 from destinations where id = a.destination_id)
    order by deleted_at
    limit ?
  )`;

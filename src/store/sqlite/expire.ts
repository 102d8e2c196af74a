/**
 * The end of waiting: a delivery whose destination is not on is cancelled when it has been due for too long. By due
 * time and not by birth: it is the queue's own order, so a step reads only what goes, and one that somebody has resent
 * gets its full time again.
 */
import { correctDueBound } from "./destination-now.ts";
import type { Transaction } from "./transaction.ts";

export function expireWaiting(
  tx: Transaction,
  { nowMs, dueBeforeMs, rowsMax }: { nowMs: number; dueBeforeMs: number; rowsMax: number },
): { expired: number } {
  let left = rowsMax;
  for (const { id } of tx.db.all<{ id: string }>(LIST_SHUT, dueBeforeMs, rowsMax)) {
    if (left === 0) break;
    const expired = tx.db.run(CANCEL_WAITING, nowMs, id, dueBeforeMs, left);
    // Also when nothing was cancelled: then the bound was too low and would bring us here again.
    correctDueBound(tx, id);
    left -= expired;
  }
  tx.waitingChange -= rowsMax - left;
  return { expired: rowsMax - left };
}

/** Exported for the test that reads its plan, like the next one. */
export const LIST_SHUT = `-- name: list destinations that are not on although something waits
  select id
  from destinations
  where state <> 'on' and next_due_at < ?
  order by next_due_at
  limit ?`;

export const CANCEL_WAITING = `-- name: cancel what has waited too long
  update deliveries
  set state = 'cancelled', due_at = null, claim_token = null, settled_at = ?
  where id in (
    select id from deliveries
    where destination_id = ? and state = 'pending' and due_at < ?
    order by due_at
    limit ?
  )`;

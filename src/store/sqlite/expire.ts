/**
 * The end of waiting: a delivery whose destination is not on is cancelled when it has been due for too long. By due
 * time and not by birth: it is the queue's own order, so a step reads only what goes, and one that somebody has resent
 * gets its full time again.
 */
import type { CancelWaiting } from "../contract/destinations.ts";
import { correctDueBound } from "./destination-now.ts";
import type { Transaction } from "./transaction.ts";

export function expireWaiting(
  tx: Transaction,
  { nowMs, dueBeforeMs, rowsMax }: { nowMs: number; dueBeforeMs: number; rowsMax: number },
): { expired: number } {
  let left = rowsMax - cancelOfDeleted(tx, { nowMs, rowsMax });
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

/** What a deletion left behind, such as a delivery whose attempt was under way then and failed. */
function cancelOfDeleted(tx: Transaction, { nowMs, rowsMax }: { nowMs: number; rowsMax: number }): number {
  let left = rowsMax;
  for (const { id } of tx.db.all<{ id: string }>(LIST_DELETED, rowsMax)) {
    if (left === 0) break;
    left -= tx.db.run(CANCEL_OF_DELETED, nowMs, id, nowMs, left);
    correctDueBound(tx, id);
  }
  return rowsMax - left;
}

/**
 * A person's decision: what waits now goes nowhere. What is in somebody's hands is left alone, until its claim has run
 * out: its attempt may succeed, and the log must say so.
 */
export function cancelWaiting(tx: Transaction, params: CancelWaiting): { cancelled: number } {
  const { accountId, destinationId, createdBeforeMs, rowsMax, nowMs } = params;
  const cancelled = tx.db.run(CANCEL_UNCLAIMED, nowMs, accountId, destinationId, nowMs, createdBeforeMs, rowsMax);
  if (cancelled > 0) correctDueBound(tx, destinationId);
  tx.waitingChange -= cancelled;
  return { cancelled };
}

/** Exported for the test that reads its plan, like the next ones. */
export const LIST_DELETED = `-- name: list deleted destinations although something waits
  select id
  from destinations indexed by destinations_left
  where deleted_at is not null and next_due_at is not null
  order by id
  limit ?`;

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

/** One in somebody's hands may arrive yet; when its claim has run out, nobody has it. */
export const CANCEL_OF_DELETED = `-- name: cancel what waits for deleted destination
  update deliveries
  set state = 'cancelled', due_at = null, claim_token = null, settled_at = ?
  where id in (
    select id from deliveries
    where destination_id = ? and state = 'pending' and (claim_token is null or due_at <= ?)
    limit ?
  )`;

export const CANCEL_UNCLAIMED = `-- name: cancel what waits for destination
  update deliveries
  set state = 'cancelled', due_at = null, claim_token = null, settled_at = ?
  where id in (
    select id from deliveries
    where account_id = ? and destination_id = ? and state = 'pending' and (claim_token is null or due_at <= ?)
      and created_at < ?
    limit ?
  )`;

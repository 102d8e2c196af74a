/**
 * Deleting an event with its deliveries and their attempts. Rows that belong to others go first, so that a step which
 * ends in the middle leaves something whole, and the next one finds the event again and goes on.
 */
import type { Transaction } from "../transaction.ts";

/** Deletes at most `rowsMax` rows and returns how many. */
export function deleteEvent(tx: Transaction, eventSeq: number, rowsMax: number): number {
  let left = rowsMax;
  for (const { id } of tx.db.all<{ id: string }>(LIST_DELIVERIES, eventSeq, left)) {
    left -= tx.db.run(DELETE_ATTEMPTS, id, left);
    // With nothing left its attempts may not all be gone.
    if (left > 0) left -= tx.db.run(DELETE_DELIVERY, id);
  }
  // Not all rows were needed: nothing of it is left but itself.
  if (left > 0) left -= tx.db.run(DELETE_EVENT, eventSeq);
  return rowsMax - left;
}

const LIST_DELIVERIES = `-- name: list deliveries of event
  select d.id
  from events e
  cross join json_each(e.deliveries) n
  join deliveries d on d.id = n.key
  where e.seq = ?
  limit ?`;

const DELETE_ATTEMPTS = `-- name: delete attempts of delivery
  delete from attempts
  where seq in (select seq from attempts where delivery_id = ? limit ?)`;

const DELETE_DELIVERY = `-- name: delete delivery
  delete from deliveries
  where id = ?`;

const DELETE_EVENT = `-- name: delete event
  delete from events
  where seq = ?`;

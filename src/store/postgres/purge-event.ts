/**
 * Deleting events with their deliveries and their attempts. What belongs to others goes first, so that a step which
 * ends in the middle leaves something whole, and the next one finds the events again and goes on.
 */
import type { Transaction } from "./transaction.ts";

/** Of events that this transaction has locked and that have nothing pending: deletes at most `rowsMax` rows. */
export async function deleteEvents(tx: Transaction, eventSeqs: readonly number[], rowsMax: number): Promise<number> {
  let left = rowsMax;
  for (const statement of [DELETE_ATTEMPTS, DELETE_DELIVERIES, DELETE_EVENTS]) {
    // With nothing left there may be more of this kind, and what they belong to must stay.
    if (left > 0) left -= await tx.db.run(statement, eventSeqs, left);
  }
  return rowsMax - left;
}

const DELETE_ATTEMPTS = `-- name: delete attempts of events
  with old as materialized (
    select a.seq
    from deliveries d
    join attempts a on a.delivery_id = d.id
    where d.event_seq = any ($1::bigint[])
    limit $2
  )
  delete from attempts a
  using old
  where a.seq = old.seq`;

const DELETE_DELIVERIES = `-- name: delete deliveries of events
  with old as materialized (
    select id
    from deliveries
    where event_seq = any ($1::bigint[])
    limit $2
  )
  delete from deliveries d
  using old
  where d.id = old.id`;

const DELETE_EVENTS = `-- name: delete events
  with old as materialized (
    select seq
    from unnest($1::bigint[]) as old (seq)
    limit $2
  )
  delete from events e
  using old
  where e.seq = old.seq`;

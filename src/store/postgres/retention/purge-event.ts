/**
 * Deleting events with their deliveries and their attempts. Rows that belong to others go first, so that a step which
 * ends in the middle leaves something whole, and the next one finds the events again and goes on.
 */
import { byDay, isInDays, spanOf, toPlaceholders, toRanges } from "../days.ts";
import type { Transaction } from "../transaction.ts";

/** Deletes at most `rowsMax` rows of events that this transaction has locked and that have nothing pending. */
export async function deleteEvents(tx: Transaction, eventIds: readonly string[], rowsMax: number): Promise<number> {
  const lists = await Promise.all(
    byDay(eventIds).map(({ ids, day }) =>
      tx.db.all<{ id: string }>(LIST_DELIVERIES, ids, ...toRanges(ids), ...toPlaceholders(day)),
    ),
  );
  const deliveryIds = lists.flat().map(({ id }) => id);
  let left = rowsMax;
  for (const [statement, ids, days] of [
    [DELETE_ATTEMPTS, deliveryIds, []],
    [DELETE_DELIVERIES, deliveryIds, toPlaceholders(spanOf(deliveryIds))],
    [DELETE_EVENTS, eventIds, []],
  ] as const) {
    // With nothing left there may be more of this kind, and what they belong to must stay.
    if (left > 0 && ids.length > 0) left -= await tx.db.run(statement, ids, left, ...days);
  }
  return rowsMax - left;
}

const LIST_DELIVERIES = `-- name: list ended deliveries of events
  select d.id
  from unnest($1::text[], $2::text[], $3::text[]) as given (event_id, first, behind)
  join deliveries d on d.event_id = given.event_id and d.id >= given.first and d.id < given.behind
  where d.is_ended and ${isInDays("d", 4)} and d.bucket = any ($buckets)`;

const DELETE_ATTEMPTS = `-- name: delete attempts of deliveries
  with old as materialized (
    select o.delivery_id, o.number
    from attempts o
    where o.delivery_id = any ($1::text[]) and o.bucket = any ($buckets)
    limit $2
  )
  delete from attempts a
  using old
  where a.delivery_id = old.delivery_id and a.number = old.number and a.delivery_id = any ($1::text[])
    and a.bucket = any ($buckets)`;

const DELETE_DELIVERIES = `-- name: delete deliveries
  with old as materialized (
    select id
    from unnest($1::text[]) as old (id)
    limit $2
  )
  delete from deliveries d
  using old
  where d.id = old.id and d.is_ended and d.id = any ($1::text[]) and ${isInDays("d", 3)}
    and d.bucket = any ($buckets)`;

const DELETE_EVENTS = `-- name: delete events
  with old as materialized (
    select id
    from unnest($1::text[]) as old (id)
    limit $2
  )
  delete from events e
  using old
  where e.id = old.id and e.id = any ($1::text[]) and e.bucket = any ($buckets)`;

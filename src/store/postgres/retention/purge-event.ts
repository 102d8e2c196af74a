/**
 * The end of events with their deliveries and attempts, and of deleted destinations and their owners. Rows that belong
 * to others go first, so that a step which ends in the middle leaves something whole, and the next one finds the events
 * again and goes on.
 */
import type { Purge } from "../../contract/log.ts";
import type { Value } from "../connection/connection.ts";
import { byDay, idsBetween, isInDays, orUndated, SLACK_MS, spanOf, toPlaceholders, toRanges } from "../days.ts";
import { purgeRefusedRecords } from "../inbox.ts";
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
  where d.is_ended and ${isInDays("d", 4)}`;

const DELETE_ATTEMPTS = `-- name: delete attempts of deliveries
  with old as materialized (
    select o.delivery_id, o.number
    from attempts o
    where o.delivery_id = any ($1::text[])
    limit $2
  )
  delete from attempts a
  using old
  where a.delivery_id = old.delivery_id and a.number = old.number and a.delivery_id = any ($1::text[])`;

const DELETE_DELIVERIES = `-- name: delete deliveries
  with old as materialized (
    select id
    from unnest($1::text[]) as old (id)
    limit $2
  )
  delete from deliveries d
  using old
  where d.id = old.id and d.is_ended and d.id = any ($1::text[]) and ${isInDays("d", 3)}`;

const DELETE_EVENTS = `-- name: delete events
  with old as materialized (
    select id
    from unnest($1::text[]) as old (id)
    limit $2
  )
  delete from events e
  using old
  where e.id = old.id and e.id = any ($1::text[])`;

export async function forgetDeleted(tx: Transaction, params: Purge, limit: number): Promise<number> {
  let left = limit;
  left -= await purgeRefusedRecords(tx, params, left);
  left -= await forgetDestinations(tx, params, left);
  for (const table of ["alerts", "webhooks"] as const) {
    left -= await forgetOwners(tx, { table, rowsBeforeMs: params.rowsBeforeMs, limit: left });
  }
  return limit - left;
}

/**
 * Some are looked for in the log at once. All of a destination's deliveries are older than its deletion, and no later
 * one comes; those that are still there lie in days that could not be dropped.
 */
async function forgetDestinations(tx: Transaction, { nowMs, rowsBeforeMs }: Purge, limit: number): Promise<number> {
  const deleted = await listIds(tx, LIST_DESTINATIONS, rowsBeforeMs, limit);
  if (deleted.length === 0) return 0;
  const days = orUndated("dlv", idsBetween("dlv", 0, rowsBeforeMs + SLACK_MS), nowMs);
  const named = new Set(await listIds(tx, LIST_NAMED, deleted, ...toPlaceholders(days)));
  const nameless = deleted.filter((id) => !named.has(id));
  return nameless.length === 0 ? 0 : await tx.db.run(DELETE_DESTINATIONS, nameless);
}

interface DeletedOwner {
  readonly accountId: string;
  readonly id: string;
  /** `null`: an alert that had no webhook. */
  readonly destinationId: string | null;
}

type OwnerTable = "alerts" | "webhooks";

interface ForgetOwners extends Pick<Purge, "rowsBeforeMs"> {
  readonly table: OwnerTable;
  readonly limit: number;
}

async function forgetOwners(tx: Transaction, { table, rowsBeforeMs, limit }: ForgetOwners): Promise<number> {
  const deleted = await tx.db.all<DeletedOwner>(listDeleted(table), rowsBeforeMs, limit);
  if (deleted.length === 0) return 0;
  const destinations = deleted.flatMap(({ destinationId }) => destinationId ?? []);
  const kept = new Set(destinations.length === 0 ? [] : await listIds(tx, LIST_KEPT, destinations));
  const over = deleted.filter(({ destinationId }) => destinationId === null || !kept.has(destinationId));
  if (over.length === 0) return 0;
  return await tx.db.run(
    forget(table),
    over.map(({ accountId }) => accountId),
    over.map(({ id }) => id),
  );
}

const listIds = async (tx: Transaction, sql: string, ...values: Value[]): Promise<string[]> =>
  (await tx.db.all<{ id: string }>(sql, ...values)).map(({ id }) => id);

const LIST_DESTINATIONS = `-- name: list destinations deleted long ago
  select d.id
  from destinations d
  where d.deleted_at < $1
  order by deleted_at
  limit $2`;

const LIST_NAMED = `-- name: list deleted destinations that the log names
  select given.id
  from unnest($1::text[]) as given (id)
  cross join lateral (
    select 1
    from deliveries d
    where d.destination_id = given.id and not d.is_test and ${isInDays("d", 2)}
    limit 1
  ) named`;

const DELETE_DESTINATIONS = `-- name: forget deleted destinations that nothing names
  delete from destinations t
  where t.id = any ($1::text[])`;

const listDeleted = (table: OwnerTable): string => `-- name: list ${table} deleted long ago
  select a.account_id as "accountId", a.id, a.destination_id as "destinationId"
  from ${table} a
  where a.deleted_at < $1
  order by deleted_at
  limit $2`;

const LIST_KEPT = `-- name: list destinations of deleted owners
  select d.id
  from destinations d
  where d.id = any ($1::text[])`;

const forget = (table: OwnerTable): string => `-- name: forget deleted ${table} that nothing names
  delete from ${table} a
  using unnest($1::text[], $2::text[]) as given (account_id, id)
  where a.account_id = given.account_id and a.id = given.id`;

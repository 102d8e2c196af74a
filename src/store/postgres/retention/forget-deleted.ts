/**
 * The end of deleted destinations and alerts, behind the refused records of the inbox.
 *
 * Invariant: each statement is about one table. While a database is being distributed some tables lie on the workers
 * and others on the coordinator, for as long as its operator takes; Citus cannot look from a row of one into the other.
 */
import type { Purge } from "../../contract/log.ts";
import type { Value } from "../connection/connection.ts";
import { idsBetween, isInDays, orUndated, toPlaceholders, SLACK_MS } from "../days.ts";
import { purgeRefusedRecords } from "./refused-records.ts";
import type { Transaction } from "../transaction.ts";

export async function forgetDeleted(tx: Transaction, params: Purge, limit: number): Promise<number> {
  let left = limit;
  left -= await purgeRefusedRecords(tx, params, left);
  left -= await forgetDestinations(tx, params, left);
  left -= await forgetAlerts(tx, params, left);
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

interface DeletedAlert {
  readonly accountId: string;
  readonly id: string;
  /** `null`: it had no webhook. */
  readonly destinationId: string | null;
}

async function forgetAlerts(tx: Transaction, { rowsBeforeMs }: Purge, limit: number): Promise<number> {
  const deleted = await tx.db.all<DeletedAlert>(LIST_ALERTS, rowsBeforeMs, limit);
  if (deleted.length === 0) return 0;
  const destinations = deleted.flatMap(({ destinationId }) => destinationId ?? []);
  const kept = new Set(destinations.length === 0 ? [] : await listIds(tx, LIST_KEPT, destinations));
  const over = deleted.filter(({ destinationId }) => destinationId === null || !kept.has(destinationId));
  if (over.length === 0) return 0;
  return await tx.db.run(
    DELETE_ALERTS,
    over.map(({ accountId }) => accountId),
    over.map(({ id }) => id),
  );
}

const listIds = async (tx: Transaction, sql: string, ...values: Value[]): Promise<string[]> =>
  (await tx.db.all<{ id: string }>(sql, ...values)).map(({ id }) => id);

const LIST_DESTINATIONS = `-- name: list destinations deleted long ago
  select d.id
  from destinations d
  where d.deleted_at < $1 and d.bucket = any ($buckets)
  order by deleted_at
  limit $2`;

const LIST_NAMED = `-- name: list deleted destinations that the log names
  select given.id
  from unnest($1::text[]) as given (id)
  cross join lateral (
    select 1
    from deliveries d
    where d.destination_id = given.id and not d.is_test and ${isInDays("d", 2)} and d.bucket = any ($buckets)
    limit 1
  ) named`;

const DELETE_DESTINATIONS = `-- name: forget deleted destinations that nothing names
  delete from destinations t
  where t.id = any ($1::text[]) and t.bucket = any ($buckets)`;

const LIST_ALERTS = `-- name: list alerts deleted long ago
  select a.account_id as "accountId", a.id, a.destination_id as "destinationId"
  from alerts a
  where a.deleted_at < $1 and a.bucket = any ($buckets)
  order by deleted_at
  limit $2`;

const LIST_KEPT = `-- name: list destinations of deleted alerts
  select d.id
  from destinations d
  where d.id = any ($1::text[]) and d.bucket = any ($buckets)`;

const DELETE_ALERTS = `-- name: forget deleted alerts that nothing names
  delete from alerts a
  using unnest($1::text[], $2::text[]) as given (account_id, id)
  where a.account_id = given.account_id and a.id = given.id and a.bucket = any ($buckets)`;

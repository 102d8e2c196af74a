/**
 * Destinations: their set-up, their health, and the bound of each one's queue.
 *
 * Invariant: `next_due_at` is never later than the earliest due time among the destination's pending deliveries, so
 * that a claim that walks destinations by it misses nothing. Whoever makes a delivery due calls `lowerDueBound`.
 */
import type { DestinationOffReason, DestinationState } from "../../domain/destination.ts";
import { assert } from "../../lib/assert.ts";
import type { DestinationSetup, StoredDestination, StoredHeader } from "../store.ts";
import { bumpConfigVersion } from "./config-version.ts";
import type { Transaction } from "./transaction.ts";

/** Creates it once, then only changes URL and headers: state, health and queue stay. Returns the id, if any. */
export function saveDestination(
  tx: Transaction,
  { accountId, setup, nowMs }: { accountId: string; setup: DestinationSetup | null; nowMs: number },
): string | null {
  if (setup === null) return null;
  const { id, url, headers } = setup;
  const headersJson = JSON.stringify(headers.map(({ name, value, secret }) => ({ name, value, secret })));
  const written = tx.db.run(UPSERT_DESTINATION, id, accountId, url, headersJson, nowMs, nowMs);
  assert(written === 1, `the destination ${id} belongs to another account than ${accountId}`);
  return id;
}

/** The account's destinations by id. */
export function loadDestinations(tx: Transaction, accountId: string): Map<string, StoredDestination> {
  const rows = tx.db.all<DestinationRow>(LIST_DESTINATIONS, accountId, accountId);
  return new Map(
    rows.map(({ id, url, headers, state, offReason, failingSinceMs }) => [
      id,
      { id, url, headers: JSON.parse(headers) as StoredHeader[], state, offReason, failingSinceMs },
    ]),
  );
}

/** Makes the bound cover a delivery that is due at `dueAtMs`. Throws when there is no such destination. */
export function lowerDueBound(tx: Transaction, destinationId: string, dueAtMs: number): void {
  const known = tx.dueBounds.get(destinationId) ?? readDueBound(tx, destinationId);
  const isLower = dueAtMs < known;
  if (isLower) tx.db.run(LOWER_DUE_BOUND, dueAtMs, destinationId);
  tx.dueBounds.set(destinationId, isLower ? dueAtMs : known);
}

function readDueBound(tx: Transaction, destinationId: string): number {
  const row = tx.db.get<{ nextDueAtMs: number | null }>(FIND_DUE_BOUND, destinationId);
  assert(row !== undefined, `there is no destination ${destinationId}`);
  return row.nextDueAtMs ?? Infinity;
}

/** Sets the bound to the truth after a claim, and sends the destination to the end of the walk if it has more due. */
export function correctDueBound(tx: Transaction, destinationId: string, nowMs: number): void {
  tx.db.run(CORRECT_DUE_BOUND, nowMs, destinationId);
  tx.dueBounds.delete(destinationId);
}

/** For a clock that was set back: turns that lie ahead would keep destinations waiting until it is there again. */
export function forgetTurnsAfter(tx: Transaction, nowMs: number): void {
  tx.db.run(FORGET_TURNS, nowMs);
}

/** Keeps the start of the unbroken run of failures: set by the first failed attempt, cleared by a success. */
export function noteHealth(tx: Transaction, destinationId: string, failedAtMs: number | null): void {
  if (failedAtMs === null) tx.db.run(CLEAR_FAILING_SINCE, destinationId);
  else tx.db.run(SET_FAILING_SINCE, failedAtMs, destinationId);
}

export function turnOff(tx: Transaction, destinationId: string, reason: DestinationOffReason): void {
  const row = tx.db.get<{ accountId: string }>(TURN_OFF, reason, destinationId);
  // Already off: the first reason stays, and nothing changed that an accept must know.
  if (row !== undefined) bumpConfigVersion(tx, row.accountId);
}

interface DestinationRow {
  readonly id: string;
  readonly url: string;
  readonly headers: string;
  readonly state: DestinationState;
  readonly offReason: DestinationOffReason | null;
  readonly failingSinceMs: number | null;
}

const UPSERT_DESTINATION = `-- name: create destination or change its set-up
  insert into destinations (id, account_id, state, url, headers, created_at, updated_at)
  values (?, ?, 'on', ?, ?, ?, ?)
  on conflict (id) do update
  set url = excluded.url, headers = excluded.headers, updated_at = excluded.updated_at
  where destinations.account_id = excluded.account_id`;

const LIST_DESTINATIONS = `-- name: list destinations of account
  select id, url, headers, state, off_reason as "offReason", failing_since_at as "failingSinceMs"
  from destinations
  where id in (
    select destination_id from alerts where account_id = ?
    union all
    select destination_id from chat_assistants where account_id = ?
  )`;

const FIND_DUE_BOUND = `-- name: find due bound
  select next_due_at as "nextDueAtMs"
  from destinations
  where id = ?`;

const LOWER_DUE_BOUND = `-- name: lower due bound
  update destinations
  set next_due_at = ?
  where id = ?`;

const CORRECT_DUE_BOUND = `-- name: correct due bound
  update destinations
  set next_due_at = (
    select min(due_at)
    from deliveries
    where destination_id = destinations.id and state = 'pending'
  ), turn_at = ?
  where id = ?`;

const FORGET_TURNS = `-- name: forget turns that lie ahead
  update destinations
  set turn_at = 0
  where turn_at > ?`;

const CLEAR_FAILING_SINCE = `-- name: clear failing since
  update destinations
  set failing_since_at = null
  where id = ? and failing_since_at is not null`;

const SET_FAILING_SINCE = `-- name: set failing since unless set
  update destinations
  set failing_since_at = ?
  where id = ? and failing_since_at is null`;

const TURN_OFF = `-- name: turn destination off
  update destinations
  set state = 'off', off_reason = ?
  where id = ? and state <> 'off'
  returning account_id as "accountId"`;

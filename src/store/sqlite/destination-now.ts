/**
 * Destinations as of now inside a transaction: what the event's path needs to know of each, read once a batch however
 * many deliveries share it. Here too is the bound of each one's queue.
 *
 * Invariant: `next_due_at` is never later than the earliest due time among the destination's pending deliveries, so
 * that a claim that walks destinations by it misses nothing. Whoever makes a delivery due calls `lowerDueBound`.
 */
import type { DestinationOffReason, DestinationState } from "../../domain/destination.ts";
import { assert } from "../../lib/assert.ts";
import type { DestinationNow } from "../../domain/destination-now.ts";
import type { Transaction } from "./transaction.ts";

/** Throws when there is no such destination. */
export function destinationNow(tx: Transaction, id: string): DestinationNow {
  const destination = findDestination(tx, id);
  assert(destination !== null, `there is no destination ${id}`);
  return destination;
}

export function findDestination(tx: Transaction, id: string): DestinationNow | null {
  const known = tx.destinations.get(id);
  if (known !== undefined) return known;
  const row = tx.db.get<DestinationRow>(FIND_DESTINATION, id);
  if (row === undefined) return null;
  const destination = destinationOf(row);
  tx.destinations.set(id, destination);
  return destination;
}

function destinationOf(row: DestinationRow): DestinationNow {
  const { accountId, state, offReason, probeToken, ratePerSecond, toldAtMs, nextDueAtMs } = row;
  const { failingSinceMs, strain, trips, notBeforeMs } = row;
  return {
    accountId,
    state,
    offReason,
    health: { failingSinceMs, strain, trips, notBeforeMs },
    lastFailure: lastFailureOf(row),
    isTold: row.isTold === 1,
    toldAtMs,
    isDeleted: row.isDeleted === 1,
    probeToken,
    ratePerSecond,
    nextDueAtMs: nextDueAtMs ?? Infinity,
  };
}

function lastFailureOf({ failedAtMs, failedOutcome, failedStatus }: DestinationRow): DestinationNow["lastFailure"] {
  if (failedAtMs === null || failedOutcome === null) return null;
  return { atMs: failedAtMs, outcome: failedOutcome, status: failedStatus };
}

/** Makes the bound cover a delivery that is due at `dueAtMs`. Throws when there is no such destination. */
export function lowerDueBound(tx: Transaction, id: string, dueAtMs: number): void {
  const destination = destinationNow(tx, id);
  if (dueAtMs >= destination.nextDueAtMs) return;
  tx.db.run(LOWER_DUE_BOUND, dueAtMs, id);
  tx.destinations.set(id, { ...destination, nextDueAtMs: dueAtMs });
}

/** Sets the bound to the truth. */
export function correctDueBound(tx: Transaction, id: string): void {
  tx.db.run(CORRECT_DUE_BOUND, id);
  tx.destinations.delete(id);
}

/** The same after a claim, and the destination goes to the end of the walk if it has more due. */
export function endTurn(tx: Transaction, id: string, nowMs: number): void {
  tx.db.run(END_TURN, nowMs, id);
  tx.destinations.delete(id);
}

/** For a clock that was set back: turns that lie ahead would keep destinations waiting until it is there again. */
export function forgetTurnsAfter(tx: Transaction, nowMs: number): void {
  tx.db.run(FORGET_TURNS, nowMs);
}

interface DestinationRow {
  readonly accountId: string;
  readonly state: DestinationState;
  readonly offReason: DestinationOffReason | null;
  readonly failingSinceMs: number | null;
  readonly strain: number;
  readonly trips: number;
  readonly notBeforeMs: number;
  readonly failedAtMs: number | null;
  readonly failedOutcome: string | null;
  readonly failedStatus: number | null;
  readonly toldAtMs: number | null;
  readonly isTold: number;
  readonly isDeleted: number;
  readonly probeToken: string | null;
  readonly ratePerSecond: number | null;
  readonly nextDueAtMs: number | null;
}

const FIND_DESTINATION = `-- name: find destination as of now
  select account_id as "accountId", state, off_reason as "offReason", failing_since_at as "failingSinceMs", strain,
    trips, not_before_at as "notBeforeMs", last_failure_at as "failedAtMs", last_failure_outcome as "failedOutcome",
    last_failure_status as "failedStatus", told_at as "toldAtMs", is_told as "isTold",
    deleted_at is not null as "isDeleted", probe_token as "probeToken", rate_per_second as "ratePerSecond",
    next_due_at as "nextDueAtMs"
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
  )
  where id = ?`;

const END_TURN = `-- name: correct due bound after a claim
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

/**
 * Destinations as of now inside a transaction: what the event's path needs to know of each, read once a batch however
 * many deliveries share it. Here too is the bound of each one's queue.
 *
 * Invariant: `next_due_at` is never later than the earliest due time among the destination's pending deliveries, so
 * that a claim that walks destinations by it misses nothing. A verb that makes a delivery due calls `lowerDueBound`.
 */
import { assert } from "../../../lib/assert.ts";
import type { DestinationNow } from "../../../domain/destination-now.ts";
import { DESTINATION_COLUMNS, type DestinationRow, toDestinationNow } from "../../sql/path/destinations.ts";
import type { Transaction } from "../transaction.ts";

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
  const destination = toDestinationNow(row);
  tx.destinations.set(id, destination);
  return destination;
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

/** After a destination's queue has lost `cancelled` deliveries. */
export function shortenQueue(tx: Transaction, id: string, cancelled: number): void {
  tx.waitingChange -= cancelled;
  correctDueBound(tx, id);
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

const FIND_DESTINATION = `-- name: find destination as of now
  select ${DESTINATION_COLUMNS}
  from destinations d
  where d.id = ?`;

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

/**
 * Destinations as of now inside a transaction: what the event's path needs to know of each, read once a batch however
 * many deliveries share it. Here too is the bound of each one's queue.
 *
 * Invariant: `next_due_at` is never later than the earliest due time among the destination's pending deliveries, so
 * that a claim that walks destinations by it misses nothing. A verb that makes a delivery due calls `lowerDueBound`.
 */
import { NEVER_SERVED_MS } from "../../../domain/pull.ts";
import { assert } from "../../../lib/assert.ts";
import {
  type DestinationNow,
  type HealthChange,
  type NotedAttempt,
  type NotedResult,
  toNotedResult,
  type ChangeOfDestination,
  findCondition,
  isSame,
} from "../../../domain/destination-now.ts";
import {
  DESTINATION_COLUMNS,
  type DestinationRow,
  toDestinationNow,
  type GivenBack,
  isOnTrialBy,
  isToWrite,
  notifyOfAttempt,
  toChange,
  toHealthChange,
} from "../../sql/path/destinations.ts";
import type { Transaction } from "../transaction.ts";
import type { Claim } from "../../contract/path.ts";
import { bumpNow } from "./config-version.ts";

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
export function noteServed(tx: Transaction, id: string, nowMs: number): void {
  tx.db.run(NOTE_SERVED, nowMs, id);
  tx.destinations.delete(id);
}

/** For a clock that was set back: times that lie ahead would keep destinations waiting until it is there again. */
export function forgetServedAfter(tx: Transaction, nowMs: number): void {
  tx.db.run(FORGET_SERVED, nowMs);
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

const NOTE_SERVED = `-- name: correct due bound after a claim
  update destinations
  set next_due_at = (
    select min(due_at)
    from deliveries
    where destination_id = destinations.id and state = 'pending'
  ), served_at = ?
  where id = ?`;

const FORGET_SERVED = `-- name: forget times of service that lie ahead
  update destinations
  set served_at = 0
  where served_at > ? and served_at < ${NEVER_SERVED_MS}`;

/* The breaker's row on SQLite: `../../sql/path/destinations.ts` says what it keeps true. */

/** Applies one attempt, and writes only what it changed: a success of a healthy destination costs nothing. */
export function applyAttempt(tx: Transaction, id: string, attempt: NotedAttempt): NotedResult | Promise<NotedResult> {
  const before = attempt.succeeded ? destinationNow(tx, id) : withSetUp(tx, id);
  const change = toHealthChange(before, attempt);
  return isToWrite(change) ? applyChange(tx, id, change) : toNotedResult(change.before, change.before, change.nowMs);
}

function withSetUp(tx: Transaction, id: string): DestinationNow {
  const destination = destinationNow(tx, id);
  return { ...destination, setUpAtMs: tx.db.get<{ setUpAtMs: number }>(FIND_SET_UP, id)?.setUpAtMs ?? null };
}

async function applyChange(tx: Transaction, id: string, change: HealthChange): Promise<NotedResult> {
  const after = await notifyOfAttempt(tx, id, change);
  changeDestination(tx, id, toChange(after, change.nowMs));
  return toNotedResult(change.before, after, change.nowMs);
}

export function startTrial(tx: Transaction, destinationId: string, claim: Claim): void {
  tx.db.run(START_TRIAL, claim.untilMs, claim.token, destinationId);
  tx.destinations.delete(destinationId);
}

export function endTrial(tx: Transaction, { destinationId, claim, dueAtMs }: GivenBack): void {
  if (!isOnTrialBy(destinationNow(tx, destinationId), claim)) return;
  tx.db.run(END_TRIAL, dueAtMs, destinationId);
  tx.destinations.delete(destinationId);
}

const FIND_SET_UP = `-- name: find when destination was set up
  select updated_at as "setUpAtMs"
  from destinations
  where id = ?`;

const START_TRIAL = `-- name: hold destination back for its trial
  update destinations
  set not_before_at = ?, trial_token = ?
  where id = ?`;

const END_TRIAL = `-- name: end hold of trial
  update destinations
  set not_before_at = ?, trial_token = null
  where id = ?`;

/* How a change of a destination is written. */

/** Writes what differs, and a row of history when that is more than a number. */
export function changeDestination(tx: Transaction, id: string, change: ChangeOfDestination): void {
  const { after, reason, actor, nowMs } = change;
  const before = destinationNow(tx, id);
  if (isSame(before, after)) return;
  const { failingSinceMs, failureScore, consecutiveOpens, notBeforeMs } = after.health;
  const { atMs = null, outcome = null, status = null } = after.lastFailure ?? {};
  const health = [failingSinceMs, failureScore, consecutiveOpens, notBeforeMs, atMs, outcome, status] as const;
  tx.db.run(CHANGE, after.state, after.offReason, ...health, after.notifiedAtMs, Number(after.isNotified), id);
  tx.destinations.set(id, after);
  if (after.state !== before.state) bumpNow(tx, after.accountId);
  const [from, to] = [findCondition(before), findCondition(after)];
  if (from !== to) tx.db.run(INSERT_CHANGE, after.accountId, id, nowMs, from, to, reason, actor);
}

const CHANGE = `-- name: change state and health of destination
  update destinations
  set state = ?, off_reason = ?, failing_since_at = ?, failure_score = ?, consecutive_opens = ?, not_before_at = ?,
    last_failure_at = ?, last_failure_outcome = ?, last_failure_status = ?, notified_at = ?, is_notified = ?
  where id = ?`;

const INSERT_CHANGE = `-- name: insert change of destination
  insert into destination_changes (account_id, destination_id, at, from_state, to_state, reason, actor)
  values (?, ?, ?, ?, ?, ?, ?)`;

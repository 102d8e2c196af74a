/**
 * Every change of a destination's state, with who made it and why, and the one statement that makes it. The account's
 * version grows with a change of state, so that an accept that was decided before it is refused.
 */
import { type DestinationHealth, HEALTHY, isOpen } from "../../domain/destination-health.ts";
import type { DestinationChange, SetDestinationState } from "../store.ts";
import { bumpConfigVersion } from "./config-version.ts";
import { type DestinationNow, destinationNow, findDestination } from "./destination-now.ts";
import type { Transaction } from "./transaction.ts";

/** A receiver that flaps makes two rows a minute; this is more than anybody reads. */
const CHANGES_MAX = 500;

export function setDestinationState(
  tx: Transaction,
  { accountId, destinationId, state, actor, reason, nowMs }: SetDestinationState,
): "changed" | "unchanged" | "missing" {
  const before = findDestination(tx, destinationId);
  if (before === null || before.accountId !== accountId) return "missing";
  const after = state === "on" ? turnedOn(before) : paused(before);
  if (conditionOf(after) === conditionOf(before)) return "unchanged";
  changeDestination(tx, destinationId, { after, actor, reason, nowMs });
  return "changed";
}

const turnedOn = (before: DestinationNow): DestinationNow => ({
  ...before,
  state: "on",
  offReason: null,
  health: HEALTHY,
});

/** One that is off stays off: it does not get back to work before a person says so either way. */
const paused = (before: DestinationNow): DestinationNow =>
  before.state === "on" ? { ...before, state: "paused" } : before;

/** What its owner sees: a destination that is on but whose breaker is open is held. */
export function conditionOf({ state, health }: DestinationNow): DestinationChange["to"] {
  return state === "on" && isOpen(health) ? "held" : state;
}

export interface ChangeOfDestination {
  readonly after: DestinationNow;
  readonly reason: string;
  readonly actor: string;
  readonly nowMs: number;
}

/** Writes what differs, and a row of history when that is more than a number. */
export function changeDestination(tx: Transaction, id: string, change: ChangeOfDestination): void {
  const { after, reason, actor, nowMs } = change;
  const before = destinationNow(tx, id);
  if (before.state === after.state && isSameHealth(before.health, after.health)) return;
  const { failingSinceMs, strain, trips, notBeforeMs } = after.health;
  tx.db.run(CHANGE, after.state, after.offReason, failingSinceMs, strain, trips, notBeforeMs, id);
  tx.destinations.set(id, after);
  if (after.state !== before.state) bumpConfigVersion(tx, after.accountId);
  const [from, to] = [conditionOf(before), conditionOf(after)];
  if (from !== to) tx.db.run(INSERT_CHANGE, after.accountId, id, nowMs, from, to, reason, actor);
}

function isSameHealth(one: DestinationHealth, other: DestinationHealth): boolean {
  return (
    one.failingSinceMs === other.failingSinceMs &&
    one.strain === other.strain &&
    one.trips === other.trips &&
    one.notBeforeMs === other.notBeforeMs
  );
}

export function listDestinationChanges(
  tx: Transaction,
  { accountId, destinationId }: { accountId: string; destinationId: string },
): DestinationChange[] {
  return tx.db.all<DestinationChange>(LIST_CHANGES, accountId, destinationId, CHANGES_MAX).map((row) => ({ ...row }));
}

const CHANGE = `-- name: change state and health of destination
  update destinations
  set state = ?, off_reason = ?, failing_since_at = ?, strain = ?, trips = ?, not_before_at = ?
  where id = ?`;

const INSERT_CHANGE = `-- name: insert change of destination
  insert into destination_changes (account_id, destination_id, at, from_state, to_state, reason, actor)
  values (?, ?, ?, ?, ?, ?, ?)`;

/** Exported for the test that reads its plan. */
export const LIST_CHANGES = `-- name: list newest changes of destination
  select at as "atMs", from_state as "from", to_state as "to", reason, actor
  from destination_changes
  where account_id = ? and destination_id = ?
  order by seq desc
  limit ?`;

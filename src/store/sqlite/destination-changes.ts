/**
 * Every change of a destination's state, with who made it and why, and the one statement that makes it. The account's
 * version grows with a change of state, so that an accept that was decided before it is refused.
 */
import { type DestinationHealth, HEALTHY, isOpen } from "../../domain/destination-health.ts";
import type { Actor } from "../../domain/actor.ts";
import type { DestinationChange, SetDestinationState } from "../contract/destinations.ts";
import { UNTOLD } from "../outage-news.ts";
import { writeAudit } from "./audit.ts";
import { bumpConfigVersion } from "./config-version.ts";
import type { DestinationNow } from "../destination-now.ts";
import { destinationNow, findDestination } from "./destination-now.ts";
import { tellOperatorOfEnd } from "./operator-notices.ts";
import type { Transaction } from "./transaction.ts";

/** A receiver that flaps makes two rows a minute; this is more than anybody reads. */
const CHANGES_MAX = 500;

export function setDestinationState(
  tx: Transaction,
  { accountId, destinationId, state, by, reason, nowMs }: SetDestinationState,
): "changed" | "unchanged" | "missing" {
  const before = findDestination(tx, destinationId);
  if (before === null || before.accountId !== accountId || before.isDeleted) return "missing";
  const after = state === "on" ? turnedOn(before) : paused(before);
  if (conditionOf(after) === conditionOf(before)) return "unchanged";
  changeDestination(tx, destinationId, { after, actor: by.person, reason, nowMs });
  if (state === "on") tellOperatorOfEnd(tx, destinationId, { reason: "turned_on", before, nowMs });
  const action = state === "on" ? "destination_turned_on" : "destination_paused";
  writeAudit(tx, { accountId, nowMs, by, action, subject: nameOf(tx, destinationId) });
  return "changed";
}

/**
 * Paused for good, so that nothing more is claimed for it; what waits is cancelled by others, in steps. Its row stays
 * for the log, but its headers go: they may be secrets. Whoever calls this makes the account's version grow.
 */
export function deleteDestination(
  tx: Transaction,
  id: string,
  { by, nowMs }: { readonly by: Actor; readonly nowMs: number },
): void {
  const before = destinationNow(tx, id);
  const after = { ...before, state: "paused", offReason: null } as const;
  changeDestination(tx, id, { after, actor: by.person, reason: "deleted", nowMs });
  tellOperatorOfEnd(tx, id, { reason: "deleted", before, nowMs });
  tx.db.run(MARK_DELETED, nowMs, nowMs, id);
  tx.destinations.delete(id);
}

/** What its owner calls it. */
function nameOf(tx: Transaction, destinationId: string): string {
  return tx.db.get<{ name: string | null }>(FIND_NAME, destinationId)?.name ?? destinationId;
}

const turnedOn = (before: DestinationNow): DestinationNow => ({
  ...before,
  state: "on",
  offReason: null,
  health: HEALTHY,
  ...UNTOLD,
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
  if (isSame(before, after)) return;
  const { failingSinceMs, strain, trips, notBeforeMs } = after.health;
  const { atMs = null, outcome = null, status = null } = after.lastFailure ?? {};
  const health = [failingSinceMs, strain, trips, notBeforeMs, atMs, outcome, status] as const;
  tx.db.run(CHANGE, after.state, after.offReason, ...health, after.toldAtMs, Number(after.isTold), id);
  tx.destinations.set(id, after);
  if (after.state !== before.state) bumpConfigVersion(tx, after.accountId);
  const [from, to] = [conditionOf(before), conditionOf(after)];
  if (from !== to) tx.db.run(INSERT_CHANGE, after.accountId, id, nowMs, from, to, reason, actor);
}

/** A success of a healthy destination changes nothing, and writes nothing. */
export function isSame(one: DestinationNow, other: DestinationNow): boolean {
  return (
    one.state === other.state &&
    one.lastFailure === other.lastFailure &&
    one.isTold === other.isTold &&
    isSameHealth(one.health, other.health)
  );
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

const FIND_NAME = `-- name: find name of destination's owner
  select coalesce(l.name, c.name) as name
  from destinations d
  left join alerts l on d.owner_kind = 'alert' and l.account_id = d.account_id and l.id = d.owner_id
  left join chat_assistants c on d.owner_kind = 'assistant' and c.account_id = d.account_id and c.id = d.owner_id
  where d.id = ?`;

const CHANGE = `-- name: change state and health of destination
  update destinations
  set state = ?, off_reason = ?, failing_since_at = ?, strain = ?, trips = ?, not_before_at = ?, last_failure_at = ?,
    last_failure_outcome = ?, last_failure_status = ?, told_at = ?, is_told = ?
  where id = ?`;

const MARK_DELETED = `-- name: mark destination as deleted
  update destinations
  set headers = '[]', deleted_at = ?, updated_at = ?
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

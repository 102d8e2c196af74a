/**
 * A destination in the event's path: its row, the circuit breaker, and changes that people make. The rules are pure
 * (`domain/destination-now.ts`); here they meet the row, in the transaction that settles or changes. How the row is
 * written is each store's own.
 *
 * Invariant: while a trial is out, `not_before_at` lies at the end of its claim. So there is one trial at a time, on
 * all nodes together, and a trial whose node has died is followed by another. The account's version grows with each
 * change of state, so that an accept that was decided before it is refused.
 */
import type { Actor } from "../../../domain/account.ts";
import { isOpen } from "../../../domain/destination-health.ts";
import {
  type ChangeOfDestination,
  type DestinationNow,
  findCondition,
  findReason,
  type HealthChange,
  isSame,
  noteAttempt,
  type NotedAttempt,
  pause,
  pauseForGood,
  SYSTEM_ACTOR,
  turnOn,
} from "../../../domain/destination-now.ts";
import type { DestinationFailure, DestinationOffReason, DestinationState } from "../../../domain/destination.ts";
import { findOutageNotification, NOT_NOTIFIED, type Notified } from "../../../domain/outage-notifications.ts";
import { assert } from "../../../lib/assert.ts";
import type { DestinationChange, SetDestinationState } from "../../contract/destinations.ts";
import type { Claim } from "../../contract/path.ts";
import { writeAudit } from "../audit.ts";
import type { Dialect } from "../dialect.ts";
import { alertOperator, alertOperatorToEnd } from "../messages/operator-alerts.ts";
import { putOutage } from "../messages/put-messages.ts";
import { OWNER_NAME, OWNERS } from "../owner-names.ts";
import type { Flag, SqlTransaction } from "../transaction.ts";
import { endTrouble, noteAttemptInIncident } from "./incidents.ts";
import { forgetPull } from "./pull-rows.ts";

export interface DestinationRow {
  readonly id: string;
  readonly accountId: string;
  readonly state: DestinationState;
  readonly offReason: DestinationOffReason | null;
  readonly failingSinceMs: number | null;
  readonly failureScore: number;
  readonly consecutiveOpens: number;
  readonly notBeforeMs: number;
  readonly failedAtMs: number | null;
  readonly failedOutcome: string | null;
  readonly failedStatus: number | null;
  readonly notifiedAtMs: number | null;
  readonly isNotified: Flag;
  readonly isDeleted: Flag;
  readonly trialToken: string | null;
  readonly ratePerSecond: number | null;
  readonly isOneAtATime: Flag;
  readonly nextDueAtMs: number | null;
  /** Not among `DESTINATION_COLUMNS`: only a failed attempt asks for it, and it stands behind the headers. */
  readonly setUpAtMs?: number;
}

export function toDestinationNow(row: DestinationRow): DestinationNow {
  const { accountId, state, offReason, trialToken, ratePerSecond, notifiedAtMs, nextDueAtMs } = row;
  const { failingSinceMs, failureScore, consecutiveOpens, notBeforeMs } = row;
  return {
    accountId,
    state,
    offReason,
    health: { failingSinceMs, failureScore, consecutiveOpens, notBeforeMs },
    lastFailure: toLastFailure(row),
    isNotified: Boolean(row.isNotified),
    notifiedAtMs,
    isDeleted: Boolean(row.isDeleted),
    trialToken,
    ratePerSecond,
    isOneAtATime: Boolean(row.isOneAtATime),
    nextDueAtMs: nextDueAtMs ?? Infinity,
    setUpAtMs: row.setUpAtMs ?? null,
  };
}

function toLastFailure({ failedAtMs, failedOutcome, failedStatus }: DestinationRow): DestinationFailure | null {
  if (failedAtMs === null || failedOutcome === null) return null;
  return { atMs: failedAtMs, outcome: failedOutcome, status: failedStatus };
}

/** Columns of `destinations d`. */
export const DESTINATION_COLUMNS = `d.id, d.account_id as "accountId", d.state, d.off_reason as "offReason",
    d.failing_since_at as "failingSinceMs", d.failure_score as "failureScore",
    d.consecutive_opens as "consecutiveOpens",
    d.not_before_at as "notBeforeMs",
    d.last_failure_at as "failedAtMs", d.last_failure_outcome as "failedOutcome",
    d.last_failure_status as "failedStatus", d.notified_at as "notifiedAtMs", d.is_notified as "isNotified",
    d.deleted_at is not null as "isDeleted", d.trial_token as "trialToken", d.rate_per_second as "ratePerSecond",
    d.one_at_a_time as "isOneAtATime", d.next_due_at as "nextDueAtMs"`;

export const toHealthChange = (before: DestinationNow, attempt: NotedAttempt): HealthChange => ({
  before,
  after: noteAttempt(before, attempt),
  nowMs: attempt.nowMs,
});

export const toChange = (after: DestinationNow, nowMs: number): ChangeOfDestination => ({
  after,
  reason: findReason(after),
  actor: SYSTEM_ACTOR,
  nowMs,
});

/** Under this claim the destination is on trial. A later end than the claim's is a Retry-After that came in. */
export const isOnTrialBy = ({ health, trialToken }: DestinationNow, { token, untilMs }: Claim): boolean =>
  isOpen(health) && trialToken === token && health.notBeforeMs === untilMs;

/** A claim that is given back; if it was the trial's, another trial may go from `dueAtMs` on. */
export interface GivenBack {
  readonly destinationId: string;
  readonly claim: Claim;
  readonly dueAtMs: number;
}

/** Whether there is anything to write. Most attempts succeed at a healthy destination, and write nothing there. */
export const isToWrite = ({ before, after, nowMs }: HealthChange): boolean =>
  !isSame(before, after) || findOutageNotification(before, after, nowMs) !== null;

/**
 * Returns the destination with what its owner was notified of. The caller holds its lock, and with it its condition's.
 */
export async function notifyOfAttempt(
  tx: SqlTransaction,
  destinationId: string,
  change: HealthChange,
): Promise<DestinationNow> {
  if (!isSame(change.before, change.after)) {
    await noteAttemptInIncident(tx, destinationId, change);
    await alertOperator(tx, destinationId, change);
  }
  return { ...change.after, ...(await notifyOwner(tx, destinationId, change)) };
}

/** An outage is marked as notified once one recipient gets it; a recipient that is added later is notified then. */
async function notifyOwner(
  tx: SqlTransaction,
  destinationId: string,
  { before, after, nowMs }: HealthChange,
): Promise<Notified> {
  const outage = findOutageNotification(before, after, nowMs);
  const { accountId, isNotified, notifiedAtMs } = before;
  if (outage === null) return { isNotified, notifiedAtMs };
  const isPut = await putOutage(tx, { accountId, destinationId, kind: outage.kind, nowMs });
  return isPut ? outage.notified : NOT_NOTIFIED;
}

/** A receiver that flaps makes two rows a minute; this is more than anybody reads. */
const CHANGES_MAX = 500;

export type ChangeSteps<Tx extends SqlTransaction> = Pick<Dialect<Tx>, "lockDestination" | "changeDestination">;

export async function setDestinationState<Tx extends SqlTransaction>(
  tx: Tx,
  { accountId, destinationId, state, by, reason, nowMs }: SetDestinationState,
  { lockDestination, changeDestination }: ChangeSteps<Tx>,
): Promise<"changed" | "unchanged" | "missing"> {
  const before = await lockDestination(tx, destinationId);
  if (before === null || before.accountId !== accountId || before.isDeleted) return "missing";
  const after = state === "on" ? turnOn(before) : pause(before);
  if (findCondition(after) === findCondition(before)) return "unchanged";
  if (state === "on") {
    await endTrouble(tx, destinationId, { before, end: "turned_on", nowMs });
    await alertOperatorToEnd(tx, destinationId, { reason: "turned_on", before, nowMs });
  }
  const action = state === "on" ? "destination_turned_on" : "destination_paused";
  await writeAudit(tx, { accountId, nowMs, by, action, subject: await findName(tx, destinationId) });
  await changeDestination(tx, destinationId, { after, actor: by.person, reason, nowMs });
  return "changed";
}

/**
 * Paused for good, so that nothing more is claimed for it; the housekeeping cancels what waits, in steps. Its row stays
 * for the log, but its headers go: they may be secrets. The caller makes the account's version grow.
 */
export async function deleteDestination<Tx extends SqlTransaction>(
  tx: Tx,
  { id, by, nowMs }: { readonly id: string; readonly by: Actor; readonly nowMs: number },
  { lockDestination, changeDestination }: ChangeSteps<Tx>,
): Promise<void> {
  const before = await lockDestination(tx, id);
  assert(before !== null, `there is no destination ${id}`);
  await endTrouble(tx, id, { before, end: "deleted", nowMs });
  await alertOperatorToEnd(tx, id, { reason: "deleted", before, nowMs });
  await changeDestination(tx, id, { after: pauseForGood(before), actor: by.person, reason: "deleted", nowMs });
  await tx.db.run(MARK_DELETED, nowMs, id);
  await forgetPull(tx, id);
  tx.destinations.delete(id);
}

/** The name that its owner gave it. */
export async function findName(tx: SqlTransaction, destinationId: string): Promise<string> {
  return (await tx.db.get<{ name: string | null }>(FIND_NAME, destinationId))?.name ?? destinationId;
}

export async function listDestinationChanges(
  tx: SqlTransaction,
  { accountId, destinationId }: { accountId: string; destinationId: string },
): Promise<DestinationChange[]> {
  const rows = await tx.db.all<DestinationChange>(LIST_CHANGES, accountId, destinationId, CHANGES_MAX);
  return rows.map((row) => ({ ...row }));
}

const MARK_DELETED = `-- name: mark destination as deleted
  update destinations
  set headers = '[]', deleted_at = $1, updated_at = $1
  where id = $2`;

const FIND_NAME = `-- name: find name of destination's owner
  select ${OWNER_NAME} as name
  from destinations d${OWNERS}
  where d.id = $1`;

/** Exported for the test that reads its plan. */
export const LIST_CHANGES = `-- name: list newest changes of destination
  select at as "atMs", from_state as "from", to_state as "to", reason, actor
  from destination_changes
  where account_id = $1 and destination_id = $2
  order by at desc, seq desc
  limit $3`;

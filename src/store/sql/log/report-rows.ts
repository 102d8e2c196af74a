/**
 * All of an account's destinations with their health, for the pages that show it: owner, health, what waits, last
 * change. A destination costs a few searches. Counting its waiting deliveries stops at one more than the caller's
 * limit, which shows that there are more.
 */
import type { DestinationOffReason, DestinationState } from "../../../domain/destination.ts";
import type { OwnerKind } from "../../../domain/event.ts";
import { readInstant } from "../../../domain/id.ts";
import type { LoadDestinations, ReportedDestination, WaitingOfAccount } from "../../contract/destinations.ts";
import { OWNER_NAME, OWNERS } from "../owner-names.ts";
import type { Flag } from "../transaction.ts";

export function toReport(row: ReportRow, { nowMs, waitingMax }: LoadDestinations): ReportedDestination {
  const { id, url, state, offReason, failingSinceMs, failureScore, nextDueAtMs, waiting, hasAttempts } = row;
  const { oldestWaitingId } = row;
  return {
    id,
    url,
    owner: {
      kind: row.ownerKind,
      id: row.ownerId,
      name: row.ownerName ?? row.ownerId,
      isDeleted: Boolean(row.isDeleted),
    },
    tags: JSON.parse(row.tags) as string[],
    state,
    offReason,
    failingSinceMs,
    failureScore,
    isHeld: row.consecutiveOpens > 0,
    notBeforeMs: row.notBeforeMs > nowMs ? row.notBeforeMs : 0,
    nextDueAtMs,
    waiting: { count: Math.min(waiting, waitingMax), isCapped: waiting > waitingMax },
    oldestWaitingAtMs: waitingMax === 0 || oldestWaitingId === null ? null : readInstant(oldestWaitingId),
    lastFailure: toLastFailure(row),
    lastChange: toLastChange(row),
    hasAttempts: Boolean(hasAttempts),
  };
}

function toLastFailure(row: ReportRow): ReportedDestination["lastFailure"] {
  const { lastFailureAtMs: atMs, lastFailureOutcome: outcome, lastFailureStatus: status } = row;
  return atMs === null || outcome === null ? null : { atMs, outcome, status };
}

function toLastChange(row: ReportRow): ReportedDestination["lastChange"] {
  const { changedAtMs: atMs, changedBy: actor, changeReason: reason } = row;
  return atMs === null || actor === null || reason === null ? null : { atMs, actor, reason };
}

/** What waits for a destination, as far as it is counted. An id says when its delivery was accepted, and sorts so. */
export interface QueuedRow {
  readonly waiting: number;
  readonly oldestWaitingId: string | null;
}

/** Together with what nodes hold in memory. */
export function toWaiting(queued: QueuedRow, inMemory: readonly { readonly id: string }[] = []): QueuedRow {
  const ids = [queued.oldestWaitingId, ...inMemory.map(({ id }) => id)].filter((id) => id !== null);
  return { waiting: queued.waiting + inMemory.length, oldestWaitingId: ids.toSorted()[0] ?? null };
}

/** `counts`: of each destination. */
export const sumWaiting = (counts: readonly number[], waitingMax: number): WaitingOfAccount => ({
  destinations: counts.length,
  waiting: {
    count: counts.reduce((sum, count) => sum + Math.min(count, waitingMax), 0),
    isCapped: counts.some((count) => count > waitingMax),
  },
});

export interface ReportRow extends QueuedRow {
  readonly id: string;
  readonly url: string;
  /** JSON. */
  readonly tags: string;
  readonly state: DestinationState;
  readonly offReason: DestinationOffReason | null;
  readonly failingSinceMs: number | null;
  readonly failureScore: number;
  readonly consecutiveOpens: number;
  readonly notBeforeMs: number;
  readonly ownerKind: OwnerKind;
  readonly ownerId: string;
  readonly ownerName: string | null;
  readonly isDeleted: Flag;
  readonly lastFailureAtMs: number | null;
  readonly lastFailureOutcome: string | null;
  readonly lastFailureStatus: number | null;
  readonly changedAtMs: number | null;
  readonly changedBy: string | null;
  readonly changeReason: string | null;
  readonly nextDueAtMs: number | null;
  readonly hasAttempts: Flag;
}

/** `null`: all of the account. */
export const listWanted = ({ destinationId, destinationIds }: LoadDestinations): readonly string[] | null =>
  destinationIds ?? (destinationId === undefined ? null : [destinationId]);

/** Columns of `REPORTED_DESTINATIONS`. */
export const REPORT_COLUMNS = `d.id, d.url, d.tags, d.state, d.off_reason as "offReason",
    d.failing_since_at as "failingSinceMs", d.failure_score as "failureScore",
    d.consecutive_opens as "consecutiveOpens",
    d.not_before_at as "notBeforeMs", d.owner_kind as "ownerKind", d.owner_id as "ownerId",
    ${OWNER_NAME} as "ownerName", d.deleted_at is not null as "isDeleted",
    d.last_failure_at as "lastFailureAtMs", d.last_failure_outcome as "lastFailureOutcome",
    d.last_failure_status as "lastFailureStatus"`;

/** Each destination with its owner. */
export const REPORTED_DESTINATIONS = `destinations d${OWNERS}`;

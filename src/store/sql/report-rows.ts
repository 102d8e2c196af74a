/** A destination's row as pages show it: its owner, its health, what waits, its last change. */
import type { DestinationOffReason, DestinationState } from "../../domain/destination.ts";
import type { LoadDestinations, ReportedDestination } from "../contract/destinations.ts";
import type { Flag } from "./transaction.ts";

export function toReport(row: ReportRow, { nowMs, waitingMax }: LoadDestinations): ReportedDestination {
  const { id, url, state, offReason, failingSinceMs, strain, nextDueAtMs, waiting, hasAttempts } = row;
  return {
    id,
    url,
    owner: {
      kind: row.ownerKind,
      id: row.ownerId,
      name: row.ownerName ?? row.ownerId,
      isDeleted: Boolean(row.isDeleted),
    },
    state,
    offReason,
    failingSinceMs,
    strain,
    isHeld: row.trips > 0,
    notBeforeMs: row.notBeforeMs > nowMs ? row.notBeforeMs : 0,
    nextDueAtMs,
    waiting: { count: Math.min(waiting, waitingMax), isCapped: waiting > waitingMax },
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

export interface ReportRow {
  readonly id: string;
  readonly url: string;
  readonly state: DestinationState;
  readonly offReason: DestinationOffReason | null;
  readonly failingSinceMs: number | null;
  readonly strain: number;
  readonly trips: number;
  readonly notBeforeMs: number;
  readonly ownerKind: ReportedDestination["owner"]["kind"];
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
  readonly waiting: number;
  readonly hasAttempts: Flag;
}

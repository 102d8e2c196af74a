/** A destination's row as the event's path reads it. */
import type { DestinationFailure, DestinationOffReason, DestinationState } from "../../../domain/destination.ts";
import type { DestinationNow } from "../../../domain/destination-now.ts";
import type { Flag } from "../transaction.ts";

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
  readonly toldAtMs: number | null;
  readonly isTold: Flag;
  readonly isDeleted: Flag;
  readonly probeToken: string | null;
  readonly ratePerSecond: number | null;
  readonly nextDueAtMs: number | null;
  /** Not among `DESTINATION_COLUMNS`: only a failed attempt asks for it, and it stands behind the headers. */
  readonly setUpAtMs?: number;
}

export function toDestinationNow(row: DestinationRow): DestinationNow {
  const { accountId, state, offReason, probeToken, ratePerSecond, toldAtMs, nextDueAtMs } = row;
  const { failingSinceMs, failureScore, consecutiveOpens, notBeforeMs } = row;
  return {
    accountId,
    state,
    offReason,
    health: { failingSinceMs, failureScore, consecutiveOpens, notBeforeMs },
    lastFailure: toLastFailure(row),
    isTold: Boolean(row.isTold),
    toldAtMs,
    isDeleted: Boolean(row.isDeleted),
    probeToken,
    ratePerSecond,
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
    d.consecutive_opens as "consecutiveOpens", d.not_before_at as "notBeforeMs",
    d.last_failure_at as "failedAtMs", d.last_failure_outcome as "failedOutcome",
    d.last_failure_status as "failedStatus", d.told_at as "toldAtMs", d.is_told as "isTold",
    d.deleted_at is not null as "isDeleted", d.probe_token as "probeToken", d.rate_per_second as "ratePerSecond",
    d.next_due_at as "nextDueAtMs"`;

/** Counts an incident's deliveries: which of the destination's it has hit, and their rows added up. */
import type { DeliveryState } from "../../../domain/delivery.ts";
import { addResponses } from "../../../domain/incident.ts";
import { daysMs, secondsMs } from "../../../lib/duration.ts";
import type { CountIncident, IncidentFigures } from "../../contract/incidents.ts";
import type { SqlTransaction } from "../transaction.ts";

/** Longer than an attempt may take. A first attempt that comes later was held back. */
const AT_ONCE_MS = secondsMs(30);

/** The retry schedule's length: what was accepted earlier than that had ended when the incident began. */
const EARLIER_MS = daysMs(3);

export interface IncidentSpan {
  readonly destinationId: string;
  readonly fromMs: number;
  /** Exclusive. */
  readonly toMs: number;
  /** Accepted before that, a delivery cannot be among those that it has hit. */
  readonly oldestMs: number;
}

/** `null`: the account has no such incident. */
export async function findIncidentSpan(
  tx: SqlTransaction,
  { accountId, destinationId, incidentId }: CountIncident,
): Promise<IncidentSpan | null> {
  const lasting = Number.MAX_SAFE_INTEGER;
  const row = await tx.db.get<{ fromMs: number; toMs: number }>(
    FIND_SPAN,
    accountId,
    destinationId,
    incidentId,
    lasting,
  );
  return row === undefined ? null : { ...row, destinationId, oldestMs: row.fromMs - EARLIER_MS };
}

/** Deliveries that were looked at: those of one state and last response together, or those that it has not hit. */
export interface LookedAt {
  readonly state: DeliveryState | "unharmed";
  /** For those that failed: the last answer's status, or the kind of what was met instead. */
  readonly code: string;
  readonly count: number;
  readonly oldestMs: number;
  /** Of those with an attempt that failed; ids sort by time. */
  readonly firstFailedId: string | null;
  readonly lastFailedId: string | null;
}

export function sumIncident(rows: readonly LookedAt[], { fromMs }: IncidentSpan, rowsMax: number): IncidentFigures {
  const hit = rows.filter(({ state }) => state !== "unharmed");
  const count = (wanted: DeliveryState): number =>
    hit.reduce((sum, row) => sum + (row.state === wanted ? row.count : 0), 0);
  const lookedAt = rows.reduce((sum, row) => sum + row.count, 0);
  const failedIds = hit.flatMap((row) => [row.firstFailedId, row.lastFailedId]).filter((id) => id !== null);
  failedIds.sort();
  const reachedMs = Math.min(...rows.map(({ oldestMs }) => oldestMs));
  return {
    delivered: count("delivered"),
    waiting: count("pending"),
    failed: count("failed"),
    cancelled: count("cancelled"),
    failedBy: addResponses(
      hit.filter(({ state }) => state === "failed"),
      [],
    ),
    oldestMs: hit.length === 0 ? null : Math.min(...hit.map(({ oldestMs }) => oldestMs)),
    firstFailedId: failedIds[0] ?? null,
    lastFailedId: failedIds.at(-1) ?? null,
    isCapped: lookedAt >= rowsMax && reachedMs > fromMs,
  };
}

/** One that was delivered failed in every attempt but the last. */
const FAILED = "case when d.attempts_made > case d.state when 'delivered' then 1 else 0 end then d.id end";

/**
 * The columns that `LookedAt` is made of, from rows called `d`; `$from` is the start of the incident. One that had
 * ended before, or that arrived at once, is unharmed.
 */
export const toLookedAt = (from: string): string => `case
      when d.settled_at < ${from} or (
        d.state = 'delivered' and d.attempts_made = 1 and d.settled_at - d.created_at < ${AT_ONCE_MS}
      ) then 'unharmed'
      else d.state
    end as state,
    case when d.state = 'failed' then coalesce(cast(d.last_status as text), d.last_outcome, '') else '' end as code,
    count(*) as count, min(d.created_at) as "oldestMs",
    min(${FAILED}) as "firstFailedId", max(${FAILED}) as "lastFailedId"`;

const FIND_SPAN = `-- name: find span of incident
  select from_at as "fromMs", coalesce(ended_at, $4) as "toMs"
  from incidents
  where account_id = $1 and destination_id = $2 and id = $3`;

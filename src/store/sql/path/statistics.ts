/**
 * Counts for operators, and when a node has to look for due deliveries again. None may grow with the backlog: they run
 * beside the path, again and again.
 */
import type { DestinationCounts } from "../../contract/destinations.ts";
import { NEVER_SERVED_MS } from "../../../domain/pull.ts";
import type { SqlTransaction } from "../transaction.ts";

const NO_DESTINATIONS: DestinationCounts = { on: 0, failing: 0, held: 0, paused: 0, off: 0 };

export async function countDestinations(tx: SqlTransaction, { nowMs }: { nowMs: number }): Promise<DestinationCounts> {
  const rows = await tx.db.all<{ condition: string; count: number }>(COUNT_DESTINATIONS, nowMs);
  return { ...NO_DESTINATIONS, ...Object.fromEntries(rows.map(({ condition, count }) => [condition, count])) };
}

/**
 * One look-up in the queue's index for each destination that could send now, not a scan of what waits. Deliveries that
 * its owner or its breaker holds back are not overdue. Exported for the test that reads its plan.
 */
export const FIND_OLDEST_DUE = `-- name: find oldest due time that has passed
  select min((
    select min(due_at)
    from deliveries
    where destination_id = d.id and state = 'pending' and not is_ended and due_at <= $1
  )) as "oldestDueAtMs"
  from destinations d
  where d.state = 'on' and d.wake_at <= $1`;

/** Reads each destination's row once. */
const COUNT_DESTINATIONS = `-- name: count destinations by their condition
  select
    case
      when state <> 'on' then state
      when not_before_at > $1 then 'held'
      when failing_since_at is not null then 'failing'
      else 'on'
    end as condition,
    count(*) as count
  from destinations
  where deleted_at is null
  group by 1`;

export async function findNextDue(tx: SqlTransaction): Promise<{ readonly dueAtMs: number | null }> {
  const next = await tx.db.get<{ dueAtMs: number }>(FIND_NEXT_DUE);
  // Behind all others are those that are asked.
  const isAsked = next !== undefined && next.dueAtMs >= NEVER_SERVED_MS;
  return { dueAtMs: isAsked ? null : (next?.dueAtMs ?? null) };
}

/** Exported for the test that reads its plan: the first entry of the index that claims walk. */
export const FIND_NEXT_DUE = `-- name: find when a destination wakes next
  select wake_at as "dueAtMs"
  from destinations
  where state = 'on' and wake_at is not null
  order by wake_at, id
  limit 1`;

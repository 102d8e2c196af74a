/** Counts for operators. They run on the thread that commits, so none may grow with the backlog. */
import type { DestinationCounts } from "../contract/destinations.ts";
import type { Transaction } from "./transaction.ts";

export function countWaiting(
  tx: Transaction,
  { nowMs }: { nowMs: number },
): { waiting: number; oldestDueAtMs: number | null } {
  const oldest = tx.db.get<{ oldestDueAtMs: number | null }>(FIND_OLDEST_DUE, nowMs, nowMs);
  return { waiting: tx.db.waiting + tx.waitingChange, oldestDueAtMs: oldest?.oldestDueAtMs ?? null };
}

const NO_DESTINATIONS: DestinationCounts = { on: 0, failing: 0, held: 0, paused: 0, off: 0 };

export function countDestinations(tx: Transaction, { nowMs }: { nowMs: number }): DestinationCounts {
  const rows = tx.db.all<{ condition: string; count: number }>(COUNT_DESTINATIONS, nowMs);
  return { ...NO_DESTINATIONS, ...Object.fromEntries(rows.map(({ condition, count }) => [condition, count])) };
}

/** For the start only: 23 ms for a million rows. Afterwards each commit keeps the number. */
export function countPending(tx: Transaction): number {
  return tx.db.get<{ count: number }>(COUNT_PENDING)?.count ?? 0;
}

/**
 * One look-up in the queue's index for each destination that could send now, not a scan of what waits. What its owner
 * or its breaker holds back is not overdue. Exported for the test that reads its plan.
 */
export const FIND_OLDEST_DUE = `-- name: find oldest due time that has passed
  select min((
    select min(due_at)
    from deliveries
    where destination_id = destinations.id and state = 'pending' and due_at <= ?
  )) as "oldestDueAtMs"
  from destinations
  where state = 'on' and wake_at <= ?`;

/** Reads each destination's row once. */
const COUNT_DESTINATIONS = `-- name: count destinations by their condition
  select
    case
      when state <> 'on' then state
      when not_before_at > ? then 'held'
      when failing_since_at is not null then 'failing'
      else 'on'
    end as condition,
    count(*) as count
  from destinations
  where deleted_at is null
  group by 1`;

const COUNT_PENDING = `-- name: count pending deliveries
  select count(*) as count
  from deliveries
  where state = 'pending'`;

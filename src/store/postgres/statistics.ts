/** Counts for operators. None may grow with the backlog: they run beside the path, again and again. */
import type { DestinationCounts } from "../contract/destinations.ts";
import type { Transaction } from "./transaction.ts";

/** So many are counted one by one, which takes 10 ms; above it the planner's own figure is near enough. Guess. */
export const COUNTED_MAX = 20_000;

export async function countWaiting(
  tx: Transaction,
  { nowMs }: { nowMs: number },
): Promise<{ waiting: number; oldestDueAtMs: number | null }> {
  const [counted, oldest] = await Promise.all([
    tx.db.get<{ count: number }>(COUNT_PENDING, COUNTED_MAX),
    tx.db.get<{ oldestDueAtMs: number | null }>(FIND_OLDEST_DUE, nowMs),
  ]);
  const count = counted?.count ?? 0;
  const waiting = count < COUNTED_MAX ? count : Math.max(count, await estimatePending(tx));
  return { waiting, oldestDueAtMs: oldest?.oldestDueAtMs ?? null };
}

const NO_DESTINATIONS: DestinationCounts = { on: 0, failing: 0, held: 0, paused: 0, off: 0 };

export async function countDestinations(tx: Transaction, { nowMs }: { nowMs: number }): Promise<DestinationCounts> {
  const rows = await tx.db.all<{ condition: string; count: number }>(COUNT_DESTINATIONS, nowMs);
  return { ...NO_DESTINATIONS, ...Object.fromEntries(rows.map(({ condition, count }) => [condition, count])) };
}

/** As of the last vacuum or analyze of the table, which autovacuum does once a minute while the backlog moves. */
async function estimatePending(tx: Transaction): Promise<number> {
  return (await tx.db.get<{ estimate: number }>(ESTIMATE_PENDING))?.estimate ?? 0;
}

/**
 * One look-up in the queue's index for each destination that could send now, not a scan of what waits. What its owner
 * or its breaker holds back is not overdue. Exported for the test that reads its plan.
 */
export const FIND_OLDEST_DUE = `-- name: find oldest due time that has passed
  select min((
    select min(due_at)
    from deliveries
    where destination_id = d.id and state = 'pending' and due_at <= $1
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

const COUNT_PENDING = `-- name: count pending deliveries up to a maximum
  select count(1) as count
  from (select 1 from deliveries where state = 'pending' limit $1) pending`;

/** Of the table that holds what waits and nothing else. */
const ESTIMATE_PENDING = `-- name: estimate pending deliveries
  select reltuples::bigint as estimate
  from pg_class
  where oid = 'deliveries_pending'::regclass`;

/** Counts for operators. None may grow with the backlog: they run beside the path, again and again. */
import type { WaitingCount } from "../../contract/destinations.ts";
import { FIND_OLDEST_DUE } from "../../sql/path/statistics.ts";
import { countInMemory } from "./in-memory.ts";
import { READ_IN_ORDER } from "../connection/transaction-settings.ts";
import type { Transaction } from "../transaction.ts";

/**
 * Up to this number is counted one by one, which takes 10 ms; above it the planner's own figure is near enough. Guess.
 */
export const COUNTED_MAX = 20_000;

export async function countWaiting(tx: Transaction, { nowMs }: { nowMs: number }): Promise<WaitingCount> {
  const inMemory = await countInMemory(tx);
  const [, counted, oldest] = await Promise.all([
    tx.db.exec(READ_IN_ORDER),
    tx.db.get<{ count: number }>(COUNT_PENDING, COUNTED_MAX),
    tx.db.get<{ oldestDueAtMs: number | null }>(FIND_OLDEST_DUE, nowMs),
  ]);
  const count = counted?.count ?? 0;
  const waiting = count < COUNTED_MAX ? count : Math.max(count, await estimatePending(tx));
  return { waiting: waiting + inMemory, oldestDueAtMs: oldest?.oldestDueAtMs ?? null };
}

/** As of the last vacuum or analyze of the table, which autovacuum does once a minute while the backlog moves. */
async function estimatePending(tx: Transaction): Promise<number> {
  return (await tx.db.get<{ estimate: number }>(ESTIMATE_PENDING))?.estimate ?? 0;
}

const COUNT_PENDING = `-- name: count pending deliveries up to a maximum
  select count(1) as count
  from (
    select 1
    from deliveries d
    where d.state = 'pending' and not d.is_ended
    limit $1
  ) pending`;

/** The size of the table that holds what waits and nothing else. */
const ESTIMATE_PENDING = `-- name: estimate pending deliveries
  select reltuples::bigint as estimate
  from pg_class
  where oid = 'deliveries_pending'::regclass`;

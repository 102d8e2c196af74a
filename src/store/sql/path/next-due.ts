/** When a node has to look for due deliveries again. */
import type { SqlTransaction } from "../transaction.ts";

export async function findNextDue(tx: SqlTransaction): Promise<{ readonly dueAtMs: number | null }> {
  const next = await tx.db.get<{ dueAtMs: number }>(FIND_NEXT_DUE);
  return { dueAtMs: next?.dueAtMs ?? null };
}

/** Exported for the test that reads its plan: the first entry of the index that claims walk. */
export const FIND_NEXT_DUE = `-- name: find when a destination wakes next
  select wake_at as "dueAtMs"
  from destinations
  where state = 'on' and wake_at is not null and bucket = any ($buckets)
  order by wake_at, id
  limit 1`;

/** Which deliveries a replay is about: read day by day from the newest on, so that a step is planned for its days. */
import type { CreateReplay } from "../contract/replays.ts";
import { isIn, isInDays, toPlaceholders, spansBack } from "./days.ts";
import { findAnswers } from "../sql/log-rows.ts";
import type { Transaction } from "./transaction.ts";

/**
 * Deliveries that could not be sent (tests, purged payloads) are left out of the count. One more than the maximum is
 * enough to know that there are too many.
 */
export async function freezeItems(
  tx: Transaction,
  { accountId, id, filter, deliveriesMax, nowMs }: CreateReplay,
): Promise<number> {
  const { destinationId = null, type = null, states, createdFromMs = 0, createdToMs = nowMs } = filter;
  const toMs = Math.min(createdToMs, nowMs);
  const limits = [createdFromMs, toMs, states, destinationId, type] as const;
  let frozen = 0;
  for (const { ids } of spansBack({ newestMs: toMs, oldestMs: createdFromMs, nowMs })) {
    const left = deliveriesMax + 1 - frozen;
    if (left === 0) break;
    const [events, deliveries] = [toPlaceholders(ids("evt")), toPlaceholders(ids("dlv"))];
    const values = [...limits, left, ...deliveries, ...events, ...findAnswers(filter.response)];
    frozen += await tx.db.run(FREEZE_ITEMS, id, accountId, ...values);
  }
  return frozen;
}

/** Exported for the test that reads its plan: it may read the account's own deliveries only. */
export const FREEZE_ITEMS = `-- name: freeze items of replay
  insert into replay_items (bucket, replay_id, delivery_id)
  select d.bucket, $1, d.id
  from destinations t
  join deliveries d on d.destination_id = t.id and d.bucket = t.bucket
  join events e on e.id = d.event_id and ${isIn("e.id", 13)} and e.bucket = d.bucket
  where t.account_id = $2 and t.deleted_at is null and ($6::text is null or t.id = $6)
    and t.bucket = any ($buckets) and ${isInDays("d", 9)} and d.created_at >= $3 and d.created_at < $4
    and d.state = any ($5::text[]) and not d.is_test
    and ($7::text is null or e.type = $7) and e.body <> ''
    and ($17::integer is null or d.last_outcome is not null and coalesce(d.last_status, 0) between $17 and $18::integer)
  limit $8`;

/** Which deliveries a replay is about: read day by day from the newest on, so that a step is planned for its days. */
import type { CreateReplay } from "../../contract/replays.ts";
import { byDay, findEventIds, type IdRange, isIn, isInDays, toPlaceholders, spansBack } from "../days.ts";
import type { Value } from "../connection/connection.ts";
import { findAnswers } from "../../sql/log/log-rows.ts";
import type { Transaction } from "../transaction.ts";

/**
 * Deliveries that could not be sent (tests, purged payloads) are left out of the count. One more than the maximum is
 * enough to know that there are too many.
 */
export async function freezeItems(tx: Transaction, params: CreateReplay): Promise<number> {
  const { accountId, id, filter, deliveriesMax, nowMs } = params;
  const { destinationId = null, type = null, states, createdFromMs = 0, createdToMs = nowMs } = filter;
  const toMs = Math.min(createdToMs, nowMs);
  const limits = [createdFromMs, toMs, states, destinationId, type] as const;
  let frozen = 0;
  for (const { ranges, named } of planSteps(params, toMs)) {
    const left = deliveriesMax + 1 - frozen;
    if (left === 0) break;
    const values = [...limits, left, ...ranges, ...findAnswers(filter.response)];
    const more = named === null ? [] : [named];
    frozen += await tx.db.run(named === null ? FREEZE_ITEMS : FREEZE_NAMED, id, accountId, ...values, ...more);
  }
  return frozen;
}

interface Step {
  /** Ranges of deliveries, and of their events. */
  readonly ranges: readonly Value[];
  readonly named: readonly string[] | null;
}

function planSteps({ filter, deliveryIds, nowMs }: CreateReplay, toMs: number): Step[] {
  if (deliveryIds !== undefined) {
    return byDay(deliveryIds).map(({ ids, day }) => ({
      ranges: [...toPlaceholders(day), ...toPlaceholders(findEvents(ids))],
      named: ids,
    }));
  }
  return spansBack({ newestMs: toMs, oldestMs: filter.createdFromMs ?? 0, nowMs }).map(({ ids }) => ({
    ranges: [...toPlaceholders(ids("dlv")), ...toPlaceholders(ids("evt"))],
    named: null,
  }));
}

/** Where the events of deliveries of one day lie. */
function findEvents(ids: readonly string[]): IdRange {
  const sorted = ids.toSorted();
  return { ...findEventIds(sorted[0] ?? ""), to: findEventIds(sorted.at(-1) ?? "").to };
}

const FILTER = `t.account_id = $2 and t.deleted_at is null and ($6::text is null or t.id = $6)
    and ${isInDays("d", 9)} and d.created_at >= $3 and d.created_at < $4
    and d.state = any ($5::text[]) and not d.is_test
    and ($7::text is null or e.type = $7) and e.body <> ''
    and ($17::integer is null or d.last_outcome is not null and coalesce(d.last_status, 0) between $17 and $18::integer)
  limit $8`;

/** Exported for the test that reads its plan: it may read the account's own deliveries only. */
export const FREEZE_ITEMS = `-- name: freeze items of replay
  insert into replay_items (replay_id, delivery_id)
  select $1, d.id
  from destinations t
  join deliveries d on d.destination_id = t.id
  join events e on e.id = d.event_id and ${isIn("e.id", 13)}
  where ${FILTER}`;

/** Those of them that have one of these ids, of one day. */
export const FREEZE_NAMED = `-- name: freeze named items of replay
  insert into replay_items (replay_id, delivery_id)
  select $1, d.id
  from unnest($19::text[]) as named (id)
  join deliveries d on d.id = named.id
  join destinations t on t.id = d.destination_id
  join events e on e.id = d.event_id and ${isIn("e.id", 13)}
  where ${FILTER}`;

/** Which deliveries a replay is about. */
import type { CreateReplay } from "../../contract/replays.ts";
import { findAnswers } from "../../sql/log/log-rows.ts";
import type { Transaction } from "../transaction.ts";

/**
 * Deliveries that could not be sent anyway (tests, purged payloads) are left out of the count. One more than the
 * maximum is enough to know that there are too many.
 */
export function freezeItems(tx: Transaction, params: CreateReplay): number {
  const { accountId, id, filter, deliveryIds, deliveriesMax, nowMs } = params;
  const { destinationId = null, type = null, states, createdFromMs = 0, createdToMs = nowMs } = filter;
  const toMs = Math.min(createdToMs, nowMs);
  const statesJson = JSON.stringify(states);
  const limits = [createdFromMs, toMs, statesJson, destinationId, type, deliveriesMax + 1] as const;
  const values = [id, accountId, ...limits, ...findAnswers(filter.response)];
  if (deliveryIds === undefined) return tx.db.run(FREEZE_ITEMS, ...values);
  return tx.db.run(FREEZE_NAMED, ...values, JSON.stringify(deliveryIds));
}

const FILTER = `t.account_id = ?2 and t.deleted_at is null and (?6 is null or t.id = ?6)
    and d.created_at >= ?3 and d.created_at < ?4
    and d.state in (select value from json_each(?5)) and d.is_test = 0
    and (?7 is null or e.type = ?7) and octet_length(e.body) > 0
    and (?9 is null or d.last_outcome is not null and coalesce(d.last_status, 0) between ?9 and ?10)
  limit ?8`;

/**
 * Exported for the test that reads its plan: it may read the account's own deliveries only. Those to a destination that
 * was deleted could not be sent.
 */
export const FREEZE_ITEMS = `-- name: freeze items of replay
  insert into replay_items (replay_id, delivery_id)
  select ?1, d.id
  from destinations t
  cross join deliveries d indexed by deliveries_of_destination on d.destination_id = t.id
  cross join events e on e.seq = d.event_seq
  where ${FILTER}`;

/** Those of them that have one of these ids. */
export const FREEZE_NAMED = `-- name: freeze named items of replay
  insert into replay_items (replay_id, delivery_id)
  select ?1, d.id
  from json_each(?11) named
  cross join deliveries d on d.id = named.value
  cross join destinations t on t.id = d.destination_id
  cross join events e on e.seq = d.event_seq
  where ${FILTER}`;

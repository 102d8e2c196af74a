/**
 * Resending: a delivery that has ended becomes pending again, due now, with the whole retry schedule before it. Only a
 * person does that, for one delivery or through a replay. It stays the same delivery, so receivers see the same
 * `webhook-id`, and its attempts are numbered on.
 */
import type { ResendResult } from "../contract/log.ts";
import type { ResendOfDeliveries } from "../sql/dialect.ts";
import { findResendResult, type ResendRow } from "../sql/resends.ts";
import { endEpoch } from "./count-epochs.ts";
import { lowerDueBound } from "./destination-now.ts";
import type { Transaction } from "./transaction.ts";

export function resendDeliveries(tx: Transaction, resend: ResendOfDeliveries): Map<string, ResendResult> {
  const results = new Map<string, ResendResult>();
  for (const deliveryId of resend.deliveryIds) {
    if (tx.open.find(deliveryId)?.accountId === resend.accountId) {
      results.set(deliveryId, "pending_already");
      continue;
    }
    const row = tx.db.get<ResendRow>(FIND_FOR_RESEND, deliveryId, resend.accountId);
    if (row === undefined) continue;
    const result = findResendResult(row);
    results.set(deliveryId, result);
    if (result !== "queued") continue;
    // The epoch counts rows that ended with their first attempt, and this one will have more.
    endEpoch(tx);
    tx.db.run(MOVE_ATTEMPT, deliveryId);
    tx.db.run(RESEND, resend.nowMs, resend.nowMs, resend.person, deliveryId);
    lowerDueBound(tx, row.destinationId ?? "", resend.nowMs);
    tx.waitingChange += 1;
  }
  return results;
}

const FIND_FOR_RESEND = `-- name: find delivery for resending
  select d.state, d.is_test as "isTest", d.destination_id as "destinationId", octet_length(e.body) > 0 as "hasBody",
    t.id is null or t.deleted_at is not null as "isDestinationDeleted"
  from deliveries d
  join events e on e.seq = d.event_seq
  left join destinations t on t.id = d.destination_id
  where d.id = ? and d.account_id = ?`;

const MOVE_ATTEMPT = `-- name: move only attempt of delivery
  insert into attempts
    (delivery_id, number, started_at, outcome, response_status, total_ms, detail, response_headers, response_body)
  select id, attempts_made, attempted_at, last_outcome, last_status, last_ms, attempt_detail, answer_headers,
    answer_body
  from deliveries
  where id = ? and attempted_at is not null`;

const RESEND = `-- name: make delivery pending again
  update deliveries
  set state = 'pending', due_at = ?, settled_at = null, attempts_before = attempts_made, resent_at = ?, resent_by = ?,
    attempted_at = null, epoch = null, attempt_detail = null, answer_headers = null, answer_body = null
  where id = ?`;

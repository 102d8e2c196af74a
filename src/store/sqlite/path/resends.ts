/**
 * Resending: a delivery that has ended becomes pending again, due now, with the whole retry schedule before it; one
 * that waits becomes due now, and its schedule goes on. Only a person does that, for some deliveries or through a
 * replay. Each stays the same delivery, so receivers see the same `webhook-id`, and its attempts are numbered on.
 */
import type { ResendOfDeliveries, ResentDelivery } from "../../sql/dialect.ts";
import { findResendResult, RESEND_COLUMNS, type ResendRow, toFirstDueMs } from "../../sql/path/resends.ts";
import { destinationNow, lowerDueBound } from "./destinations.ts";
import { joinOrder } from "./order.ts";
import type { Transaction } from "../transaction.ts";

export function resendDeliveries(tx: Transaction, resend: ResendOfDeliveries): Map<string, ResentDelivery> {
  const results = new Map<string, ResentDelivery>();
  const firstDue = new Map<string, number>();
  for (const deliveryId of resend.deliveryIds) {
    const inMemory = tx.inMemory.find(deliveryId);
    if (inMemory?.accountId === resend.accountId) {
      results.set(deliveryId, { result: "in_memory", destinationId: inMemory.destinationId });
      continue;
    }
    const row = tx.db.get<ResendRow>(FIND_FOR_RESEND, deliveryId, resend.accountId);
    if (row === undefined) continue;
    const result = findResendResult(row, resend);
    const destinationId = row.destinationId ?? "";
    results.set(deliveryId, { result, destinationId });
    if (result !== "queued") continue;
    const isInOrder = destinationNow(tx, destinationId).isOneAtATime;
    const dueAtMs =
      resend.isFirst && !isInOrder
        ? (firstDue.get(destinationId) ?? findFirstDueMs(tx, destinationId, resend.nowMs))
        : resend.nowMs;
    firstDue.set(destinationId, dueAtMs);
    makeDue(tx, resend, { deliveryId, isPending: row.state === "pending", dueAtMs });
    if (row.state !== "pending") joinOrder(tx, { id: deliveryId, accountId: resend.accountId, destinationId });
    lowerDueBound(tx, destinationId, dueAtMs);
  }
  return results;
}

const findFirstDueMs = (tx: Transaction, destinationId: string, nowMs: number): number =>
  toFirstDueMs(tx.db.get<{ dueAtMs: number | null }>(FIND_EARLIEST_DUE, destinationId)?.dueAtMs ?? null, nowMs);

interface Due {
  readonly deliveryId: string;
  readonly isPending: boolean;
  readonly dueAtMs: number;
}

function makeDue(tx: Transaction, { nowMs, person }: ResendOfDeliveries, due: Due): void {
  const { deliveryId, isPending, dueAtMs } = due;
  if (isPending) {
    tx.db.run(HURRY, dueAtMs, deliveryId, dueAtMs);
    return;
  }
  tx.db.run(MOVE_ATTEMPT, deliveryId);
  tx.db.run(RESEND, dueAtMs, nowMs, person, deliveryId);
  tx.waitingChange += 1;
}

const FIND_FOR_RESEND = `-- name: find delivery for resending
  select ${RESEND_COLUMNS}, octet_length(e.body) > 0 as "hasBody"
  from deliveries d
  join events e on e.seq = d.event_seq
  left join destinations t on t.id = d.destination_id
  where d.id = ? and d.account_id = ?`;

/** Exported for the test that reads its plan. */
export const FIND_EARLIEST_DUE = `-- name: find earliest due time of destination
  select min(due_at) as "dueAtMs"
  from deliveries
  where destination_id = ? and state = 'pending'`;

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
    attempted_at = null, attempt_detail = null, answer_headers = null, answer_body = null
  where id = ?`;

/** One whose claim has run out is due already. */
const HURRY = `-- name: make waiting delivery due
  update deliveries
  set due_at = ?
  where id = ? and claim_token is null and due_at > ?`;

/**
 * Resending: a delivery that has ended becomes pending again, due now, with the whole retry schedule before it. Only a
 * person does that, for one delivery or through a replay; it stays the same delivery, so receivers see the same
 * `webhook-id`, and its attempts are numbered on.
 */
import type { DeliveryState } from "../../domain/delivery.ts";
import type { RequestResend, ResendResult } from "../store.ts";
import { lowerDueBound } from "./destination-now.ts";
import type { Transaction } from "./transaction.ts";

export function requestResend(tx: Transaction, params: RequestResend): ResendResult {
  const { accountId, deliveryId, actor, nowMs } = params;
  const row = tx.db.get<ResendRow>(FIND_FOR_RESEND, deliveryId, accountId);
  if (row === undefined) return "missing";
  if (row.isTest === 1 || row.destinationId === null) return "is_test";
  if (row.state === "pending") return "pending_already";
  if (row.bodyBytes === 0) return "payload_purged";
  tx.db.run(RESEND, nowMs, nowMs, actor, deliveryId);
  lowerDueBound(tx, row.destinationId, nowMs);
  tx.waitingChange += 1;
  return "queued";
}

interface ResendRow {
  readonly state: DeliveryState;
  readonly isTest: number;
  readonly destinationId: string | null;
  readonly bodyBytes: number;
}

const FIND_FOR_RESEND = `-- name: find delivery for resending
  select d.state, d.is_test as "isTest", d.destination_id as "destinationId", octet_length(e.body) as "bodyBytes"
  from deliveries d
  join events e on e.seq = d.event_seq
  where d.id = ? and d.account_id = ?`;

const RESEND = `-- name: make delivery pending again
  update deliveries
  set state = 'pending', due_at = ?, settled_at = null, attempts_before = attempts_made, resent_at = ?, resent_by = ?
  where id = ?`;

/**
 * Resending: a delivery that has ended becomes pending again, due now, with the whole retry schedule before it. Only a
 * person does that, for one delivery or through a replay; it stays the same delivery, so receivers see the same
 * `webhook-id`, and its attempts are numbered on.
 */
import type { DeliveryState } from "../../domain/delivery.ts";
import type { RequestResend, ResendResult } from "../contract/log.ts";
import { writeAudit } from "./audit.ts";
import { lowerDueBound } from "./destination-now.ts";
import type { Transaction } from "./transaction.ts";

export function requestResend(tx: Transaction, params: RequestResend): ResendResult {
  const { accountId, deliveryId, by, nowMs } = params;
  const result = resendDelivery(tx, { accountId, deliveryId, person: by.person, nowMs });
  if (result === "queued") writeAudit(tx, { accountId, nowMs, by, action: "delivery_resent", subject: deliveryId });
  return result;
}

export interface ResendOfDelivery {
  readonly accountId: string;
  readonly deliveryId: string;
  readonly person: string;
  readonly nowMs: number;
}

/** For replays too, whose audit entry is one for all of their deliveries. */
export function resendDelivery(tx: Transaction, resend: ResendOfDelivery): ResendResult {
  const { accountId, deliveryId, person, nowMs } = resend;
  const row = tx.db.get<ResendRow>(FIND_FOR_RESEND, deliveryId, accountId);
  if (row === undefined) return "missing";
  if (row.isTest === 1 || row.destinationId === null) return "is_test";
  if (row.state === "pending") return "pending_already";
  if (row.bodyBytes === 0) return "payload_purged";
  if (row.isDestinationDeleted === 1) return "destination_deleted";
  tx.db.run(RESEND, nowMs, nowMs, person, deliveryId);
  lowerDueBound(tx, row.destinationId, nowMs);
  tx.waitingChange += 1;
  return "queued";
}

interface ResendRow {
  readonly state: DeliveryState;
  readonly isTest: number;
  readonly destinationId: string | null;
  readonly bodyBytes: number;
  readonly isDestinationDeleted: number;
}

const FIND_FOR_RESEND = `-- name: find delivery for resending
  select d.state, d.is_test as "isTest", d.destination_id as "destinationId", octet_length(e.body) as "bodyBytes",
    t.id is null or t.deleted_at is not null as "isDestinationDeleted"
  from deliveries d
  join events e on e.seq = d.event_seq
  left join destinations t on t.id = d.destination_id
  where d.id = ? and d.account_id = ?`;

const RESEND = `-- name: make delivery pending again
  update deliveries
  set state = 'pending', due_at = ?, settled_at = null, attempts_before = attempts_made, resent_at = ?, resent_by = ?
  where id = ?`;

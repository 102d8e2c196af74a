/** Reading one delivery with all its attempts, and keeping a test like a delivery that has ended. */
import type { EventType } from "../../domain/event.ts";
import type { StoredDelivery } from "../contract/log.ts";
import { type AttemptColumns, insertAttempt, numberOf, outcomeKindOf, statusOf, totalMsOf } from "./attempts.ts";
import { INSERT_EVENT } from "./events.ts";
import { loadAttempts } from "../sql/attempts.ts";
import type { StoredRow } from "../sql/log-rows.ts";
import type { Transaction } from "./transaction.ts";
import type { VerbParams } from "../calls.ts";

export async function loadDelivery(
  tx: Transaction,
  { accountId, deliveryId }: { accountId: string; deliveryId: string },
): Promise<StoredDelivery | null> {
  const row = tx.db.get<DeliveryRow>(FIND_DELIVERY, deliveryId, accountId);
  if (row === undefined) return null;
  return { ...row, isTest: Boolean(row.isTest), attempts: await loadAttempts(tx, deliveryId) };
}

/** Touches neither the destination's queue nor its health, and has no key against repeats: a test may be repeated. */
export function recordTestDelivery(tx: Transaction, params: VerbParams<"recordTestDelivery", AttemptColumns>): void {
  const { nowMs, deliveryId, eventId, accountId, destinationId, type, body, attempt, state } = params;
  const eventSeq = tx.db.insert(INSERT_EVENT, eventId, accountId, type, nowMs, body, null, null, null);
  const last = [numberOf(attempt), outcomeKindOf(attempt), statusOf(attempt), totalMsOf(attempt)] as const;
  tx.db.run(INSERT_TEST_DELIVERY, deliveryId, eventSeq, accountId, destinationId, state, nowMs, nowMs, ...last);
  insertAttempt(tx, deliveryId, attempt);
}

interface DeliveryRow extends StoredRow {
  readonly eventType: EventType;
  readonly body: string | null;
}

const FIND_DELIVERY = `-- name: find delivery of account
  select d.id, e.id as "eventId", e.type as "eventType", d.account_id as "accountId",
    d.destination_id as "destinationId", d.is_test as "isTest", d.state, d.attempts_made as "attemptsMade",
    d.attempts_made - d.attempts_before as "attemptsInSchedule", d.due_at as "dueAtMs",
    d.created_at as "createdAtMs", d.settled_at as "settledAtMs", d.resent_at as "resentAtMs",
    d.resent_by as "resentBy", nullif(e.body, '') as body
  from deliveries d
  join events e on e.seq = d.event_seq
  where d.id = ? and d.account_id = ?`;

const INSERT_TEST_DELIVERY = `-- name: insert test delivery
  insert into deliveries
    (id, event_seq, account_id, destination_id, is_test, state, created_at, settled_at, attempts_made, last_outcome,
    last_status, last_ms)
  values (?, ?, ?, ?, 1, ?, ?, ?, ?, ?, ?, ?)`;

/** Reading one delivery with all its attempts, and keeping a test like a delivery that has ended. */
import type { DeliveryState } from "../../domain/delivery.ts";
import type { EventType } from "../../domain/event.ts";
import type { StoredDelivery } from "../store.ts";
import { insertAttempt, loadAttempts } from "./attempts.ts";
import type { Transaction } from "./transaction.ts";
import type { VerbParams } from "./verbs.ts";

export async function loadDelivery(
  tx: Transaction,
  { accountId, deliveryId }: { accountId: string; deliveryId: string },
): Promise<StoredDelivery | null> {
  const row = await tx.db.get<DeliveryRow>(FIND_DELIVERY, deliveryId, accountId);
  if (row === undefined) return null;
  return { ...row, attempts: await loadAttempts(tx, deliveryId) };
}

/** Touches neither the destination's queue nor its health, and has no key against repeats: a test may be repeated. */
export async function recordTestDelivery(tx: Transaction, params: VerbParams<"recordTestDelivery">): Promise<void> {
  const { nowMs, deliveryId, eventId, accountId, destinationId, type, body, attempt, state } = params;
  const event = await tx.db.get<{ seq: number }>(INSERT_TEST_EVENT, eventId, accountId, type, nowMs, body);
  const eventSeq = event?.seq ?? 0;
  const last = [attempt.number, attempt.outcome, attempt.response_status, attempt.total_ms] as const;
  await tx.db.run(INSERT_TEST_DELIVERY, deliveryId, eventSeq, accountId, destinationId, state, nowMs, ...last);
  await insertAttempt(tx, deliveryId, attempt);
}

interface DeliveryRow {
  readonly id: string;
  readonly eventId: string;
  readonly eventType: EventType;
  readonly accountId: string;
  readonly destinationId: string | null;
  readonly isTest: boolean;
  readonly state: DeliveryState;
  readonly attemptsMade: number;
  readonly attemptsInSchedule: number;
  readonly dueAtMs: number | null;
  readonly createdAtMs: number;
  readonly settledAtMs: number | null;
  readonly resentAtMs: number | null;
  readonly resentBy: string | null;
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
  where d.id = $1 and d.account_id = $2`;

const INSERT_TEST_EVENT = `-- name: insert event of test delivery
  insert into events (id, account_id, type, accepted_at, body)
  values ($1, $2, $3, $4, $5)
  returning seq`;

const INSERT_TEST_DELIVERY = `-- name: insert test delivery
  insert into deliveries
    (id, event_seq, account_id, destination_id, is_test, state, created_at, settled_at, attempts_made, last_outcome,
    last_status, last_ms)
  values ($1, $2, $3, $4, true, $5, $6, $6, $7, $8, $9, $10)`;

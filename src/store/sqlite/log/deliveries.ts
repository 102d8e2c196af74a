/** One delivery of the log with all its attempts, and tests, which are kept like it. */
import type { VerbParams } from "../../calls.ts";
import { LOADED, selected } from "../../columns.ts";
import type { LoadDelivery, StoredDelivery } from "../../contract/log.ts";
import { type EventOfDelivery, type StoredRow, toStoredDelivery } from "../../sql/log/log-rows.ts";
import { type AttemptColumns, loadAttempts } from "../attempts.ts";
import { INSERT_EVENT, nameDeliveries, takeEventSeq } from "../path/events.ts";
import { findInMemory, toStoredInMemory } from "./list-in-memory.ts";
import type { ReadTransaction, Transaction } from "../transaction.ts";

export function loadDelivery(tx: ReadTransaction, params: LoadDelivery): StoredDelivery | null {
  const { accountId, deliveryId } = params;
  const row = tx.db.get<StoredRow & EventOfDelivery>(FIND_DELIVERY, deliveryId, accountId);
  if (row !== undefined) return toStoredDelivery(row, loadAttempts(tx, row.id));
  const inMemory = findInMemory(tx, accountId, deliveryId);
  return inMemory === null ? null : toStoredInMemory(tx, accountId, inMemory);
}

export function recordTestDelivery(tx: Transaction, test: VerbParams<"recordTestDelivery", AttemptColumns>): void {
  const { nowMs, deliveryId, eventId, accountId, destinationId, type, body, attempt, state } = test;
  const names = nameDeliveries([{ id: deliveryId, destinationId: destinationId ?? "" }]);
  const eventSeq = takeEventSeq(tx);
  tx.db.run(INSERT_EVENT, eventSeq, eventId, accountId, type, nowMs, names, body, null, "", null, null);
  const [number, startedAtMs, outcome, status, totalMs, ...kept] = attempt;
  const ended = [state, nowMs, nowMs, number, startedAtMs, outcome, status, totalMs, ...kept] as const;
  tx.db.run(INSERT_TEST_DELIVERY, deliveryId, eventSeq, accountId, destinationId, ...ended);
}

const FIND_DELIVERY = `-- name: find delivery of account
  select ${selected(LOADED, "d", { eventId: "e.id" })}, e.type as "eventType", nullif(e.body, '') as body
  from deliveries d
  join events e on e.seq = d.event_seq
  where d.id = ? and d.account_id = ?`;

const INSERT_TEST_DELIVERY = `-- name: insert test delivery
  insert into deliveries
    (id, event_seq, account_id, destination_id, is_test, state, created_at, settled_at, attempts_made, attempted_at,
    last_outcome, last_status, last_ms, attempt_detail, answer_headers, answer_body)
  values (?, ?, ?, ?, 1, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`;

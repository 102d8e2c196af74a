/** One delivery of the log with all its attempts, each asked for by its id, and tests, which are kept like it. */
import type { VerbParams } from "../../calls.ts";
import { LOADED, selected, UNTRIED_LOADED } from "../../columns.ts";
import type { LoadDelivery, StoredDelivery } from "../../contract/log.ts";
import { type EventOfDelivery, type StoredRow, toStoredDelivery } from "../../sql/log/log-rows.ts";
import { type AttemptColumns, insertAttempts, toSummary } from "../attempts.ts";
import { listAllAttempts } from "../path/settle-in-memory.ts";
import { hasId } from "../days.ts";
import { findInMemory, type InMemory } from "../path/in-memory.ts";
import type { Transaction } from "../transaction.ts";

export async function loadDelivery(tx: Transaction, params: LoadDelivery): Promise<StoredDelivery | null> {
  const { accountId, deliveryId } = params;
  const find = () => tx.db.get<StoredRow>(FIND_DELIVERY, deliveryId, accountId);
  // A node may have it in memory; or it had, and has just given it its row.
  const row = (await find()) ?? toRow(await findInMemory(tx, params)) ?? (await find());
  if (row === undefined) return null;
  const [event, attempts] = await Promise.all([
    tx.db.get<EventOfDelivery>(FIND_EVENT, row.eventId),
    listAllAttempts(tx, [deliveryId]),
  ]);
  // Retention drops a day's events a moment before its deliveries.
  return event === undefined
    ? null
    : toStoredDelivery(
        { ...row, ...event },
        attempts.map(({ attempt }) => attempt),
      );
}

/** As the row that it would have. */
function toRow(inMemory: InMemory | null): StoredRow | undefined {
  if (inMemory === null) return undefined;
  const { id, eventId, accountId, destinationId, acceptedAtMs } = inMemory;
  const own = { id, eventId, accountId, destinationId, dueAtMs: acceptedAtMs, createdAtMs: acceptedAtMs };
  return { ...UNTRIED_LOADED, ...own };
}

export async function recordTestDelivery(
  tx: Transaction,
  params: VerbParams<"recordTestDelivery", AttemptColumns>,
): Promise<void> {
  const { nowMs, deliveryId, eventId, accountId, destinationId, type, body, attempt, state } = params;
  const { number, outcome, status, totalMs } = toSummary(attempt);
  const last = [number, outcome, status, totalMs] as const;
  await Promise.all([
    tx.db.run(INSERT_TEST_EVENT, eventId, accountId, type, nowMs, body),
    tx.db.run(INSERT_TEST_DELIVERY, deliveryId, eventId, accountId, destinationId, state, nowMs, ...last),
    insertAttempts(tx, [{ ...attempt, delivery_id: deliveryId }]),
  ]);
}

const FIND_DELIVERY = `-- name: find delivery of account
  select ${selected(LOADED, "d")}
  from deliveries d
  where ${hasId("d", 1)} and account_id = $2`;

/** By its id and not by a join: so one day is planned for and not all of them. */
const FIND_EVENT = `-- name: find event of delivery
  select type as "eventType", nullif(body, '') as body
  from events e
  where e.id = $1`;

const INSERT_TEST_EVENT = `-- name: insert event of test delivery
  insert into events (id, account_id, type, accepted_at, body)
  values ($1, $2, $3, $4, $5)`;

const INSERT_TEST_DELIVERY = `-- name: insert test delivery
  insert into deliveries
    (id, event_id, account_id, destination_id, is_test, state, is_ended, created_at, settled_at,
      attempts_made, last_outcome,
    last_status, last_ms)
  values ($1, $2, $3, $4, true, $5, true, $6, $6, $7, $8, $9, $10)`;

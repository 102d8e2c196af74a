/**
 * Rows for deliveries that have none yet, because this node holds them in memory. One that ends gets its row in that
 * state, with its attempt in it: one row to write and one to read. One that waits (accepted without being held, given
 * back, tried and due again, or taken over) gets the row that waits. Where a delivery is attempted again, all of its
 * attempts stand in `attempts`.
 */
import type { AttemptRecord } from "../../../domain/attempt.ts";
import type { PackedSettlement } from "../../calls.ts";
import { ATTEMPT, namesOf, selected } from "../../columns.ts";
import { readAttempt, type TextRow } from "../../sql/log/attempts.ts";
import { ATTEMPT_COLUMNS, ATTEMPT_KINDS, type AttemptColumns, insertAttempts, toSummary } from "../attempts.ts";
import { isIn, isInDays, spanOf, toPlaceholders } from "../days.ts";
import type { InMemoryDelivery } from "../in-memory-deliveries.ts";
import type { Transaction } from "../transaction.ts";
import { beginDueBounds, coverDueTimes, destinationNow, holdDueBounds, noteDue } from "./destinations.ts";
import { joinOrder } from "./order.ts";
import { givenRows } from "./given-rows.ts";

interface Given {
  readonly settlement: PackedSettlement<AttemptColumns>;
  readonly nowMs: number;
}

/** `inMemory` is `null` where it is not in memory here. */
export type Taken<Item extends Given> = Item & { readonly inMemory: InMemoryDelivery | null };

/** Finds those that are in memory. */
export const takeInMemory = <Item extends Given>(tx: Transaction, given: readonly Item[]): Taken<Item>[] =>
  given.map((item) => {
    const { deliveryId, claimToken } = item.settlement;
    return { ...item, inMemory: tx.node.inMemory.take(tx, deliveryId, claimToken) };
  });

/** Rows that settling in-memory deliveries needs. */
export function needsOf(taken: readonly Taken<Given>[]) {
  const inMemory = taken.flatMap((item) => item.inMemory ?? []);
  return {
    destinationIds: inMemory.map(({ destinationId }) => destinationId),
    leaseIds: inMemory.map(({ leaseId }) => leaseId),
  };
}

/** Where the lease is gone a takeover has given it a row, and where its account is not here any more its move has. */
export const withoutLost = <Item extends Given>(
  { moves }: Transaction,
  taken: readonly Taken<Item>[],
  held: ReadonlySet<number>,
) =>
  taken.map((item) => {
    const { inMemory } = item;
    const isOurs = inMemory !== null && held.has(inMemory.leaseId) && moves.get(inMemory.accountId) === inMemory.moves;
    return isOurs ? item : { ...item, inMemory: null };
  });

type InMemorySettlement = Given & { readonly inMemory: InMemoryDelivery };

/** The caller has read their destinations, and sees to the bounds of those that wait again. */
export function writeInMemory(tx: Transaction, settlements: readonly InMemorySettlement[]): void {
  const ended = settlements.filter(({ settlement }) => settlement.next.state !== "pending");
  if (ended.length > 0) tx.later(tx.db.run(INSERT_ENDED, ...ENDED.toValues(ended.map(toEndedRow))));
  if (ended.length === settlements.length) return;
  const tried = settlements.filter(({ settlement }) => settlement.next.state === "pending");
  const attempts = tried.map(({ inMemory, settlement }) => ({
    ...settlement.attempt,
    delivery_id: inMemory.id,
  }));
  tx.later(insertPendingRows(tx, tried.flatMap(toPendingRow)));
  tx.later(
    joinOrder(
      tx,
      tried.map(({ inMemory }) => inMemory),
    ),
  );
  tx.later(insertAttempts(tx, attempts));
}

function toPendingRow({ inMemory, settlement }: InMemorySettlement): PendingRow[] {
  const { next, isFree, attempt } = settlement;
  if (next.state !== "pending") return [];
  const last = toSummary(attempt);
  return [
    {
      ...inMemory,
      dueAtMs: next.dueAtMs,
      claimToken: null,
      attemptsMade: last.number,
      attemptsBefore: isFree ? 1 : 0,
      last,
    },
  ];
}

const toEndedRow = ({ inMemory, settlement, nowMs }: InMemorySettlement) => ({
  ...settlement.attempt,
  id: inMemory.id,
  event_id: inMemory.eventId,
  account_id: inMemory.accountId,
  destination_id: inMemory.destinationId,
  created_at: inMemory.acceptedAtMs,
  state: settlement.next.state,
  settled_at: nowMs,
});

/* A delivery that ended with its first attempt has it in its own row, whose columns of the last attempt say a part. */

const NAMES = namesOf(ATTEMPT);
const ATTEMPT_NAMES = NAMES.join(", ");
const NAMES_IN_ROW: Readonly<Record<string, string>> = {
  number: "attempts_made",
  outcome: "last_outcome",
  response_status: "last_status",
  total_ms: "last_ms",
};
const ATTEMPT_IN_ROW = NAMES.map((name) => NAMES_IN_ROW[name] ?? name).join(", ");

const ENDED = givenRows({
  id: "text",
  event_id: "text",
  account_id: "text",
  destination_id: "text",
  created_at: "bigint",
  state: "text",
  settled_at: "bigint",
  ...ATTEMPT_KINDS,
});

const INSERT_ENDED = `-- name: insert ended deliveries
  insert into deliveries (
    id, event_id, account_id, destination_id, created_at, state, is_ended, settled_at, ${ATTEMPT_IN_ROW}
  )
  select id, event_id, account_id, destination_id, created_at, state, true, settled_at, ${ATTEMPT_NAMES}
  from (select ${ENDED.columns}) as given`;

interface AttemptOf {
  readonly deliveryId: string;
  readonly attempt: AttemptRecord;
}

/** Each delivery's first one first. */
export async function listAllAttempts(tx: Transaction, deliveryIds: readonly string[]): Promise<AttemptOf[]> {
  const days = toPlaceholders(spanOf(deliveryIds));
  const rows = await tx.db.all<TextRow & { deliveryId: string }>(LIST_ALL_ATTEMPTS, deliveryIds, ...days);
  return rows.map(({ deliveryId, ...row }) => ({ deliveryId, attempt: readAttempt(row) }));
}

/** Before these deliveries are attempted again. The caller has locked them. */
export async function moveFirstAttempts(tx: Transaction, deliveryIds: readonly string[]): Promise<void> {
  await tx.db.run(MOVE_FIRST_ATTEMPTS, deliveryIds, ...toPlaceholders(spanOf(deliveryIds)));
}

/** Columns of a delivery's row that only its first attempt has, where it ended with that. */
export const FIRST_ATTEMPT = NAMES.filter((name) => NAMES_IN_ROW[name] === undefined);

/** For the statement that makes a row wait again. */
export const WITHOUT_FIRST_ATTEMPT = FIRST_ATTEMPT.map((name) => `${name} = null`).join(", ");

const MOVE_FIRST_ATTEMPTS = `-- name: move first attempts out of deliveries
  insert into attempts (${ATTEMPT_COLUMNS})
  select id, ${ATTEMPT_IN_ROW}
  from deliveries d
  where id = any ($1::text[]) and d.is_ended and started_at is not null and ${isInDays("d", 2)}`;

/** Exported for the test that reads its plan. */
export const LIST_ALL_ATTEMPTS = `-- name: list all attempts of deliveries
  select made.delivery_id as "deliveryId", ${selected(ATTEMPT, "made")}
  from (
    select ${ATTEMPT_COLUMNS}
    from attempts a
    where delivery_id = any ($1::text[]) and ${isIn("a.delivery_id", 2)}
    union all
    select id, ${ATTEMPT_IN_ROW}
    from deliveries d
    where id = any ($1::text[]) and d.is_ended and started_at is not null and ${isInDays("d", 2)}
  ) made
  order by delivery_id, number`;

export interface PendingRow {
  readonly id: string;
  readonly eventId: string;
  readonly accountId: string;
  readonly destinationId: string;
  readonly acceptedAtMs: number;
  readonly dueAtMs: number;
  readonly claimToken: string | null;
  readonly attemptsMade?: number;
  readonly attemptsBefore?: number;
  readonly last?: { readonly outcome: string; readonly status: number | null; readonly totalMs: number };
}

/** Inserts them and makes their destinations' bounds cover them. */
export async function insertPending(tx: Transaction, rows: readonly PendingRow[]): Promise<void> {
  if (rows.length === 0) return;
  const dueTimes = new Map<string, number>();
  for (const { destinationId, dueAtMs } of rows) noteDue(dueTimes, destinationId, dueAtMs);
  await Promise.all([coverDueTimes(tx, dueTimes), insertPendingRows(tx, rows)]);
}

/** The same in an accept, which has read their destinations: what comes last in an order is due later. */
export async function insertAccepted(tx: Transaction, rows: readonly PendingRow[]): Promise<void> {
  const isLast = ({ destinationId }: PendingRow): boolean => destinationNow(tx, destinationId).isOneAtATime;
  const last = rows.filter(isLast);
  if (last.length === 0) return await insertPending(tx, rows);
  const dueTimes = new Map<string, number>();
  for (const { destinationId, dueAtMs } of last) noteDue(dueTimes, destinationId, dueAtMs);
  await Promise.all([
    insertPending(
      tx,
      rows.filter((row) => !isLast(row)),
    ),
    holdDueBounds(tx, dueTimes.keys()),
    beginDueBounds(tx, dueTimes),
    insertPendingRows(tx, last),
    joinOrder(tx, last),
  ]);
}

/** The caller sees to the bounds. */
export async function insertPendingRows(tx: Transaction, rows: readonly PendingRow[]): Promise<void> {
  if (rows.length === 0) return;
  await tx.db.run(INSERT_PENDING, ...PENDING.toValues(rows.map(toColumns)));
}

const toColumns = ({ attemptsMade = 0, attemptsBefore = 0, last, ...row }: PendingRow) => ({
  id: row.id,
  event_id: row.eventId,
  account_id: row.accountId,
  destination_id: row.destinationId,
  due_at: row.dueAtMs,
  claim_token: row.claimToken,
  created_at: row.acceptedAtMs,
  attempts_made: attemptsMade,
  attempts_before: attemptsBefore,
  last_outcome: last?.outcome,
  last_status: last?.status,
  last_ms: last?.totalMs,
});

const PENDING = givenRows({
  id: "text",
  event_id: "text",
  account_id: "text",
  destination_id: "text",
  due_at: "bigint",
  claim_token: "text",
  created_at: "bigint",
  attempts_made: "integer",
  attempts_before: "integer",
  last_outcome: "text",
  last_status: "integer",
  last_ms: "double precision",
});

const INSERT_PENDING = `-- name: insert pending deliveries
  insert into deliveries (
    id, event_id, account_id, destination_id, state, is_ended, due_at, claim_token, created_at,
    attempts_made, attempts_before, last_outcome, last_status, last_ms
  )
  select id, event_id, account_id, destination_id, 'pending', false, due_at, claim_token, created_at,
    attempts_made, attempts_before, last_outcome, last_status, last_ms
  from (select ${PENDING.columns}) as given`;

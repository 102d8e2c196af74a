/** Rows of deliveries that were in memory (`../in-memory-deliveries.ts`) and wait now, and how a start finds them. */
import type { ReadTransaction, Transaction } from "../transaction.ts";
import type { InMemoryDelivery } from "../in-memory-deliveries.ts";
import { lowerDueBound } from "./destinations.ts";
import { joinOrder, leaveOrder } from "./order.ts";

interface Pending {
  readonly dueAtMs: number;
  readonly claimToken: string | null;
}

/** Gives a row to a delivery that waits, or that others must find by a row. It is no longer in memory. */
export function writePending(tx: Transaction, delivery: InMemoryDelivery, { dueAtMs, claimToken }: Pending): void {
  const { id, eventSeq, accountId, destinationId, acceptedAtMs } = delivery;
  tx.inMemory.remove(id);
  tx.db.run(INSERT_PENDING, id, eventSeq, accountId, destinationId, dueAtMs, claimToken, acceptedAtMs);
  joinOrder(tx, delivery);
  lowerDueBound(tx, destinationId, dueAtMs);
}

/** Those whose claim has run out: anyone may take them now. Reads all of them, because clocks are set back. */
export function writeExpired(tx: Transaction, nowMs: number): void {
  for (const delivery of tx.inMemory.all()) if (delivery.claim.untilMs <= nowMs) writeClaimed(tx, delivery);
}

/** Those of events that were accepted before, for retention, which reads rows. */
export function writeAcceptedBefore(tx: Transaction, beforeMs: number): void {
  for (const delivery of tx.inMemory.all()) if (delivery.acceptedAtMs < beforeMs) writeClaimed(tx, delivery);
}

/** Writes the row under the claim of the node that sends it, so that this node can settle it still. */
function writeClaimed(tx: Transaction, delivery: InMemoryDelivery): void {
  writePending(tx, delivery, { dueAtMs: delivery.claim.untilMs, claimToken: delivery.claim.token });
}

export interface LowWaterMarks {
  /** No event before this one has a delivery in memory. */
  readonly inMemoryFrom: number;
  /** No event before this one has an answer in its deliveries; see `../retention/purge-answers.ts`. */
  readonly answersFrom: number;
}

export function loadLowWaterMarks(tx: ReadTransaction): LowWaterMarks {
  const marks = tx.db.get<LowWaterMarks>(FIND_MARKS);
  if (marks === undefined) throw new Error("the row of low_water_marks is missing");
  return marks;
}

/** A start, and each list of an account's deliveries, read this many events more than they have to. */
const MARK_EVENTS = 500;

/** At the end of each transaction. */
export function moveLowWaterMarkIfDue(tx: Transaction): void {
  const passed = (seq: number): number => Math.floor(seq / MARK_EVENTS);
  if (passed(tx.nextEventSeq) > passed(tx.db.nextEventSeq)) moveLowWaterMark(tx);
}

const moveLowWaterMark = (tx: Transaction): void =>
  void tx.db.run(SAVE_IN_MEMORY_FROM, tx.inMemory.first()?.eventSeq ?? tx.nextEventSeq);

/** For the start only: the process that had them in memory is dead. */
export function recoverInMemory(tx: Transaction, nowMs: number): void {
  const marks = loadLowWaterMarks(tx);
  tx.nextEventSeq = findNextEventSeq(tx, marks);
  for (const delivery of tx.db.all<NamedDelivery>(LIST_NAMED, marks.inMemoryFrom)) {
    if (delivery.hasRow === 1) continue;
    const { id, eventSeq, accountId, destinationId, acceptedAtMs } = delivery;
    tx.db.run(INSERT_PENDING, id, eventSeq, accountId, destinationId, nowMs, null, acceptedAtMs);
    joinOrder(tx, delivery);
    lowerDueBound(tx, destinationId, nowMs);
  }
  moveLowWaterMark(tx);
}

/** Behind every event that there was, also behind those that are purged. */
function findNextEventSeq(tx: Transaction, { inMemoryFrom, answersFrom }: LowWaterMarks): number {
  return Math.max(findNewestSeq(tx) + 1, inMemoryFrom, answersFrom);
}

/** 0: there is none. */
export const findNewestSeq = (tx: ReadTransaction): number =>
  tx.db.get<{ seq: number | null }>(FIND_NEWEST_EVENT)?.seq ?? 0;

/** A delivery that an event's row names. */
interface NamedDelivery extends Omit<InMemoryDelivery, "claim"> {
  readonly hasRow: 0 | 1;
}

const INSERT_PENDING = `-- name: insert pending delivery
  insert into deliveries (id, event_seq, account_id, destination_id, state, due_at, claim_token, created_at)
  values (?, ?, ?, ?, 'pending', ?, ?, ?)`;

/** An event whose payload is purged had nothing pending then; its deliveries may be half deleted. */
const LIST_NAMED = `-- name: list deliveries of the newest events
  select n.key as id, e.seq as "eventSeq", e.account_id as "accountId", n.value as "destinationId",
    e.accepted_at as "acceptedAtMs", d.id is not null as "hasRow"
  from events e
  cross join json_each(e.deliveries) n
  left join deliveries d on d.id = n.key
  where e.seq >= ? and octet_length(e.body) > 0`;

const FIND_NEWEST_EVENT = `-- name: find newest event
  select max(seq) as seq
  from events`;

const FIND_MARKS = `-- name: find low-water marks
  select in_memory_from as "inMemoryFrom", answers_from as "answersFrom"
  from low_water_marks`;

const SAVE_IN_MEMORY_FROM = `-- name: save low-water mark of in-memory deliveries
  update low_water_marks
  set in_memory_from = ?`;

/** Of those that have a row. */
export function cancelDeliveries(tx: Transaction, ids: readonly string[], nowMs: number): number {
  for (const id of ids) leaveOrder(tx, id);
  return ids.length === 0 ? 0 : tx.db.run(CANCEL_DELIVERIES, nowMs, JSON.stringify(ids));
}

const CANCEL_DELIVERIES = `-- name: cancel deliveries
  update deliveries
  set state = 'cancelled', due_at = null, claim_token = null, settled_at = ?1
  where id in (select value from json_each(?2)) and state = 'pending'`;

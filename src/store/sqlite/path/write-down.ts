/** Open deliveries get their rows when they have to wait, or when somebody has to find them by a row. */
import { lowerDueBound } from "./destination-now.ts";
import type { OpenDelivery } from "../open-deliveries.ts";
import type { Transaction } from "../transaction.ts";

interface Pending {
  readonly dueAtMs: number;
  readonly claimToken: string | null;
}

/** Inserts the row of a delivery that waits, and no longer counts it as open. */
export function writeDown(tx: Transaction, delivery: OpenDelivery, { dueAtMs, claimToken }: Pending): void {
  const { id, eventSeq, accountId, destinationId, acceptedAtMs } = delivery;
  tx.open.remove(id);
  tx.db.run(INSERT_PENDING, id, eventSeq, accountId, destinationId, dueAtMs, claimToken, acceptedAtMs);
  lowerDueBound(tx, destinationId, dueAtMs);
}

/** Those with a claim that has run out: anyone may take them now. Looks at all, because clocks are set back. */
export function writeDownLapsed(tx: Transaction, nowMs: number): void {
  for (const delivery of tx.open.all()) if (delivery.claim.untilMs <= nowMs) writeDownClaimed(tx, delivery);
}

/** Those of events that were accepted before, for retention, which looks at rows. */
export function writeDownAcceptedBefore(tx: Transaction, beforeMs: number): void {
  for (const delivery of tx.open.all()) if (delivery.acceptedAtMs < beforeMs) writeDownClaimed(tx, delivery);
}

/** Its node may settle it yet, for as long as no other one claims it. */
function writeDownClaimed(tx: Transaction, delivery: OpenDelivery): void {
  writeDown(tx, delivery, { dueAtMs: delivery.claim.untilMs, claimToken: delivery.claim.token });
}

/** A delivery that an event's row names. */
export interface NamedDelivery extends Omit<OpenDelivery, "claim" | "eventId" | "eventType"> {
  readonly hasRow: 0 | 1;
}

/** For the start only: the process that had them in hand is dead. */
export function recoverOpen(tx: Transaction, { openFrom, nowMs }: { openFrom: number; nowMs: number }): void {
  for (const delivery of tx.db.all<NamedDelivery>(LIST_NAMED, openFrom)) {
    if (delivery.hasRow === 1) continue;
    const { id, eventSeq, accountId, destinationId, acceptedAtMs } = delivery;
    tx.db.run(INSERT_PENDING, id, eventSeq, accountId, destinationId, nowMs, null, acceptedAtMs);
    lowerDueBound(tx, destinationId, nowMs);
  }
}

export const INSERT_PENDING = `-- name: insert pending delivery
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

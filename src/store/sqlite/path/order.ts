/** The order of destinations that get one at a time: `../../sql/path/order-rows.ts` says what it keeps true. */
import { boundOfOrder, firstDueOf, headOf, heldOf, type OrderedRow } from "../../sql/path/order-rows.ts";
import type { Transaction } from "../transaction.ts";
import { destinationNow } from "./destinations.ts";

/** Last in the order of its destination, if that has one, also where an order before it has left a row. */
export function joinOrder(tx: Transaction, { id, accountId, destinationId }: OrderedRow): void {
  if (destinationNow(tx, destinationId).isOneAtATime) tx.db.run(JOIN_ORDER, destinationId, id, accountId);
}

/** It has ended. */
export const leaveOrder = (tx: Transaction, id: string): void => void tx.db.run(LEAVE_ORDER, id);

/** Destinations of what is in memory: what was taken there before the order began is held as well. */
export const listHeldInMemory = (tx: Transaction): ReadonlySet<string> =>
  new Set(tx.inMemory.all().map(({ destinationId }) => destinationId));

/** After a claim has visited it. */
export function noteHeadServed(tx: Transaction, destinationId: string, nowMs: number): void {
  tx.db.run(NOTE_HEAD_SERVED, nowMs, destinationId);
  tx.destinations.delete(destinationId);
}

/** Behind the rows of deliveries `d`: the head, when it is due and nobody holds one; see `claims.ts`. */
export const IS_HEAD = `d.id = coalesce(${headOf("?1")}, ${firstDueOf("?1")})
    and not exists (
      select 1
      from ${heldOf("?1", "?2")}
    )`;

const JOIN_ORDER = `-- name: put delivery last in order
  insert or replace into ordered_deliveries (destination_id, delivery_id, account_id)
  values (?, ?, ?)`;

const LEAVE_ORDER = `-- name: take delivery out of order
  delete from ordered_deliveries
  where delivery_id = ?`;

const NOTE_HEAD_SERVED = `-- name: correct due bound of order after a claim
  update destinations
  set next_due_at = ${boundOfOrder("destinations.id", "?1")}, served_at = ?1
  where id = ?2`;

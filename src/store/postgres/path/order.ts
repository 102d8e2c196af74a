/**
 * The order of destinations that get one at a time, on PostgreSQL: `../../sql/path/order-rows.ts` says what it keeps
 * true. Numbers come from a sequence that no session keeps numbers of, so whoever draws later gets the higher one.
 */
import { boundOfOrder, firstDueOf, headOf, heldOf, type OrderedRow } from "../../sql/path/order-rows.ts";
import type { Transaction } from "../transaction.ts";
import { givenRows } from "./given-rows.ts";

/**
 * Each last in the order of its destination, if that has one, also where an order before it has left a row. Their
 * destinations were read before.
 */
export async function joinOrder(tx: Transaction, rows: readonly OrderedRow[]): Promise<void> {
  const ordered = rows.filter(({ destinationId }) => tx.destinations.get(destinationId)?.isOneAtATime === true);
  if (ordered.length > 0) await tx.db.run(JOIN_ORDER, ...JOINING.toValues(ordered.map(toColumns)));
}

const toColumns = ({ id, accountId, destinationId }: OrderedRow) => ({
  destination_id: destinationId,
  delivery_id: id,
  account_id: accountId,
});

/** They have ended. */
export async function leaveOrder(tx: Transaction, ids: readonly string[]): Promise<void> {
  if (ids.length > 0) await tx.db.run(LEAVE_ORDER, ids);
}

const JOINING = givenRows({ destination_id: "text", delivery_id: "text", account_id: "text" });

const JOIN_ORDER = `-- name: put deliveries last in order
  insert into ordered_deliveries (destination_id, delivery_id, account_id)
  select destination_id, delivery_id, account_id
  from (select ${JOINING.columns}) as given
  on conflict (delivery_id) do update set seq = default`;

const LEAVE_ORDER = `-- name: take deliveries out of order
  delete from ordered_deliveries
  where delivery_id = any ($1::text[])`;

/**
 * Which of the deliveries `d` of the destination `visit` a claim may take: the head, when nobody holds one. The claim
 * holds the destination's row since a statement before, so this one sees all that earlier claims have taken.
 */
export const IS_HEAD = `d.id = coalesce(${headOf("visit.destination_id")}, ${firstDueOf("visit.destination_id")})
        and not exists (
          select 1
          from ${heldOf("visit.destination_id", "$3")}
        )`;

/** Exported for the test that reads its plan. */
export const NOTE_HEADS_SERVED = `-- name: correct due bounds of orders after a claim
  update destinations d
  set next_due_at = ${boundOfOrder("d.id", "$2")}, served_at = $2
  where d.id = any ($1::text[])`;

/**
 * Destinations that get one delivery at a time. What waits for one has a row in `ordered_deliveries`, whose number is
 * drawn in the transaction that accepts or resends it: what was answered before another record was posted has the lower
 * one, whichever nodes took them. The first row is the *head*.
 *
 *     accept, resend ──► last in the order ──► head ──claimed, alone──► ended: the next one is the head
 *                                               ▲                  └──► due again, and all others wait for it
 *                                               └───────────────────────┘
 *
 * Invariants: the accepting node never takes such a delivery into memory. A claim holds the destination's row, and
 * takes the head if nobody holds a delivery of it. The due bound is never later than the instant at which the head may
 * go, so whoever ends one lowers it. Other destinations have no statement more. Rows of an order that was ended stay
 * until retention takes them, in steps and the last first: what is left when it begins again is its beginning.
 */
import type { HeadOfOrder, ListHeads, SkipHead, SkipHeadResult } from "../../contract/order.ts";
import { writeAudit } from "../audit.ts";
import type { Dialect } from "../dialect.ts";
import type { Flag, SqlTransaction } from "../transaction.ts";

export interface OrderedRow {
  readonly id: string;
  readonly accountId: string;
  readonly destinationId: string;
}

interface ChangeOrder {
  readonly id: string;
  readonly isOn: boolean;
  readonly nowMs: number;
}

/**
 * Deliveries that are put into the order when it begins, the earliest due first. Guess: a tenth of a second of a
 * transaction that a person waits for. Further ones go when none of the order is left.
 */
const BEGIN_WITH_MAX = 10_000;

/** Its owner has turned the switch. The destination is locked. */
export async function changeOrder<Tx extends SqlTransaction>(
  tx: Tx,
  { id, isOn, nowMs }: ChangeOrder,
  { lockDestination, lowerDueBound }: Pick<Dialect<Tx>, "lockDestination" | "lowerDueBound">,
): Promise<void> {
  if (isOn) await tx.db.run(BEGIN_ORDER, id, BEGIN_WITH_MAX);
  await lockDestination(tx, id);
  // Another one may be the next to go, and earlier.
  await lowerDueBound(tx, id, nowMs);
}

/** Deletes at most `limit` rows that no order needs, and returns how many. */
export async function tidyOrders(tx: SqlTransaction, limit: number): Promise<number> {
  let left = limit;
  for (const { id, isOn, isGone } of await tx.db.all<LeftOrder>(LIST_LEFT_ORDERS, limit)) {
    if (left <= 0) break;
    // It may begin again at this moment, and find its rows there.
    const isHeld = isOn || isGone || (await tx.db.get(HOLD_ENDED_ORDER, id)) !== undefined;
    if (isHeld) left -= await tx.db.run(isOn ? DELETE_ENDED : DELETE_LAST, id, left);
  }
  return limit - left;
}

interface LeftOrder {
  readonly id: string;
  readonly isOn: Flag;
  /** Its destination has no row any more. */
  readonly isGone: Flag;
}

/** The id of the first delivery of the order of `destination`, an expression; null when none is left. */
export const headOf = (destination: string): string => `(
      select o.delivery_id
      from ordered_deliveries o
      join deliveries w on w.id = o.delivery_id and w.state = 'pending' and not w.is_ended
      where o.destination_id = ${destination}
      order by o.seq
      limit 1
    )`;

/** Its first delivery by due time, for those that came from a node's memory after the order had begun. */
export const firstDueOf = (destination: string): string => `(
      select w.id
      from deliveries w
      where w.destination_id = ${destination} and w.state = 'pending' and not w.is_ended
      order by w.due_at
      limit 1
    )`;

/** Deliveries of it that somebody holds at `now`. */
export const heldOf = (destination: string, now: string): string => `deliveries h
        where h.destination_id = ${destination} and h.state = 'pending' and not h.is_ended
          and h.claim_token is not null and h.due_at > ${now}`;

/** When its head may go: at the end of the claim while somebody holds one. */
export const boundOfOrder = (destination: string, now: string): string => `coalesce((
      select max(h.due_at)
      from ${heldOf(destination, now)}
    ), (
      select n.due_at
      from deliveries n
      where n.id = coalesce(${headOf(destination)}, ${firstDueOf(destination)}) and not n.is_ended
    ))`;

export async function listHeads(
  tx: SqlTransaction,
  { accountId, destinationIds, nowMs }: ListHeads,
): Promise<readonly HeadOfOrder[]> {
  const heads: HeadOfOrder[] = [];
  for (const id of destinationIds) {
    const row = await tx.db.get<HeadRow>(FIND_HEAD, id, accountId, nowMs);
    if (row !== undefined) heads.push({ ...row, destinationId: id, isUnderWay: Boolean(row.isUnderWay) });
  }
  return heads;
}

type HeadRow = Omit<HeadOfOrder, "destinationId" | "isUnderWay"> & { readonly isUnderWay: Flag };

/** A person's decision that the others need not wait for it any longer. It can be resent: then it joins the end. */
export async function skipHead<Tx extends SqlTransaction>(
  tx: Tx,
  { accountId, destinationId, deliveryId, by, nowMs }: SkipHead,
  dialect: Pick<Dialect<Tx>, "lockDestination" | "cancelDeliveries" | "shortenQueue" | "lowerDueBound">,
): Promise<SkipHeadResult> {
  // Claims of it wait for this lock, or pass it over.
  const destination = await dialect.lockDestination(tx, destinationId);
  if (destination === null || destination.accountId !== accountId || !destination.isOneAtATime) return "missing";
  const head = await tx.db.get<HeadRow>(FIND_HEAD, destinationId, accountId, nowMs);
  if (head?.deliveryId !== deliveryId) return "not_head";
  if (head.isUnderWay) return "under_way";
  const cancelled = await dialect.cancelDeliveries(tx, [deliveryId], nowMs);
  if (cancelled === 0) return "not_head";
  await dialect.shortenQueue(tx, destinationId, cancelled);
  await writeAudit(tx, { accountId, nowMs, by, action: "delivery_skipped", subject: deliveryId });
  return "skipped";
}

const BEGIN_ORDER = `-- name: put what waits for destination in order
  insert into ordered_deliveries (destination_id, delivery_id, account_id)
  select destination_id, id, account_id
  from (
    select destination_id, id, account_id
    from deliveries
    where destination_id = $1 and state = 'pending' and not is_ended
    order by due_at, id
    limit $2
  ) waiting
  where true
  order by id
  on conflict (delivery_id) do nothing`;

/** Destinations that have an order, from one to the next, so that no rows are read but the first of each. */
export const ORDERED = `ordered (id) as (
    select min(destination_id)
    from ordered_deliveries
    union all
    select (select min(o.destination_id) from ordered_deliveries o where o.destination_id > ordered.id)
    from ordered
    where ordered.id is not null
  )`;

/** Those whose order was ended, and those whose first delivery ended while there was none. */
const LIST_LEFT_ORDERS = `-- name: list orders with rows that nobody needs
  with recursive ${ORDERED}
  select ordered.id, coalesce(d.one_at_a_time, false) as "isOn", d.id is null as "isGone"
  from ordered
  left join destinations d on d.id = ordered.id
  where ordered.id is not null and (
    not coalesce(d.one_at_a_time, false)
    or not exists (
      select 1
      from deliveries w
      where w.id = (
        select o.delivery_id
        from ordered_deliveries o
        where o.destination_id = ordered.id
        order by o.seq
        limit 1
      ) and w.state = 'pending' and not w.is_ended
    )
  )
  limit $1`;

const HOLD_ENDED_ORDER = `-- name: hold destination whose order was ended
  select id
  from destinations
  where id = $1 and not one_at_a_time
  for no key update skip locked`;

const DELETE_LAST = `-- name: delete last rows of order that was ended
  delete from ordered_deliveries
  where delivery_id in (
    select delivery_id
    from ordered_deliveries
    where destination_id = $1
    order by seq desc
    limit $2
    for update skip locked
  )`;

const DELETE_ENDED = `-- name: delete rows of deliveries that ended without their order
  delete from ordered_deliveries
  where seq in (
    select o.seq
    from (
      select seq, delivery_id
      from ordered_deliveries
      where destination_id = $1
      order by seq
      limit $2
      for update skip locked
    ) o
    where not exists (
      select 1
      from deliveries w
      where w.id = o.delivery_id and w.state = 'pending' and not w.is_ended
    )
  ) and destination_id = $1`;

/** Exported for the test that reads its plan. */
export const FIND_HEAD = `-- name: find head of destination
  select d.id as "deliveryId", d.due_at as "dueAtMs", d.attempts_made as "attemptsMade",
    d.claim_token is not null and d.due_at > $3 as "isUnderWay", (
      select min(a.started_at)
      from attempts a
      where a.delivery_id = d.id and a.started_at >= coalesce(d.resent_at, d.created_at)
    ) as "heldSinceMs"
  from deliveries d
  where d.id = coalesce(${headOf("$1")}, ${firstDueOf("$1")}) and d.state = 'pending' and not d.is_ended
    and d.account_id = $2`;

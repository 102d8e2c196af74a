/**
 * The settling of deliveries that this node has in hand: each gets its row now, in the state that it ends in and with
 * its attempt in it. One that is tried again gets the row that waits, and its attempt one of its own.
 */
import { bucketOf } from "../../../lib/bucket.ts";
import { ATTEMPT_KINDS, type AttemptColumns, insertAttempts, toGist } from "../attempts.ts";
import { ENDED_COLUMNS, ENDED_VALUES } from "./first-attempts.ts";
import { givenRows } from "./given-rows.ts";
import type { OpenDelivery } from "../open-deliveries.ts";
import { insertPendingRows, type PendingRow } from "./pending-rows.ts";
import type { PackedSettlement } from "../../calls.ts";
import type { Needs } from "./situation.ts";
import type { Transaction } from "../transaction.ts";

interface Given {
  readonly settlement: PackedSettlement<AttemptColumns>;
  readonly nowMs: number;
}

/** `open` is `null` where it is not in hand here. */
export type Taken<Item extends Given> = Item & { readonly open: OpenDelivery | null };

/** Finds those that are in hand. */
export const takeOpen = <Item extends Given>(tx: Transaction, given: readonly Item[]): Taken<Item>[] =>
  given.map((item) => {
    const { deliveryId, claimToken } = item.settlement;
    return { ...item, open: tx.node.open.take(tx, deliveryId, claimToken) };
  });

/** What those that are in hand are decided with. */
export function needsOf(taken: readonly Taken<Given>[]): Needs {
  const open = taken.flatMap((item) => item.open ?? []);
  return {
    destinationIds: open.map(({ destinationId }) => destinationId),
    leaseIds: open.map(({ leaseId }) => leaseId),
  };
}

/** Where the lease is gone a takeover has given it a row. */
export const withoutLost = <Item extends Given>(taken: readonly Taken<Item>[], held: ReadonlySet<number>) =>
  taken.map((item) => (item.open !== null && held.has(item.open.leaseId) ? item : { ...item, open: null }));

type OpenSettlement = Given & { readonly open: OpenDelivery };

/** The caller has read their destinations, and sees to the bounds of those that wait again. */
export function writeOpen(tx: Transaction, settlements: readonly OpenSettlement[]): void {
  const ended = settlements.filter(({ settlement }) => settlement.next.state !== "pending");
  if (ended.length > 0) tx.later(tx.db.run(INSERT_ENDED, ...GIVEN.toValues(ended.map(toEndedRow))));
  if (ended.length === settlements.length) return;
  const tried = settlements.filter(({ settlement }) => settlement.next.state === "pending");
  const attempts = tried.map(({ open, settlement }) => ({
    ...settlement.attempt,
    bucket: bucketOf(open.accountId),
    delivery_id: open.id,
  }));
  tx.later(insertPendingRows(tx, tried.flatMap(toPendingRow)));
  tx.later(insertAttempts(tx, attempts));
}

function toPendingRow({ open, settlement }: OpenSettlement): PendingRow[] {
  const { next, isFree, attempt } = settlement;
  if (next.state !== "pending") return [];
  const last = toGist(attempt);
  return [
    {
      ...open,
      dueAtMs: next.dueAtMs,
      claimToken: null,
      attemptsMade: last.number,
      attemptsBefore: isFree ? 1 : 0,
      last,
    },
  ];
}

const toEndedRow = ({ open, settlement, nowMs }: OpenSettlement) => ({
  ...settlement.attempt,
  bucket: bucketOf(open.accountId),
  id: open.id,
  event_id: open.eventId,
  account_id: open.accountId,
  destination_id: open.destinationId,
  created_at: open.acceptedAtMs,
  state: settlement.next.state,
  settled_at: nowMs,
});

const GIVEN = givenRows({
  bucket: "integer",
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
    bucket, id, event_id, account_id, destination_id, created_at, state, is_ended, settled_at, ${ENDED_COLUMNS}
  )
  select bucket, id, event_id, account_id, destination_id, created_at, state, true, settled_at, ${ENDED_VALUES}
  from (select ${GIVEN.columns}) as given`;

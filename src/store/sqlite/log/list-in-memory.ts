/** In-memory deliveries as the log shows them: they wait for the end of their first attempt and have no row to read. */
import { UNTRIED_LISTED, UNTRIED_LOADED } from "../../columns.ts";
import type { ListDeliveries, StoredDelivery } from "../../contract/log.ts";
import { findStart, type ListedRow, newestFirst } from "../../sql/log/log-rows.ts";
import { listSeqsOfSource } from "./list-events.ts";
import type { InMemoryDelivery } from "../in-memory-deliveries.ts";
import type { Transaction } from "../transaction.ts";

type InMemoryRow = ListedRow & { readonly eventType: string };

/** Those that the filter lets through, in no order. */
export function listInMemory(tx: Transaction, params: ListDeliveries): InMemoryRow[] {
  const start = findStart(params);
  const rows = [...tx.inMemory.all()].filter(toFilter(tx, params)).map(toRow);
  return rows.filter((row) => newestFirst(start, row) < 0);
}

/** One in memory has no answer yet, so a filter by answers leaves out all of them. */
function toFilter(tx: Transaction, params: ListDeliveries): (delivery: InMemoryDelivery) => boolean {
  const { accountId, destinationId, type, statuses, response, createdFromMs = 0, idText } = params;
  if (response !== undefined || statuses?.includes("waiting") === false) return () => false;
  const seqs = idText === undefined ? [] : listSeqsOfSource(tx, accountId, idText);
  return ({ id, eventId, eventSeq, ...delivery }) =>
    delivery.accountId === accountId &&
    (destinationId === undefined || delivery.destinationId === destinationId) &&
    (type === undefined || delivery.eventType === type) &&
    delivery.acceptedAtMs >= createdFromMs &&
    (idText === undefined || id === idText || eventId === idText || seqs.includes(eventSeq));
}

/** What it has of its own. */
const ownOf = ({ id, eventId, eventType, destinationId, claim, acceptedAtMs }: InMemoryDelivery) => ({
  id,
  eventId,
  eventType,
  destinationId,
  dueAtMs: claim.untilMs,
  createdAtMs: acceptedAtMs,
});

const toRow = (delivery: InMemoryDelivery): InMemoryRow => ({ ...UNTRIED_LISTED, ...ownOf(delivery) });

export function toStoredInMemory(tx: Transaction, delivery: InMemoryDelivery): StoredDelivery {
  const { accountId, eventSeq } = delivery;
  const body = tx.db.get<{ body: string | null }>(FIND_BODY, eventSeq)?.body ?? null;
  return { ...UNTRIED_LOADED, ...ownOf(delivery), accountId, body, attempts: [] };
}

const FIND_BODY = `-- name: find body of event
  select nullif(body, '') as body
  from events
  where seq = ?`;

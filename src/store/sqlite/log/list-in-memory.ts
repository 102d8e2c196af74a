/** In-memory deliveries as the log shows them: they wait for the end of their first attempt and have no row to read. */
import type { EventType } from "../../../domain/event.ts";
import type { ListDeliveries, StoredDelivery } from "../../contract/log.ts";
import { findStart, type ListedRow } from "../../sql/log/log-rows.ts";
import { listSeqsOfSource } from "./list-events.ts";
import type { Ordered, ReadList } from "./newest-first.ts";
import type { InMemoryDelivery } from "../in-memory-deliveries.ts";
import type { Transaction } from "../transaction.ts";

type InMemoryRow = ListedRow & { readonly eventType: EventType };

/** Those that the filter lets through, as one of the lists of a page. */
export function listInMemory(tx: Transaction, params: ListDeliveries): ReadList<InMemoryRow> {
  const rows = [...tx.inMemory.all()].filter(toFilter(tx, params)).map(toRow).toSorted(newestFirst);
  const start = findStart(params);
  return (before, limit) => rows.filter((row) => newestFirst(before ?? start, row) < 0).slice(0, limit);
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

function newestFirst(one: Ordered, other: Ordered): number {
  if (one.createdAtMs !== other.createdAtMs) return other.createdAtMs - one.createdAtMs;
  return one.id === other.id ? 0 : one.id > other.id ? -1 : 1;
}

const NOT_ATTEMPTED = { attemptsMade: 0, attemptsInSchedule: 0 } as const;

const toRow = ({ id, eventId, eventType, destinationId, claim, acceptedAtMs }: InMemoryDelivery): InMemoryRow => ({
  id,
  eventId,
  eventType,
  destinationId,
  isTest: 0,
  state: "pending",
  ...NOT_ATTEMPTED,
  dueAtMs: claim.untilMs,
  createdAtMs: acceptedAtMs,
  lastOutcome: null,
  lastStatus: null,
  lastMs: null,
});

export function toStoredInMemory(tx: Transaction, delivery: InMemoryDelivery): StoredDelivery {
  const { id, eventId, eventType, accountId, destinationId, claim, acceptedAtMs } = delivery;
  const body = tx.db.get<{ body: string | null }>(FIND_BODY, delivery.eventSeq)?.body ?? null;
  const names = { id, eventId, eventType, accountId, destinationId };
  const times = { dueAtMs: claim.untilMs, createdAtMs: acceptedAtMs, settledAtMs: null };
  const resent = { resentAtMs: null, resentBy: null };
  return { ...names, isTest: false, state: "pending", ...NOT_ATTEMPTED, ...times, ...resent, body, attempts: [] };
}

const FIND_BODY = `-- name: find body of event
  select nullif(body, '') as body
  from events
  where seq = ?`;

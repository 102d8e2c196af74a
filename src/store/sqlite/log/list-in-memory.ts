/**
 * In-memory deliveries as the log shows them: they wait for the end of their first attempt and have no row to read.
 * They are found in the file, as a start finds them: their event names them, and no event before the low-water mark has
 * one. So a list has one state of the file, whatever the writer does meanwhile.
 */
import { UNTRIED_LISTED, UNTRIED_LOADED } from "../../columns.ts";
import type { ListDeliveries, StoredDelivery } from "../../contract/log.ts";
import { findStart, type ListedRow, newestFirst } from "../../sql/log/log-rows.ts";
import type { InMemoryDelivery } from "../in-memory-deliveries.ts";
import { findNewestSeq, loadLowWaterMarks } from "../path/pending-rows.ts";
import { listLists, listSeqsOfSource } from "./list-events.ts";
import type { ReadTransaction } from "../transaction.ts";

interface InMemory extends Pick<InMemoryDelivery, "id" | "eventSeq" | "destinationId" | "acceptedAtMs"> {
  readonly eventId: string;
  readonly eventType: string;
}

/**
 * All accounts' events behind the mark are looked through while they are few: some 0.4 µs each. One slow receiver
 * holds the mark where it is, and a busy node accepts hundreds of thousands in that time. Then each of the account's
 * own lists of events is asked, which costs an account with 2,000 assistants 15 ms.
 */
const LOOKED_THROUGH_MAX = 10_000;

/** The account's. */
export function listInMemory(tx: ReadTransaction, accountId: string): InMemory[] {
  const { inMemoryFrom } = loadLowWaterMarks(tx);
  if (findNewestSeq(tx) - inMemoryFrom < LOOKED_THROUGH_MAX)
    return tx.db.all<InMemory>(LIST_BEHIND_MARK, accountId, inMemoryFrom);
  return listLists(tx, { accountId, type: null }).flatMap((list) =>
    tx.db.all<InMemory>(LIST_IN_LIST, accountId, inMemoryFrom, ...list),
  );
}

export const findInMemory = (tx: ReadTransaction, accountId: string, deliveryId: string): InMemory | null =>
  listInMemory(tx, accountId).find(({ id }) => id === deliveryId) ?? null;

const COLUMNS = `n.key as id, e.seq as "eventSeq", e.id as "eventId", e.type as "eventType",
    n.value as "destinationId", e.accepted_at as "acceptedAtMs"`;

/** What is purged had nothing in memory, and a test has not either. */
const IS_IN_MEMORY = `e.account_id = ?1 and e.seq >= ?2 and e.source_id is not null and octet_length(e.body) > 0
    and not exists (select 1 from deliveries where id = n.key)`;

/** Exported for the test that reads its plan, like the next one. */
export const LIST_BEHIND_MARK = `-- name: list deliveries in memory behind the mark
  select ${COLUMNS}
  from events e not indexed
  cross join json_each(e.deliveries) n
  where ${IS_IN_MEMORY}`;

export const LIST_IN_LIST = `-- name: list deliveries in memory of type and assistant
  select ${COLUMNS}
  from events e indexed by events_listed
  cross join json_each(e.deliveries) n
  where ${IS_IN_MEMORY} and e.type = ?3 and e.assistant_id = ?4`;

type InMemoryRow = ListedRow & { readonly eventType: string };

/** Those that the filter lets through, in no order. One in memory has no answer yet. */
export function listRowsInMemory(tx: ReadTransaction, params: ListDeliveries): InMemoryRow[] {
  const { accountId, statuses, response } = params;
  if (response !== undefined || statuses?.includes("waiting") === false) return [];
  const start = findStart(params);
  const rows = listInMemory(tx, accountId).filter(toFilter(tx, params)).map(toRow);
  return rows.filter((row) => newestFirst(start, row) < 0);
}

function toFilter(tx: ReadTransaction, params: ListDeliveries): (delivery: InMemory) => boolean {
  const { accountId, destinationId, type, createdFromMs = 0, idText } = params;
  const seqs = idText === undefined ? [] : listSeqsOfSource(tx, accountId, idText);
  return ({ id, eventId, eventSeq, ...delivery }) =>
    (destinationId === undefined || delivery.destinationId === destinationId) &&
    (type === undefined || delivery.eventType === type) &&
    delivery.acceptedAtMs >= createdFromMs &&
    (idText === undefined || id === idText || eventId === idText || seqs.includes(eventSeq));
}

/** What it has of its own. Its first attempt is under way: it has been due since it was accepted. */
const ownOf = ({ id, eventId, eventType, destinationId, acceptedAtMs }: InMemory) => ({
  id,
  eventId,
  eventType,
  destinationId,
  dueAtMs: acceptedAtMs,
  createdAtMs: acceptedAtMs,
});

const toRow = (delivery: InMemory): InMemoryRow => ({ ...UNTRIED_LISTED, ...ownOf(delivery) });

export function toStoredInMemory(tx: ReadTransaction, accountId: string, delivery: InMemory): StoredDelivery {
  const body = tx.db.get<{ body: string | null }>(FIND_BODY, delivery.eventSeq)?.body ?? null;
  return { ...UNTRIED_LOADED, ...ownOf(delivery), accountId, body, attempts: [] };
}

const FIND_BODY = `-- name: find body of event
  select nullif(body, '') as body
  from events
  where seq = ?`;

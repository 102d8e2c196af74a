/**
 * Events as they were accepted, with what became of their deliveries. Tests are not among them.
 *
 * The index keeps the events of each type and assistant apart, in the order of their arrival. Events without an
 * assistant lie together. A list of one type joins all its assistants. A list of all types joins their lists.
 */
import type {
  Activity,
  EventBody,
  ListedEvent,
  ListEventBodies,
  ListEvents,
  LoadActivity,
  LoadEvent,
  StoredEvent,
} from "../../contract/log.ts";
import { type EventRow, SUMMARY_COLUMNS, toListedEvent, toStoredEvent } from "../../sql/log/event-rows.ts";
import type { ReadTransaction } from "../transaction.ts";
import { findNewestKeys } from "./newest-keys.ts";
import { loadFingerprints } from "../../sql/log/fingerprints.ts";

export const listEvents = (tx: ReadTransaction, params: ListEvents): ListedEvent[] =>
  listSeqs(tx, params).flatMap((seq) => toList(tx, findEvent(tx, seq)));

function listSeqs(tx: ReadTransaction, { before, limit, ...wanted }: ListEvents): number[] {
  const { accountId } = wanted;
  const lists = listLists(tx, wanted);
  const beforeSeq = before?.seq ?? Number.MAX_SAFE_INTEGER;
  return findNewestKeys<List, number>({ lists, count: limit }, ({ among, each, fromKey }) =>
    among.map((list, place) => {
      const found = tx.db.all<{ seq: number }>(LIST_SEQS, accountId, ...list, beforeSeq, fromKey ?? 0, each);
      return { place, keys: found.map(({ seq }) => seq) };
    }),
  );
}

/** A type, and an assistant of its events, empty where they have none. */
type List = readonly [type: string, assistantId: string];

/** Those that the account has events of. */
export function listLists(
  tx: ReadTransaction,
  { accountId, type, assistantId }: Pick<ListEvents, "accountId" | "type" | "assistantId">,
): List[] {
  const types = type === null ? listTypes(tx, accountId) : [type];
  return types.flatMap((each) => {
    const assistants = assistantId === undefined ? listAssistants(tx, accountId, each) : [assistantId];
    return assistants.map((id) => [each, id] as const);
  });
}

/** Those that there are, in any order. */
export const listEventsOf = (tx: ReadTransaction, eventIds: readonly string[]): ListedEvent[] =>
  eventIds.flatMap((id) => {
    const found = tx.db.get<{ seq: number }>(FIND_SEQ, id);
    return found === undefined ? [] : toList(tx, findEvent(tx, found.seq));
  });

const FIND_SEQ = `-- name: find number of event
  select seq
  from events
  where id = ?`;

/** Those that events of the type have, none first. */
function listAssistants(tx: ReadTransaction, accountId: string, type: string): string[] {
  const assistants = [""];
  for (;;) {
    const next = tx.db.get<{ assistantId: string }>(FIND_NEXT_ASSISTANT, accountId, type, assistants.at(-1) ?? "");
    if (next === undefined) return assistants;
    assistants.push(next.assistantId);
  }
}

export function loadEvent(
  tx: ReadTransaction,
  { accountId, type, sourceId }: LoadEvent,
): (StoredEvent & { deliveryIds: string[] }) | null {
  const seq = findSeqOfSource(tx, { accountId, type, sourceId });
  const event = seq === null ? null : findEvent(tx, seq);
  if (seq === null || event === null) return null;
  const deliveryIds = tx.db.all<{ id: string }>(LIST_DELIVERY_IDS, seq).map(({ id }) => id);
  const body = tx.db.get<{ body: string | null }>(FIND_EVENT_BODY, seq)?.body ?? null;
  return { ...toStoredEvent(tx.types, toListedEvent(tx.types, event), body), deliveryIds };
}

export const listEventBodies = (tx: ReadTransaction, { accountId, eventIds }: ListEventBodies): EventBody[] =>
  tx.db.all<EventBody>(LIST_BODIES, JSON.stringify(eventIds), accountId);

const LIST_BODIES = `-- name: list bodies of events
  select e.id, e.source_id as "sourceId", e.type, nullif(e.body, '') as body
  from json_each(?) wanted
  cross join events e on e.id = wanted.value
  where e.account_id = ? and e.source_id is not null`;

const toList = ({ types }: ReadTransaction, event: EventRow | null): ListedEvent[] =>
  event === null ? [] : [toListedEvent(types, event)];

function findEvent(tx: ReadTransaction, seq: number): EventRow | null {
  const event = tx.db.get<FoundEvent>(FIND_EVENT, seq);
  if (event === undefined) return null;
  const deliveries = tx.db.get<StoredEvent["deliveries"]>(COUNT_DELIVERIES, seq);
  return {
    ...event,
    deliveries: {
      total: deliveries?.total ?? 0,
      delivered: deliveries?.delivered ?? 0,
      failed: deliveries?.failed ?? 0,
    },
  };
}

type FoundEvent = Omit<EventRow, "deliveries">;

/** Exported for the test that reads its plan, like the next one. */
export const LIST_SEQS = `-- name: list newest events of type and assistant
  select seq
  from events indexed by events_listed
  where account_id = ? and type = ? and assistant_id = ? and seq < ? and seq >= ? and source_id is not null
  order by seq desc
  limit ?`;

/** A step over both in one, `(type, assistant_id) > (?, ?)`, would read all events of the type. */
export const FIND_NEXT_ASSISTANT = `-- name: find next assistant with events
  select assistant_id as "assistantId"
  from events indexed by events_listed
  where account_id = ? and type = ? and assistant_id > ? and source_id is not null
  order by assistant_id
  limit 1`;

const FIND_EVENT = `-- name: find event
  select e.seq, e.id, e.source_id as "sourceId", e.type, nullif(e.assistant_id, '') as "assistantId",
    e.accepted_at as "acceptedAtMs", e.not_sent as "notSent", ${SUMMARY_COLUMNS}
  from events e
  left join search_entries s on s.event_id = e.id
  where e.seq = ?`;

const FIND_EVENT_BODY = `-- name: find body of one event
  select nullif(body, '') as body
  from events
  where seq = ?`;

const COUNT_DELIVERIES = `-- name: count deliveries of event
  select count(*) as total, count(*) filter (where state = 'delivered') as delivered,
    count(*) filter (where state = 'failed') as failed
  from events e
  cross join json_each(e.deliveries) n
  left join deliveries d on d.id = n.key
  where e.seq = ?`;

const LIST_DELIVERY_IDS = `-- name: list ids of deliveries of event
  select n.key as id
  from events e
  cross join json_each(e.deliveries) n
  where e.seq = ?
  order by 1`;

/** Numbers of the events of this id: a person who looks for it does not say whether it is a session's. */
export function listSeqsOfSource(tx: ReadTransaction, accountId: string, idText: string): number[] {
  const texts = [...new Set([idText, idText.toLowerCase()])];
  return listTypes(tx, accountId).flatMap((type) =>
    texts.flatMap((sourceId) => findSeqOfSource(tx, { accountId, type, sourceId }) ?? []),
  );
}

/** Those that the account has events of. */
function listTypes(tx: ReadTransaction, accountId: string): string[] {
  const types: string[] = [];
  for (;;) {
    const next = tx.db.get<{ type: string }>(FIND_NEXT_TYPE, accountId, types.at(-1) ?? "");
    if (next === undefined) return types;
    types.push(next.type);
  }
}

const FIND_NEXT_TYPE = `-- name: find next type with events
  select type
  from events indexed by events_listed
  where account_id = ? and type > ? and source_id is not null
  order by type
  limit 1`;

/** `null`: there is no such session or conversation, or its event is purged. */
const findSeqOfSource = (tx: ReadTransaction, { accountId, type, sourceId }: LoadEvent): number | null =>
  tx.db.get<{ seq: number }>(FIND_SEQ_OF_SOURCE, accountId, type, sourceId)?.seq ?? null;

const FIND_SEQ_OF_SOURCE = `-- name: find number of event by its source
  select e.seq
  from event_keys k
  join events e on e.id = k.event_id
  where k.account_id = ? and k.type = ? and k.source_id = ?`;

/* Whether something has happened to an account: a few searches, whatever there is of it, because it is asked often. */

export async function loadActivity(tx: ReadTransaction, { accountId, sinceMs }: LoadActivity): Promise<Activity> {
  const attempts = tx.db.get<{ count: number }>(COUNT_ATTEMPTS, accountId, sinceMs)?.count ?? 0;
  const [newest = 0] = listSeqs(tx, { accountId, type: null, before: null, limit: 1 });
  return { deliveries: `${attempts} ${newest}`, ...(await loadFingerprints(tx, accountId)) };
}

const COUNT_ATTEMPTS = `-- name: count account's attempts of late
  select coalesce(sum(count), 0) as count
  from (
    select count
    from account_attempt_counts
    where account_id = ?1 and at >= ?2 and kind = 'attempt'
    union all
    select count
    from attempt_deltas
    where account_id = ?1 and at >= ?2 and kind = 'attempt'
  )`;

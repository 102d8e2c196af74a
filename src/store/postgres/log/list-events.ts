/**
 * Events as they were accepted, with what became of their deliveries. Tests are not among them.
 *
 * Events lie apart by their type and their assistant, in the order of their arrival; those without an assistant lie
 * together. A list of a type joins those of every assistant, and one of all types those of every type.
 */
import type {
  EventBody,
  ListedEvent,
  ListEventBodies,
  ListEvents,
  LoadEvent,
  StoredEvent,
} from "../../contract/log.ts";
import {
  byDay,
  findDeliveryIds,
  isBehind,
  isIn,
  isInDays,
  toPlaceholders,
  toRanges,
  type Span,
  spansBack,
} from "../days.ts";
import { ASK_TIME } from "../inspect.ts";
import { type EventRow, SUMMARY_COLUMNS, toListedEvent, toStoredEvent } from "../../sql/log/event-rows.ts";
import { IN_MEMORY_OF_EVENT, withRow } from "../path/in-memory.ts";
import type { Transaction } from "../transaction.ts";

export async function listEvents(tx: Transaction, params: ListEvents): Promise<ListedEvent[]> {
  const { limit } = params;
  const now = await tx.db.get<{ nowMs: number }>(ASK_TIME);
  let places: EventPlace[] = [];
  const nowMs = now?.nowMs ?? 0;
  for (const span of spansBack({ newestMs: nowMs, oldestMs: 0, nowMs })) {
    places = [...places, ...(await listPlaces(tx, params, span))].toSorted((a, b) => b.seq - a.seq).slice(0, limit);
    const last = places[limit - 1];
    if (last !== undefined && isBehind(span, last.acceptedAtMs)) break;
  }
  const ids = places.map(({ id }) => id);
  return await listEventsOf(tx, ids);
}

/** Where an event stands in the list. */
interface EventPlace {
  readonly id: string;
  readonly seq: number;
  readonly acceptedAtMs: number;
}

async function listPlaces(tx: Transaction, params: ListEvents, span: Span): Promise<EventPlace[]> {
  const { accountId, type, assistantId, before, limit } = params;
  const beforeSeq = before?.seq ?? Number.MAX_SAFE_INTEGER;
  const values = [accountId, type ?? "", beforeSeq, limit, ...toPlaceholders(span.ids("evt"))];
  if (type === null) return await tx.db.all<EventPlace>(LIST_PLACES_OF_ALL, ...values);
  if (assistantId === undefined) return await tx.db.all<EventPlace>(LIST_PLACES, ...values);
  return await tx.db.all<EventPlace>(LIST_PLACES_OF_ASSISTANT, ...values, assistantId);
}

export async function loadEvent(
  tx: Transaction,
  { accountId, type, sourceId }: LoadEvent,
): Promise<(StoredEvent & { deliveryIds: string[] }) | null> {
  const found = await tx.db.get<{ id: string }>(FIND_ID, accountId, type, sourceId);
  const [event] = found === undefined ? [] : await findEvents(tx, [found.id]);
  if (event === undefined) return null;
  const ids = toPlaceholders(findDeliveryIds(event.id));
  const deliveries = await tx.db.all<{ id: string }>(LIST_DELIVERY_IDS, event.id, ...ids);
  const kept = await tx.db.get<{ body: string | null }>(FIND_BODY, event.id);
  return {
    ...toStoredEvent(tx.types, toListedEvent(tx.types, event), kept?.body ?? null),
    deliveryIds: deliveries.map(({ id }) => id),
  };
}

export const listEventBodies = (tx: Transaction, { accountId, eventIds }: ListEventBodies): Promise<EventBody[]> =>
  tx.db.all<EventBody>(LIST_BODIES, eventIds, accountId);

const LIST_BODIES = `-- name: list bodies of events
  select e.id, e.source_id as "sourceId", e.type, nullif(e.body, '') as body
  from events e
  where e.id = any ($1::text[]) and e.account_id = $2 and e.source_id is not null`;

/** Ids of the events that tell about it: a person who looks for it does not say of which type it is. */
export async function listIdsOfSource(tx: Transaction, accountId: string, idText: string): Promise<string[]> {
  const sourceIds = [...new Set([idText, idText.toLowerCase()])];
  const found = await tx.db.all<{ id: string }>(LIST_EVENTS_OF_SOURCE, accountId, sourceIds);
  return found.map(({ id }) => id);
}

/** Newest first. */
async function findEvents(tx: Transaction, ids: readonly string[]): Promise<EventRow[]> {
  if (ids.length === 0) return [];
  const [rows, counts] = await Promise.all([
    tx.db.all<Omit<EventRow, "deliveries">>(FIND_EVENTS, ids),
    countDeliveries(tx, ids),
  ]);
  return rows.map((row) => ({ ...row, deliveries: counts.get(row.id) ?? { total: 0, delivered: 0, failed: 0 } }));
}

/** Those that there are, in any order. */
export const listEventsOf = async (tx: Transaction, ids: readonly string[]): Promise<ListedEvent[]> =>
  (await findEvents(tx, ids)).map((event) => toListedEvent(tx.types, event));

/** A statement for each day: one for all would be planned for all. */
async function countDeliveries(
  tx: Transaction,
  eventIds: readonly string[],
): Promise<ReadonlyMap<string, StoredEvent["deliveries"]>> {
  const counted = await Promise.all(
    byDay(eventIds).map(({ ids, day }) =>
      tx.db.all<CountRow>(COUNT_DELIVERIES, ids, ...toRanges(ids), ...toPlaceholders(day)),
    ),
  );
  return new Map(counted.flat().map(({ eventId, ...counts }) => [eventId, counts]));
}

type CountRow = StoredEvent["deliveries"] & { readonly eventId: string };

/** Of each place in `assistants` the newest events, and the newest of these. */
const newestOfEach = (type: "$2" | "a.type"): string => `from assistants a
  cross join lateral (
    select e.id, e.seq, e.accepted_at
    from events e
    where e.account_id = $1 and e.type = ${type} and e.assistant_id = a.id and e.source_id is not null and e.seq < $3
      and ${isIn("e.id", 5)}
    order by e.seq desc
    limit $4
  ) newest
  order by newest.seq desc
  limit $4`;

/** Exported for the test that reads its plan. Steps from one assistant to the next in the index. */
export const LIST_PLACES = `-- name: list newest events of account
  with recursive assistants (id) as (
    select ''::text collate "C"
    union all
    select (
      select min(e.assistant_id)
      from events e
      where e.account_id = $1 and e.type = $2 and e.assistant_id > a.id and e.source_id is not null
        and ${isIn("e.id", 5)}
    )
    from assistants a
    where a.id is not null
  )
  select newest.id, newest.seq, newest.accepted_at as "acceptedAtMs"
  ${newestOfEach("$2")}`;

/** Steps from one type and assistant to the next in the index, behind the type `$2`, which is none. */
export const LIST_PLACES_OF_ALL = `-- name: list newest events of all types
  with recursive assistants (type, id) as (
    select $2::text collate "C", ''::text collate "C"
    union all
    select next.type, next.assistant_id
    from assistants a
    cross join lateral (
      select e.type, e.assistant_id
      from events e
      where e.account_id = $1 and (e.type, e.assistant_id) > (a.type, a.id) and e.source_id is not null
        and ${isIn("e.id", 5)}
      order by e.type, e.assistant_id
      limit 1
    ) next
  )
  select newest.id, newest.seq, newest.accepted_at as "acceptedAtMs"
  ${newestOfEach("a.type")}`;

const LIST_PLACES_OF_ASSISTANT = `-- name: list newest events of assistant
  select e.id, e.seq, e.accepted_at as "acceptedAtMs"
  from events e
  where e.account_id = $1 and e.type = $2 and e.assistant_id = $9 and e.source_id is not null and e.seq < $3
    and ${isIn("e.id", 5)}
  order by seq desc
  limit $4`;

const FIND_ID = `-- name: find event by its source
  select event_id as id
  from event_keys k
  where k.account_id = $1 and k.type = $2 and k.source_id = $3`;

/** Steps from one type to the next in the index. */
const LIST_EVENTS_OF_SOURCE = `-- name: list events of source
  with recursive types (type) as (
    select min(k.type)
    from event_keys k
    where k.account_id = $1
    union all
    select (
      select min(k.type)
      from event_keys k
      where k.account_id = $1 and k.type > t.type
    )
    from types t
    where t.type is not null
  )
  select k.event_id as id
  from types t
  cross join lateral (
    select k.event_id
    from event_keys k
    where k.account_id = $1 and k.type = t.type and k.source_id = any ($2::text[])
  ) k`;

const FIND_EVENTS = `-- name: find events
  select e.seq, e.id, e.source_id as "sourceId", e.type, nullif(e.assistant_id, '') as "assistantId",
    e.accepted_at as "acceptedAtMs", e.not_sent as "notSent", ${SUMMARY_COLUMNS}
  from events e
  left join search_entries s on s.event_id = e.id and s.event_id = any ($1::text[])
  where e.id = any ($1::text[])
  order by e.seq desc`;

const FIND_BODY = `-- name: find body of event
  select nullif(body, '') as body
  from events e
  where e.id = $1`;

/** Those in memory have no row: their event names them. */
const COUNT_DELIVERIES = `-- name: count deliveries of events
  select given.event_id as "eventId", counted.total + in_memory.total as total, counted.delivered, counted.failed
  from unnest($1::text[], $2::text[], $3::text[]) as given (event_id, first, behind)
  cross join lateral (
    select count(1) as total, count(1) filter (where d.state = 'delivered') as delivered,
      count(1) filter (where d.state = 'failed') as failed
    from deliveries d
    where d.event_id = given.event_id and d.id >= given.first and d.id < given.behind and ${isInDays("d", 4)}
  ) counted
  cross join lateral (
    select count(1) as total
    from events e
    ${IN_MEMORY_OF_EVENT}
    ${withRow(4)}
    where e.id = given.event_id and e.id = any ($1::text[]) and e.body <> '' and row_of.id is null
  ) in_memory`;

const LIST_DELIVERY_IDS = `-- name: list ids of deliveries of event
  select d.id
  from deliveries d
  where d.event_id = $1 and ${isInDays("d", 2)}
  union
  select named.id
  from events e
  ${IN_MEMORY_OF_EVENT}
  where e.id = $1 and e.body <> ''
  order by 1`;

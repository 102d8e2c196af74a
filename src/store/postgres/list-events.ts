/**
 * Sessions and conversations as they were accepted, with what became of their deliveries. Tests are not among them.
 *
 * Events lie apart by their assistant, in the order of their arrival. Sessions have none, so they are one such row of
 * events; all conversations are those of every assistant, joined.
 */
import type { ListEvents, LoadEvent, StoredEvent } from "../dashboard-verbs.ts";
import type { Transaction } from "./transaction.ts";

export async function listEvents(tx: Transaction, params: ListEvents): Promise<StoredEvent[]> {
  const { accountId, type, assistantId, before, limit } = params;
  const beforeSeq = before?.seq ?? Number.MAX_SAFE_INTEGER;
  // Sessions have no assistant, whatever is asked for.
  const seqs =
    assistantId === undefined || type === "demo_viewed"
      ? await tx.db.all<{ seq: number }>(LIST_SEQS, accountId, type, beforeSeq, limit)
      : await tx.db.all<{ seq: number }>(LIST_SEQS_OF_ASSISTANT, accountId, type, beforeSeq, limit, assistantId);
  return await findEvents(
    tx,
    seqs.map(({ seq }) => seq),
  );
}

export async function loadEvent(
  tx: Transaction,
  { accountId, type, sourceId }: LoadEvent,
): Promise<(StoredEvent & { deliveryIds: string[] }) | null> {
  // It comes from an address that anybody may write by hand.
  if (!UUID.test(sourceId)) return null;
  const found = await tx.db.get<{ seq: number }>(FIND_SEQ, accountId, type, sourceId);
  const [event] = found === undefined ? [] : await findEvents(tx, [found.seq]);
  if (found === undefined || event === undefined) return null;
  const deliveries = await tx.db.all<{ id: string }>(LIST_DELIVERY_IDS, found.seq);
  return { ...event, deliveryIds: deliveries.map(({ id }) => id) };
}

const UUID = /^[\da-f]{8}-(?:[\da-f]{4}-){3}[\da-f]{12}$/i;

/** Newest first. */
async function findEvents(tx: Transaction, seqs: readonly number[]): Promise<StoredEvent[]> {
  if (seqs.length === 0) return [];
  const rows = await tx.db.all<EventRow>(FIND_EVENTS, seqs);
  return rows.map(({ total, delivered, failed, ...event }) => ({ ...event, deliveries: { total, delivered, failed } }));
}

type EventRow = Omit<StoredEvent, "deliveries"> & StoredEvent["deliveries"];

/** Exported for the test that reads its plan, like the next one. Steps from one assistant to the next in the index. */
export const LIST_SEQS = `-- name: list newest events of account
  with recursive assistants (id) as (
    select ''::text collate "C"
    union all
    select (
      select min(e.assistant_id)
      from events e
      where e.account_id = $1 and e.type = $2 and e.assistant_id > a.id and e.source_id is not null
    )
    from assistants a
    where a.id is not null
  )
  select newest.seq
  from assistants a
  cross join lateral (
    select e.seq
    from events e
    where e.account_id = $1 and e.type = $2 and e.assistant_id = a.id and e.source_id is not null and e.seq < $3
    order by e.seq desc
    limit $4
  ) newest
  order by newest.seq desc
  limit $4`;

export const LIST_SEQS_OF_ASSISTANT = `-- name: list newest events of assistant
  select seq
  from events
  where account_id = $1 and type = $2 and assistant_id = $5 and source_id is not null and seq < $3
  order by seq desc
  limit $4`;

const FIND_SEQ = `-- name: find event by its source
  select e.seq
  from event_keys k
  join events e on e.id = k.event_id
  where k.account_id = $1 and k.type = $2 and k.source_id = $3::uuid`;

const FIND_EVENTS = `-- name: find events with counts of their deliveries
  select e.seq, e.id, e.source_id as "sourceId", e.type, nullif(e.assistant_id, '') as "assistantId",
    e.accepted_at as "acceptedAtMs", nullif(e.body, '') as body, counted.total, counted.delivered, counted.failed
  from events e
  cross join lateral (
    select count(1) as total, count(1) filter (where state = 'delivered') as delivered,
      count(1) filter (where state = 'failed') as failed
    from deliveries
    where event_seq = e.seq
  ) counted
  where e.seq = any ($1::bigint[])
  order by e.seq desc`;

const LIST_DELIVERY_IDS = `-- name: list ids of deliveries of event
  select id
  from deliveries
  where event_seq = $1
  order by id`;

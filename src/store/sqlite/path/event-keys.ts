/** Keys against repeats: whether a session or conversation is known, and by which event. */
import type { EventKey, RecentKey } from "./recent-keys.ts";
import type { Transaction } from "../transaction.ts";

/** Older keys that are merged for each event that comes in, so that a generation is done before the next is full. */
const MERGED_FOR_EACH = 2;

export interface FirstEvent {
  readonly eventId: string;
  readonly deliveries: number;
}

/** The event that brought the key first; `null`: the key is new. */
export function findFirstEvent(tx: Transaction, key: EventKey): FirstEvent | null {
  const recent = tx.keys.findSeq(key);
  const row = recent === null ? undefined : tx.db.get<FirstEvent>(FIND_EVENT, recent);
  // An event that is purged has left its id with its key.
  if (row !== undefined) return row;
  const known = tx.db.get<KeyRow>(FIND_KEY, key.accountId, key.type, key.source);
  if (known === undefined) return null;
  const { seq, eventId, deliveries } = known;
  if (eventId !== null && deliveries !== null) return { eventId, deliveries };
  return tx.db.get<FirstEvent>(FIND_EVENT, seq) ?? null;
}

/** The number of its event, purged or not; `null`: no such session or conversation. */
export function findEventSeq(tx: Transaction, key: EventKey): number | null {
  const recent = tx.keys.findSeq(key);
  return recent ?? tx.db.get<KeyRow>(FIND_KEY, key.accountId, key.type, key.source)?.seq ?? null;
}

/** Merges some keys, because `accepted` new ones have come in. */
export function mergeSomeKeys(tx: Transaction, accepted: number): void {
  const slice = tx.keys.take(accepted * MERGED_FOR_EACH);
  for (const { accountId, type, source, seq } of slice) tx.db.run(INSERT_KEY, accountId, type, source, seq);
  const mergedTo = tx.keys.findMergedTo();
  if (mergedTo !== null) tx.db.run(SAVE_MERGED, mergedTo);
}

/** For a database that is only read from now on. */
export function mergeAllKeys(tx: Transaction): void {
  for (const { accountId, type, source, seq } of tx.keys.all()) tx.db.run(INSERT_KEY, accountId, type, source, seq);
}

/** For the start. */
export function loadRecentKeys(tx: Transaction): void {
  for (const key of tx.db.each<RecentKey>(LIST_RECENT)) tx.keys.add(key, key.seq);
}

/** Before an event goes: its key stays, and tells what a repeat is answered. */
export function keepKeyOf(tx: Transaction, eventSeq: number): void {
  tx.db.run(KEEP_KEY, eventSeq);
}

interface KeyRow {
  readonly seq: number;
  readonly eventId: string | null;
  readonly deliveries: number | null;
}

const FIND_KEY = `-- name: find event key
  select event_seq as seq, event_id as "eventId", deliveries
  from event_keys
  where account_id = ? and type = ? and source_id = ?`;

const FIND_EVENT = `-- name: find event of key
  select id as "eventId", (select count(*) from json_each(events.deliveries)) as deliveries
  from events
  where seq = ?`;

const INSERT_KEY = `-- name: merge event key
  insert into event_keys (account_id, type, source_id, event_seq)
  values (?, ?, ?, ?)
  on conflict do nothing`;

const SAVE_MERGED = `-- name: save mark of merged keys
  update path_marks
  set keys_from = ?`;

const LIST_RECENT = `-- name: list events with keys that are not merged yet
  select account_id as "accountId", type, source_id as source, seq
  from events
  where seq >= (select keys_from from path_marks) and source_id is not null`;

const KEEP_KEY = `-- name: keep key of event that goes
  insert into event_keys (account_id, type, source_id, event_seq, event_id, deliveries)
  select account_id, type, source_id, seq, id, (select count(*) from json_each(events.deliveries))
  from events
  where seq = ? and source_id is not null
  on conflict do update
  set event_id = excluded.event_id, deliveries = excluded.deliveries`;

/**
 * Keys against repeats on PostgreSQL: which event of a batch is the first of its source, and which were known.
 *
 * They are inserted beside the query that loads what decides events, which saves a round trip, so a key may
 * stand for an event that is refused after all. It goes again before the commit, and no other transaction has seen it.
 *
 * Nearly all keys are new, and `on conflict` makes the server write each one twice: 48 bytes of log, and a tenth of its
 * CPU. So they are inserted plainly, and where one is known the transaction fails and runs again (`../repeats.ts`).
 */
import { assert } from "../../../lib/assert.ts";
import type { NewEvent } from "../../contract/path.ts";
import { givenRows } from "./given-rows.ts";
import type { Transaction } from "../transaction.ts";
import type { Value } from "../connection/connection.ts";

/** An event that was given to an accept, with its key. */
export interface KeyedEvent {
  readonly event: NewEvent;
  readonly key: string;
}

export interface KnownKey {
  /** The event of this batch that brought the key, or `null`: it was known before. */
  readonly first: KeyedEvent | null;
  readonly eventId: string;
  readonly deliveries: number;
}

/** Keys of the batch with the event that each one belongs to. */
export async function insertKeys(tx: Transaction, given: readonly KeyedEvent[]): Promise<Map<string, KnownKey>> {
  const known = new Map<string, KnownKey>();
  const firsts = given.filter((item) => {
    if (known.has(item.key)) return false;
    known.set(item.key, { first: item, eventId: item.event.id, deliveries: item.event.deliveries.length });
    return true;
  });
  if (firsts.length === 0) return known;
  const rows = GIVEN_KEYS.toValues(firsts.map(keyRow));
  if (tx.node.repeats.countAsking()) {
    for (const row of await insertUnlessKnown(tx, firsts, rows)) known.set(toKey(row), { ...row, first: null });
  } else await tx.db.run(INSERT_NEW_KEYS, ...rows);
  return known;
}

/** Returns the keys that were known before. */
async function insertUnlessKnown(tx: Transaction, given: readonly KeyedEvent[], rows: Value[]): Promise<KeyRow[]> {
  const inserted = await tx.db.all<{ eventId: string }>(INSERT_KEYS_UNLESS_KNOWN, ...rows);
  if (inserted.length === given.length) return [];
  tx.planAnew();
  const ids = new Set(inserted.map(({ eventId }) => eventId));
  const repeated = given.filter(({ event }) => !ids.has(event.id));
  const known = await tx.db.all<KeyRow>(FIND_EVENT_KEYS, ...GIVEN_KEYS.toValues(repeated.map(keyRow)));
  assert(known.length === repeated.length, `${repeated.length} keys are known, and ${known.length} were found`);
  return known;
}

/**
 * Keys are inserted before it is known whether events were decided with what holds, which hardly ever changes. Those of
 * events that were not go again, and a valid event that has the same one gets it.
 */
export async function takeBackKeys(
  tx: Transaction,
  inserted: ReadonlyMap<string, KnownKey>,
  valid: readonly KeyedEvent[],
): Promise<ReadonlyMap<string, KnownKey>> {
  const isValid = new Set(valid);
  const mistaken = [...inserted.values()].flatMap(({ first }) => (first === null || isValid.has(first) ? [] : first));
  if (mistaken.length === 0) return inserted;
  await tx.db.run(TAKE_BACK_EVENT_KEYS, ...GIVEN_KEYS.toValues(mistaken.map(keyRow)));
  const keys = new Set(mistaken.map(({ key }) => key));
  const again = await insertKeys(
    tx,
    valid.filter(({ key }) => keys.has(key)),
  );
  return new Map([...inserted, ...again]);
}

/** Those of the repeats that have another body than the first event of their key, as far as that one is still there. */
export async function findDiffering(
  { db }: Transaction,
  known: ReadonlyMap<string, KnownKey>,
  repeats: readonly KeyedEvent[],
): Promise<ReadonlySet<KeyedEvent>> {
  const ids = repeats.map(({ key }) => known.get(key)?.eventId ?? "");
  const bodies = repeats.map(({ event }) => event.body);
  const found = await db.all<{ place: number }>(FIND_DIFFERING, ids, bodies);
  return new Set(found.flatMap(({ place }) => repeats[place - 1] ?? []));
}

const keyRow = ({ event: { id, accountId, type, sourceId, deliveries } }: KeyedEvent) => ({
  account_id: accountId,
  type,
  source_id: sourceId,
  event_id: id,
  deliveries: deliveries.length,
});

/** An account's id may have any character but a line's end. */
export const toKey = ({ accountId, type, sourceId }: Pick<NewEvent, "accountId" | "type" | "sourceId">): string =>
  `${accountId}\n${type}\n${sourceId}`;

interface KeyRow extends Pick<NewEvent, "accountId" | "type" | "sourceId"> {
  readonly eventId: string;
  readonly deliveries: number;
}

const GIVEN_KEYS = givenRows({
  account_id: "text",
  type: "text",
  source_id: "text",
  event_id: "text",
  deliveries: "integer",
});

/** In the order of the keys, so that two batches with the same ones wait for each other in one direction only. */
const insertKeysAs = (name: string, unlessKnown = ""): string => `-- name: insert ${name}
  insert into event_keys (account_id, type, source_id, event_id, deliveries)
  select account_id, type, source_id, event_id, deliveries
  from (select ${GIVEN_KEYS.columns}) as given
  order by account_id collate "C", type collate "C", source_id
  ${unlessKnown}`;

const INSERT_NEW_KEYS = insertKeysAs("new event keys");
const INSERT_KEYS_UNLESS_KNOWN = insertKeysAs(
  "event keys unless known",
  'on conflict do nothing returning event_id as "eventId"',
);

const TAKE_BACK_EVENT_KEYS = `-- name: take back event keys
  delete from event_keys k
  using unnest(${GIVEN_KEYS.arrays}) as given (${GIVEN_KEYS.names})
  where k.account_id = given.account_id and k.type = given.type and k.source_id = given.source_id
    and k.event_id = given.event_id`;

const FIND_EVENT_KEYS = `-- name: find event keys
  select k.account_id as "accountId", k.type, k.source_id as "sourceId", k.event_id as "eventId", k.deliveries
  from unnest(${GIVEN_KEYS.arrays}) as given (${GIVEN_KEYS.names})
  join event_keys k
    on k.account_id = given.account_id and k.type = given.type and k.source_id = given.source_id`;

/** The ids alone say which days are looked into. */
const FIND_DIFFERING = `-- name: find bodies that differ
  select given.place::integer
  from unnest($1::text[], $2::text[]) with ordinality as given (event_id, body, place)
  join events e on e.id = given.event_id
  where e.id = any ($1::text[]) and e.body <> '' and e.body <> given.body`;

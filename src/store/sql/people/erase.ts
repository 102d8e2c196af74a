/**
 * Erasing a person, event by event along the account's own index: a step looks at its next ones, and empties those that
 * have the person's e-mail address. An emptied event is like one whose retention is over, so everything that reads
 * events knows it already; its key against repeats, its rows and all counts stay.
 *
 * Invariant: nothing of an event is emptied while a node has a delivery of it in hand, because that node writes down
 * what its receiver answers. Such an event is left to a later call; what merely waits is cancelled, and no claim is
 * left whose settlement could write anything afterwards.
 */
import { createMentions } from "../../../domain/mentions.ts";
import type { ReplayFilter } from "../../../domain/replay.ts";
import type { ErasedPart, ErasePerson } from "../../contract/people.ts";
import type { Dialect } from "../dialect.ts";
import { forgetEntriesOf } from "../log/search-blocks.ts";
import type { SqlTransaction } from "../transaction.ts";

export async function erasePerson<Tx extends SqlTransaction>(
  tx: Tx,
  params: ErasePerson,
  dialect: Dialect<Tx>,
): Promise<ErasedPart> {
  const { accountId, email, after, eventsMax, bytesMax } = params;
  await dialect.beginErasing(tx, params);
  const replays = after === "" ? await eraseReplays(tx, { accountId, email }) : 0;
  const { ids, next } = await listNext(tx, { accountId, after, eventsMax, bytesMax }, dialect);
  const part = { events: 0, answers: 0, cancelled: 0, searches: replays, inFlight: 0 };
  const mentions = createMentions(email);
  for (const id of ids) {
    const event = await tx.db.get<{ body: string }>(LOCK_EVENT, id);
    if (event === undefined || event.body === "" || !mentions(event.body)) continue;
    const erased = await eraseEvent(tx, { id, nowMs: params.nowMs }, dialect);
    if (erased === null) {
      part.inFlight += 1;
      continue;
    }
    part.events += 1;
    part.answers += erased.answers;
    part.cancelled += erased.cancelled;
    await forgetEntriesOf(tx, id, dialect);
  }
  if (next === null) await dialect.endErasing(tx);
  return { ...part, next };
}

interface EraseEvent {
  readonly id: string;
  readonly nowMs: number;
}

/** `null`: a node has something of it in hand. */
async function eraseEvent<Tx extends SqlTransaction>(
  tx: Tx,
  { id, nowMs }: EraseEvent,
  { holdDeliveriesOf, cancelDeliveries, shortenQueue, eraseAnswers }: Dialect<Tx>,
): Promise<{ readonly answers: number; readonly cancelled: number } | null> {
  const held = await holdDeliveriesOf(tx, id, nowMs);
  if (held === null) return null;
  const waiting = held.filter(({ isWaiting }) => isWaiting === true || isWaiting === 1);
  const cancelled = await cancelDeliveries(
    tx,
    waiting.map((delivery) => delivery.id),
    nowMs,
  );
  for (const [destinationId, own] of Map.groupBy(waiting, (delivery) => delivery.destinationId ?? "")) {
    await shortenQueue(tx, destinationId, own.length);
  }
  const ids = held.map((delivery) => delivery.id);
  const answers = ids.length === 0 ? 0 : await eraseAnswers(tx, ids);
  await tx.db.run(EMPTY_EVENT, id);
  return { answers, cancelled };
}

interface ListedEvent {
  readonly id: string;
  readonly bytes: number;
}

interface Place {
  readonly type: string;
  readonly assistantId: string;
  readonly seq: number;
  readonly isTest: boolean | 0 | 1;
}

/** Also where the event has gone since: what is emptied already costs little to pass. */
const START: Place = { type: "", assistantId: "", seq: 0, isTest: false };

/** The account's next events, whose bodies are `bytesMax` together; one at least. Those of tests come last. */
async function listNext<Tx extends SqlTransaction>(
  { db }: Tx,
  { accountId, after, eventsMax, bytesMax }: Omit<ErasePerson, "email" | "nowMs">,
  { listTests }: Dialect<Tx>,
): Promise<{ readonly ids: readonly string[]; readonly next: string | null }> {
  const { type, assistantId, seq, isTest } = (await db.get<Place>(FIND_PLACE, after)) ?? START;
  const isAmongTests = isTest === true || isTest === 1;
  const next: ListedEvent[] = [];
  const add = async (sql: string, ...values: readonly (string | number)[]): Promise<void> => {
    if (next.length < eventsMax) next.push(...(await db.all<ListedEvent>(sql, ...values, eventsMax - next.length)));
  };
  if (!isAmongTests) {
    await add(LIST_REST, accountId, type, assistantId, seq);
    await add(LIST_NEXT, accountId, type, assistantId);
  }
  await add(listTests, accountId, isAmongTests ? after : "");
  const ids: string[] = [];
  let bytes = 0;
  for (const event of next) {
    if (event.bytes === 0) continue;
    if (bytes > 0 && bytes + event.bytes > bytesMax) return { ids, next: before(next, event) };
    bytes += event.bytes;
    ids.push(event.id);
  }
  return { ids, next: next.length < eventsMax ? null : (next.at(-1)?.id ?? null) };
}

const before = (listed: readonly ListedEvent[], event: ListedEvent): string =>
  listed[listed.indexOf(event) - 1]?.id ?? "";

/** What a replay was asked for may be a search for the person. The deliveries that it is about are noted apart. */
async function eraseReplays(
  tx: SqlTransaction,
  { accountId, email }: Pick<ErasePerson, "accountId" | "email">,
): Promise<number> {
  const mentions = createMentions(email);
  const replays = await tx.db.all<{ id: string; filter: string }>(LIST_REPLAYS, accountId);
  const found = replays.filter(({ filter }) => mentions(filter));
  for (const { id, filter } of found) await tx.db.run(CHANGE_FILTER, withoutText(filter), id);
  return found.length;
}

function withoutText(filter: string): string {
  const { q: _, ...rest } = JSON.parse(filter) as ReplayFilter;
  return JSON.stringify(rest);
}

const FIND_PLACE = `-- name: find place of event to erase from
  select type, assistant_id as "assistantId", seq, source_id is null as "isTest"
  from events
  where id = $1`;

/** The same type and assistant; SQLite searches by a row's number only where all before it are given. */
export const LIST_REST = `-- name: list rest of events to erase from
  select id, octet_length(body) as bytes
  from events
  where account_id = $1 and source_id is not null and type = $2 and assistant_id = $3 and seq > $4
  order by seq
  limit $5`;

export const LIST_NEXT = `-- name: list next events to erase from
  select id, octet_length(body) as bytes
  from events
  where account_id = $1 and source_id is not null and (type, assistant_id) > ($2, $3)
  order by type, assistant_id, seq
  limit $4`;

/** Events of tests are in no list, and so in no index: their deliveries lead to them, by the event's `key`. */
export const listTests = (
  key: "id" | "seq",
  isTest: "is_test" | "is_test = 1",
): string => `-- name: list next events of tests to erase from
  select e.id, octet_length(e.body) as bytes
  from events e
  where e.source_id is null and e.id > $2 and e.${key} in (
      select d.event_${key}
      from deliveries d
      where d.account_id = $1 and d.${isTest}
    )
  order by e.id
  limit $3`;

/** Before its deliveries, as a purge and a resend do. */
const LOCK_EVENT = `-- name: lock event to erase
  select body
  from events
  where id = $1
  for update`;

const EMPTY_EVENT = `-- name: empty erased event
  update events
  set body = '', trace_context = null
  where id = $1`;

const LIST_REPLAYS = `-- name: list filters of replays
  select id, filter
  from replays
  where account_id = $1`;

const CHANGE_FILTER = `-- name: change filter of replay
  update replays
  set filter = $1
  where id = $2`;

/**
 * Erasing a person, event by event along the account's own index: a step looks at its next ones with their attempts,
 * and empties what has the person's e-mail address. An emptied event is like one whose retention is over, so everything
 * that reads events knows it already; its rows and all counts stay, and so does its key against repeats, unless that is
 * the address itself. Where only an attempt has it, the event stays as it is.
 *
 * Invariant: nothing of an event is emptied while a node has a delivery of it in hand, because that node writes down
 * what its receiver answers. Such an event is left to a later call; what merely waits is cancelled, and no claim is
 * left whose settlement could write anything afterwards.
 */
import type { AttemptRecord } from "../../../domain/attempt.ts";
import { createMentions, type Mentions } from "../../../domain/mentions.ts";
import type { ReplayFilter } from "../../../domain/replay.ts";
import type { ErasedPart, ErasePerson } from "../../contract/people.ts";
import type { Dialect } from "../dialect.ts";
import { forgetEntriesOf } from "../log/search-blocks.ts";
import type { SqlTransaction } from "../transaction.ts";
import { listViews, putView } from "./saved-views.ts";

export async function erasePerson<Tx extends SqlTransaction>(
  tx: Tx,
  params: ErasePerson,
  dialect: Dialect<Tx>,
): Promise<ErasedPart> {
  const { accountId, email, after, eventsMax, bytesMax } = params;
  await dialect.beginErasing(tx, params);
  const ending = readEnding(after);
  if (ending !== null) return { ...NOTHING, next: await endErasing(tx, ending, dialect) };
  const searches = after === "" ? await eraseSearches(tx, { accountId, email }) : 0;
  const { ids, next } = await listNext(tx, { accountId, after, eventsMax, bytesMax }, dialect);
  const part = { ...NOTHING, searches };
  const mentions = createMentions(email);
  const inAttempts = await listMentioned(tx, { ids, mentions }, dialect);
  const seen = await Promise.all(ids.map(async (id) => await tx.db.get<LockedEvent>(FIND_EVENT, id)));
  for (const [place, id] of ids.entries()) {
    const { body, beside } = seen[place] ?? GONE;
    if (!mentions(body) && !mentions(beside) && !inAttempts.has(id)) continue;
    const event = (await tx.db.get<LockedEvent>(LOCK_EVENT, id)) ?? GONE;
    const isAbout = mentions(event.body);
    const cancelled = isAbout ? await eraseEvent(tx, { id, nowMs: params.nowMs }, dialect) : 0;
    if (cancelled === null) {
      part.inFlight += 1;
      continue;
    }
    part.events += isAbout ? 1 : 0;
    part.cancelled += cancelled;
    if (mentions(event.beside)) await emptyBeside(tx, { ...event, id, accountId }, mentions);
    if (isAbout || inAttempts.has(id)) part.answers += await emptyAttempts(tx, { id, isAbout, mentions }, dialect);
  }
  return { ...part, next: next ?? (await endErasing(tx, 0, dialect)) };
}

const NOTHING = { events: 0, answers: 0, cancelled: 0, searches: 0, inFlight: 0 };

async function endErasing<Tx extends SqlTransaction>(
  tx: Tx,
  step: number,
  dialect: Dialect<Tx>,
): Promise<string | null> {
  return (await dialect.endErasing(tx, step)) ? null : `end.${step + 1}`;
}

/** Which step behind the last event it is; `null`: the place of an event. */
function readEnding(after: string): number | null {
  const [, step] = /^end\.(\d+)$/.exec(after) ?? [];
  return step === undefined ? null : Number(step);
}

interface LockedEvent {
  readonly type: string;
  readonly sourceId: string | null;
  readonly body: string;
  /** All else in its row that may come from outside. */
  readonly beside: string;
}

const GONE: LockedEvent = { type: "", sourceId: null, body: "", beside: "" };

/** So many events' attempts are in memory at once: they have 16 KiB of an answer each. */
const EVENTS_AT_ONCE = 50;

/** Events with an attempt that has the address. Read before any lock, so it is asked again under one. */
async function listMentioned<Tx extends SqlTransaction>(
  tx: Tx,
  { ids, mentions }: { readonly ids: readonly string[]; readonly mentions: Mentions },
  { listAttempts }: Dialect<Tx>,
): Promise<ReadonlySet<string>> {
  const found = new Set<string>();
  for (let at = 0; at < ids.length; at += EVENTS_AT_ONCE) {
    for (const { eventId, attempt } of await listAttempts(tx, ids.slice(at, at + EVENTS_AT_ONCE))) {
      if (mentions(textOf(attempt))) found.add(eventId);
    }
  }
  return found;
}

interface EmptyAttempts {
  readonly id: string;
  /** Its receivers may have sent back any part of it. */
  readonly isAbout: boolean;
  readonly mentions: Mentions;
}

async function emptyAttempts<Tx extends SqlTransaction>(
  tx: Tx,
  { id, isAbout, mentions }: EmptyAttempts,
  { listAttempts, emptyAttempt }: Dialect<Tx>,
): Promise<number> {
  const attempts = await listAttempts(tx, [id]);
  const says = (attempt: AttemptRecord): boolean => answerOf(attempt) !== "" || attempt.sent !== undefined;
  const found = attempts.filter(({ attempt }) => mentions(textOf(attempt)) || (isAbout && says(attempt)));
  for (const { deliveryId, attempt } of found) {
    // Without its event nothing can be made again; the hash would only tell whether a guess at it is right.
    const { sent: _, ...rest } = attempt;
    await emptyAttempt(tx, deliveryId, without(isAbout ? rest : attempt, mentions));
  }
  return found.length;
}

function answerOf({ result: { outcome } }: AttemptRecord): string {
  if (outcome.kind !== "response") return "";
  const { headers, body } = outcome.response;
  return [...Object.entries(headers).flat(), Buffer.from(body).toString()].join("\n");
}

function textOf(attempt: AttemptRecord): string {
  const { url, requestHeaders, result } = attempt;
  const message = "message" in result.outcome ? (result.outcome.message ?? "") : "";
  return [url, ...Object.entries(requestHeaders).flat(), message, answerOf(attempt)].join("\n");
}

/** Its answer is left to the statement that writes it. */
function without(attempt: AttemptRecord, mentions: Mentions): AttemptRecord {
  const { url, requestHeaders, result } = attempt;
  const { outcome } = result;
  const isTold = "message" in outcome && mentions(outcome.message ?? "");
  return {
    ...attempt,
    url: mentions(url) ? new URL(url).origin : url,
    requestHeaders: Object.fromEntries(Object.entries(requestHeaders).filter((header) => !mentions(header.join("\n")))),
    result: isTold ? { ...result, outcome: { ...outcome, message: "" } } : result,
  };
}

/** The key against repeats goes only where it is the address. */
async function emptyBeside(
  { db }: SqlTransaction,
  { accountId, id, type, sourceId }: Omit<LockedEvent, "body"> & { readonly accountId: string; readonly id: string },
  mentions: Mentions,
): Promise<void> {
  const isKey = sourceId !== null && mentions(sourceId);
  await db.run(EMPTY_BESIDE, id, isKey ? `erased ${id}` : sourceId);
  if (isKey) await db.run(CHANGE_KEY, accountId, type, sourceId, `erased ${id}`);
}

interface EraseEvent {
  readonly id: string;
  readonly nowMs: number;
}

/** How many deliveries were cancelled; `null`: a node has something of it in hand. */
async function eraseEvent<Tx extends SqlTransaction>(
  tx: Tx,
  { id, nowMs }: EraseEvent,
  dialect: Dialect<Tx>,
): Promise<number | null> {
  const { holdDeliveriesOf, cancelDeliveries, shortenQueue } = dialect;
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
  await tx.db.run(EMPTY_EVENT, id);
  await forgetEntriesOf(tx, id, dialect);
  return cancelled;
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

/** Also where the event has gone since. */
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
    if (bytes > 0 && bytes + event.bytes > bytesMax) return { ids, next: before(next, event) };
    bytes += event.bytes;
    ids.push(event.id);
  }
  return { ids, next: next.length < eventsMax ? null : (next.at(-1)?.id ?? null) };
}

const before = (listed: readonly ListedEvent[], event: ListedEvent): string =>
  listed[listed.indexOf(event) - 1]?.id ?? "";

/**
 * What a replay was asked for may be the person, or a search for them, and so may a view be. The deliveries that a
 * replay is about are noted apart.
 */
async function eraseSearches(
  tx: SqlTransaction,
  { accountId, email }: Pick<ErasePerson, "accountId" | "email">,
): Promise<number> {
  const mentions = createMentions(email);
  const replays = await tx.db.all<{ id: string; filter: string }>(LIST_REPLAYS, accountId);
  const found = replays.filter(({ filter }) => mentions(filter));
  for (const { id, filter } of found) await tx.db.run(CHANGE_FILTER, withoutText(filter), id);
  const views = (await listViews(tx, { accountId })).filter(({ name, search }) => mentions(`${name}\n${search}`));
  for (const { name } of views) await putView(tx, { accountId, name, search: null, viewsMax: 0 });
  return found.length + views.length;
}

function withoutText(filter: string): string {
  const { q: _, email: __, ...rest } = JSON.parse(filter) as ReplayFilter;
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

const FIND_EVENT = `-- name: find event to erase from
  select type, source_id as "sourceId", body,
    coalesce(source_id, '') || ' ' || coalesce(not_sent, '') || ' ' || coalesce(trace_context, '') as beside
  from events
  where id = $1`;

/** Before its deliveries, as a purge and a resend do. */
const LOCK_EVENT = `${FIND_EVENT.replace("find", "lock")}
  for update`;

const EMPTY_EVENT = `-- name: empty erased event
  update events
  set body = '', trace_context = null
  where id = $1`;

const EMPTY_BESIDE = `-- name: empty rest of erased event
  update events
  set source_id = $2, not_sent = null, trace_context = null
  where id = $1`;

const CHANGE_KEY = `-- name: change key that is an address
  update event_keys
  set source_id = $4
  where account_id = $1 and type = $2 and source_id = $3`;

const LIST_REPLAYS = `-- name: list filters of replays
  select id, filter
  from replays
  where account_id = $1`;

const CHANGE_FILTER = `-- name: change filter of replay
  update replays
  set filter = $1
  where id = $2`;

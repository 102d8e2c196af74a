/**
 * How far search's index has come on PostgreSQL: the cursor, and the events that a step takes from there on.
 *
 * Several nodes may feed the index: the one that holds the row of the cursor does, the others pass. Transactions commit
 * in another order than their events were accepted in, so behind the cursor is looked again: each second a few seconds
 * back, each minute five minutes. No accept takes so long from its instant to its commit, so that a look which comes so
 * long after the cursor's instant is the last one, until the cursor moves.
 */
import { minutesMs, secondsMs } from "../../../lib/duration.ts";
import { SEARCHED_CHARS_MAX, searchedBytes } from "../../../events/search-fields.ts";
import type { IndexEvents } from "../../contract/search.ts";
import type { TakenEvents, UnindexedEvent } from "../../sql/log/search-blocks.ts";
import { type Dated, idsBetween, isIn, orUndated, SLACK_MS, toPlaceholders } from "../days.ts";
import type { Transaction } from "../transaction.ts";

/** How far a step looks ahead: a statement is planned for the days that it names. */
const AHEAD_MS = 2 * minutesMs(24 * 60);

const LOOKS_BACK = [
  { name: "search, far back", everyMs: minutesMs(1), spanMs: minutesMs(5) },
  { name: "search, back", everyMs: secondsMs(1), spanMs: secondsMs(5) },
] as const;

interface Place {
  readonly acceptedAtMs: number;
  readonly id: string;
}

/** An event behind the cursor; without its body where those before it are enough for a step. */
type UnindexedRow = Omit<UnindexedEvent, "body"> & { readonly body: string | null };

export async function takeUnindexed(tx: Transaction, params: IndexEvents): Promise<TakenEvents> {
  const [, cursor] = await Promise.all([tx.db.exec(UNSYNCED), tx.db.get<Place>(LOCK_CURSOR)]);
  // Another node holds the cursor's row, or somebody has emptied the index so that it is built again.
  if (cursor === undefined) {
    const isMade = (await tx.db.run(INSERT_CURSOR)) > 0;
    if (!isMade) return { events: [], hasMore: false };
    const newest = await tx.db.get<Place>(FIND_NEWEST_ENTRY);
    if (newest !== undefined) await tx.db.run(MOVE_CURSOR, newest.acceptedAtMs, newest.id);
    return await takeUnindexed(tx, params);
  }
  const ahead = await lookAhead(tx, cursor, params);
  const isAtEnd = ahead.length < params.eventsMax;
  const missed = isAtEnd ? await lookBack(tx, cursor, params) : [];
  const events = withinBytes([...missed, ...ahead], params);
  const last = events.length > missed.length ? events.at(-1) : undefined;
  if (last !== undefined) tx.later(tx.db.run(MOVE_CURSOR, last.acceptedAtMs, last.id));
  const hasMore = events.length < missed.length + ahead.length || !isAtEnd || missed.length >= params.eventsMax;
  if (ahead.length > 0 || hasMore) return { events, hasMore };
  const hasLeapt = events.length === 0 && (await leap(tx, cursor, params));
  return hasLeapt ? await takeUnindexed(tx, params) : { events, hasMore: false };
}

function lookAhead(tx: Transaction, cursor: Place, params: IndexEvents): Promise<UnindexedRow[]> {
  const { nowMs, eventsMax, bytesMax } = params;
  return tx.db.all<UnindexedRow>(LIST_AHEAD, ...aheadOf(cursor, eventsMax, nowMs), SEARCHED_CHARS_MAX, bytesMax);
}

/** The first values of a statement with `AHEAD` in it. */
function aheadOf({ acceptedAtMs, id }: Place, limit: number, nowMs: number) {
  const toMs = acceptedAtMs + AHEAD_MS;
  return [acceptedAtMs, id, toMs, limit, ...daysOf("evt", { fromMs: acceptedAtMs, toMs, nowMs })];
}

/** Events that were committed after the cursor had gone by. */
async function lookBack(tx: Transaction, cursor: Place, params: IndexEvents): Promise<UnindexedRow[]> {
  const { nowMs, eventsMax, bytesMax } = params;
  const { sweeps } = tx.node;
  const due = LOOKS_BACK.find(({ name, everyMs, spanMs }) => {
    const lastMs = sweeps.get(name)?.acceptedAtMs ?? -Infinity;
    return nowMs < lastMs || (nowMs >= lastMs + everyMs && lastMs < cursor.acceptedAtMs + spanMs);
  });
  if (due === undefined) return [];
  const missed: UnindexedRow[] = [];
  for (const { acceptedAtMs, id } of findEnds(cursor, { nowMs, spanMs: due.spanMs })) {
    const fromMs = acceptedAtMs - due.spanMs;
    const days = daysOf("evt", { fromMs, toMs: acceptedAtMs, nowMs });
    const place = [fromMs, acceptedAtMs, id, eventsMax - missed.length, ...days] as const;
    missed.push(...(await tx.db.all<UnindexedRow>(LIST_MISSED, ...place, SEARCHED_CHARS_MAX, bytesMax)));
  }
  // With more of them than a step takes the next one looks again.
  const areAll = missed.length < eventsMax && missed.every(({ body }) => body !== null);
  if (areAll) sweeps.set(due.name, { acceptedAtMs: nowMs, id: "", restsUntilMs: 0 });
  return missed;
}

/**
 * Where a look back begins. A clock that was set back leaves the cursor ahead, and events come in far behind it until
 * the clock is there again.
 */
function findEnds(cursor: Place, { nowMs, spanMs }: { nowMs: number; spanMs: number }): readonly Place[] {
  return nowMs < cursor.acceptedAtMs - spanMs ? [{ acceptedAtMs: nowMs, id: "" }, cursor] : [cursor];
}

/** Over days without an event. True: there is one. */
async function leap(tx: Transaction, cursor: Place, { nowMs }: IndexEvents): Promise<boolean> {
  if (cursor.acceptedAtMs + AHEAD_MS > nowMs) return false;
  const next = await tx.db.get<{ atMs: number | null }>(FIND_NEXT, cursor.acceptedAtMs + AHEAD_MS);
  if (next === undefined || next.atMs === null) return false;
  await tx.db.run(MOVE_CURSOR, next.atMs - 1, "");
  return true;
}

interface Stretch {
  readonly fromMs: number;
  readonly toMs: number;
  readonly nowMs: number;
}

const daysOf = (prefix: Dated, { fromMs, toMs, nowMs }: Stretch): (string | null)[] =>
  toPlaceholders(orUndated(prefix, idsBetween(prefix, Math.max(0, fromMs - SLACK_MS), toMs + SLACK_MS), nowMs));

/** The first one, however large, and as many as there is room for. */
function withinBytes(rows: readonly UnindexedRow[], { eventsMax, bytesMax }: IndexEvents): UnindexedEvent[] {
  const events: UnindexedEvent[] = [];
  let bytes = 0;
  for (const { body, ...row } of rows) {
    if (body === null || bytes >= bytesMax || events.length === eventsMax) break;
    events.push({ ...row, body });
    bytes += searchedBytes(body.length);
  }
  return events;
}

/**
 * For the rest of the transaction: a step that a crash undoes is made again, and an accept that commits beside it need
 * not wait for two turns of the disk, or of a standby. The log is in order, so whatever commits later brings it along.
 */
const UNSYNCED = "set local synchronous_commit = off";

/** When the first event came in that is not in the index yet; `null`: all are. */
export async function findMissing(tx: Transaction, nowMs: number): Promise<number | null> {
  const { acceptedAtMs, id } = (await tx.db.get<Place>(FIND_CURSOR)) ?? { acceptedAtMs: 0, id: "" };
  const next = await tx.db.get<{ atMs: number }>(FIND_AHEAD, ...aheadOf({ acceptedAtMs, id }, 1, nowMs));
  if (next !== undefined) return next.atMs;
  if (acceptedAtMs + AHEAD_MS > nowMs) return null;
  return (await tx.db.get<{ atMs: number | null }>(FIND_NEXT, acceptedAtMs + AHEAD_MS))?.atMs ?? null;
}

const FIND_CURSOR = `-- name: find cursor of search
  select accepted_at as "acceptedAtMs", event_id as id
  from search_cursors m
  where m.id = 1`;

const LOCK_CURSOR = `-- name: lock cursor of search
  select accepted_at as "acceptedAtMs", event_id as id
  from search_cursors m
  where m.id = 1
  for update skip locked`;

const INSERT_CURSOR = `-- name: insert cursor of search
  insert into search_cursors (id, accepted_at, event_id)
  values (1, 0, '')
  on conflict (id) do nothing`;

/** A shard that accounts have moved into goes on behind what came with them, which is not taken in again. */
const FIND_NEWEST_ENTRY = `-- name: find newest entry of search
  select accepted_at as "acceptedAtMs", event_id as id
  from search_entries s
  where s.accepted_at >= 0
  order by s.accepted_at desc, s.event_id desc
  limit 1`;

const MOVE_CURSOR = `-- name: move cursor of search
  update search_cursors m
  set accepted_at = $1, event_id = $2
  where m.id = 1`;

const AHEAD = `from events e
  where e.body <> '' and (e.accepted_at, e.id) > ($1::bigint, $2::text) and e.accepted_at <= $3 and ${isIn("e.id", 5)}
  order by e.accepted_at, e.id
  limit $4`;

const MISSED = `from events e
  where e.body <> '' and e.accepted_at >= $1 and (e.accepted_at, e.id) <= ($2::bigint, $3::text)
    and ${isIn("e.id", 5)}
    and (select 1 from search_entries s where s.event_id = e.id) is null
  order by e.accepted_at, e.id
  limit $4`;

/** Bodies come along until those before them have the bytes of a step: they may be a megabyte each. */
function listUnindexed(which: string, fromEvents: string): string {
  return `-- name: list events ${which} the cursor of search
  select id, account_id as "accountId", type, source_id is null as "isTest", assistant_id as "assistantId",
    accepted_at as "acceptedAtMs",
    case when sum(least(octet_length(body), $9)) over before >= $10 then null else body end as body
  from (
    select e.id, e.account_id, e.type, e.source_id, e.assistant_id, e.accepted_at, e.body
    ${fromEvents}
  ) event
  window before as (order by accepted_at, id rows between unbounded preceding and 1 preceding)
  order by accepted_at, id`;
}

/** Exported for the test that reads its plan, like the next two. */
export const LIST_AHEAD = listUnindexed("ahead of", AHEAD);

export const LIST_MISSED = listUnindexed("that came late for", MISSED);

export const FIND_AHEAD = `-- name: find first event ahead of the cursor of search
  select e.accepted_at as "atMs"
  ${AHEAD}`;

const FIND_NEXT = `-- name: find next event for search
  select min(accepted_at) as "atMs"
  from events e
  where e.body <> '' and e.accepted_at > $1`;

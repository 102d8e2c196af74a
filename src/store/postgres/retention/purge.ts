/**
 * Retention on PostgreSQL (`../../sql/retention/retention.ts` says in which order, and what it keeps true): a day of
 * events at once, by dropping its tables (see partitions.ts), or one by one where that cannot be.
 *
 * Events are locked first and looked at in a later statement, so that a resend that came before is seen and one that
 * comes after waits. A node passes over events that another node has locked.
 */
import { minutesMs } from "../../../lib/duration.ts";
import type { Purge, Purged } from "../../contract/log.ts";
import { type Pass, purgeBesideLog } from "../../sql/retention/retention.ts";
import { forgetAccounts } from "../../sql/retention/forget-accounts.ts";
import { forgetEntries } from "../../sql/log/search-blocks.ts";
import { rollUpFew } from "../figures/attempt-deltas.ts";
import { dropCounts, joinCounts } from "../figures/account-hours.ts";
import { LIST_TESTS } from "../erase.ts";
import { isIn, isInDays, type Part, toParts, toPlaceholders, toRanges } from "../days.ts";
import { deleteEvents, forgetDeleted } from "./purge-event.ts";
import {
  allDays,
  type Calendar,
  DAYS_AHEAD,
  daysReady,
  dropOldTable,
  loadCalendar,
  makeDaysAhead,
  type OldDays,
} from "../schema/partitions.ts";
import { listLeases } from "../path/in-memory.ts";
import { SEARCH_STEPS } from "../log/search.ts";
import type { SweepPlace, Transaction } from "../transaction.ts";

export async function purge(tx: Transaction, asked: Purge): Promise<Purged> {
  const params = { ...asked, ...(await beforeLowWater(tx, asked)) };
  const { rowsMax } = params;
  const { isChanged, waiting, calendar } = await changeDays(tx, params);
  if (isChanged) return { purged: 1, hasMore: true };
  const parts = toParts(allDays(calendar.days));
  // Those that can be dropped will be.
  const partsOfRows = parts.filter(({ dayMs }) => dayMs === null || waiting.includes(dayMs));
  let left = rowsMax;
  let isAtEnd = true;
  const note = (pass: Pass): void => {
    left -= pass.changed;
    isAtEnd &&= pass.isAtEnd;
  };
  note(await purgePayloads(tx, { ...params, parts, rowsMax: left }));
  note(await purgeAnswers(tx, { ...params, parts, rowsMax: left }));
  note(await purgeEvents(tx, { ...params, parts: partsOfRows, rowsMax: left }));
  await rollUpFew(tx);
  const payloadsBeforeMs = Math.max(params.payloadsBeforeMs, params.rowsBeforeMs);
  left -= await forgetEntries(tx, { payloadsBeforeMs, limit: left }, SEARCH_STEPS);
  left -= await forgetAccounts(tx, { nowMs: params.nowMs, limit: left }, FORGET_STEPS);
  const steps = { forgetDeleted, findOldestEvent, joinCounts, dropCounts };
  left -= await purgeBesideLog(tx, { ...params, limit: left }, steps);
  return { purged: rowsMax - left, hasMore: left < rowsMax || !isAtEnd };
}

interface KeptDays {
  /** Tables have been made or dropped, or tried to. */
  readonly isChanged: boolean;
  /** Days that would be dropped if nothing of them were pending. */
  readonly waiting: readonly number[];
  readonly calendar: Calendar;
}

/** Each alone in its transaction: what it locks is free again at once. */
async function changeDays(tx: Transaction, params: Purge): Promise<KeptDays> {
  const calendar = await loadCalendar(tx.db);
  const { drop, waiting } = await dropDay(tx, calendar, params);
  const isChanged = drop === "dropped" || (await makeDays(tx, calendar, params.nowMs));
  return { isChanged, waiting, calendar };
}

/** What may be in memory has no row that shows that it waits: nothing goes that is younger than any lease's mark. */
async function beforeLowWater(
  tx: Transaction,
  { payloadsBeforeMs, rowsBeforeMs, nowMs }: Purge,
): Promise<Pick<Purge, "payloadsBeforeMs" | "rowsBeforeMs">> {
  const lowWaterMs = await findLowWater(tx, nowMs);
  return { payloadsBeforeMs: Math.min(payloadsBeforeMs, lowWaterMs), rowsBeforeMs: Math.min(rowsBeforeMs, lowWaterMs) };
}

async function findLowWater(tx: Transaction, nowMs: number): Promise<number> {
  const { lease } = tx.node.inMemory;
  const marksMs = (await listLeases(tx)).map(({ id, lowWaterMs }) =>
    id === lease?.id ? tx.node.inMemory.findLowWater(nowMs) : lowWaterMs,
  );
  return Math.min(...marksMs);
}

/** Of deleted accounts. */
const FORGET_STEPS = {
  isWritten: async (tx: Transaction, beforeMs: number, nowMs: number) => (await findLowWater(tx, nowMs)) >= beforeMs,
  deleteEvents,
  deleteBlock: SEARCH_STEPS.deleteBlock,
  listTests: LIST_TESTS,
  ownTables: [{ name: "account_hours", key: ["at", "account_id"] }],
};

/** After something was in the way, or a day had nothing to do any more. Guess. */
const REST_MS = minutesMs(10);

/** Counts as one row, whatever a table holds: that is what it costs. */
async function dropDay(tx: Transaction, { days }: Calendar, { rowsBeforeMs, nowMs }: Purge): Promise<OldDays> {
  if (rests(tx, "drop", nowMs)) return { drop: "later", waiting: [] };
  const old = await dropOldTable(tx.db, days, rowsBeforeMs);
  if (old.drop === "later") rest(tx, "drop", nowMs);
  return old;
}

/** True: tables have been made, or tried to. */
async function makeDays(tx: Transaction, calendar: Calendar, nowMs: number): Promise<boolean> {
  if (daysReady(calendar) > DAYS_AHEAD || rests(tx, "make", nowMs)) return false;
  if (!(await makeDaysAhead(tx.db, calendar))) rest(tx, "make", nowMs);
  return true;
}

/** A clock that was set back ends all rests. */
function rests({ node }: Transaction, name: string, nowMs: number): boolean {
  const untilMs = node.sweeps.get(name)?.restsUntilMs ?? 0;
  return nowMs < untilMs && nowMs >= untilMs - REST_MS;
}

function rest({ node }: Transaction, name: string, nowMs: number): void {
  node.sweeps.set(name, { ...START, restsUntilMs: nowMs + REST_MS });
}

interface PurgeOfParts extends Purge {
  readonly parts: readonly Part[];
}

/** A row can only go when its payload has gone. */
function purgePayloads(tx: Transaction, purging: PurgeOfParts): Promise<Pass> {
  const beforeMs = Math.max(purging.payloadsBeforeMs, purging.rowsBeforeMs);
  const work = (ids: readonly string[]) => tx.db.run(PURGE_PAYLOADS, ids);
  const parts = purging.parts.filter(({ dayMs }) => dayMs === null || dayMs < beforeMs);
  return inParts(tx, { ...purging, name: "payloads", parts }, (part, rowsMax) =>
    sweep(tx, { name: `payloads ${part.events.from}`, list: LIST_WITH_BODY, part, beforeMs, rowsMax, work }),
  );
}

function purgeAnswers(tx: Transaction, purging: PurgeOfParts): Promise<Pass> {
  const beforeMs = purging.attemptBodiesBeforeMs;
  const parts = purging.parts.filter(({ dayMs }) => dayMs === null || dayMs < beforeMs);
  return inParts(tx, { ...purging, name: "answers", parts }, async ({ deliveries }, rowsMax) => {
    const days = toPlaceholders(deliveries);
    const first = await tx.db.run(PURGE_FIRST_ANSWERS, beforeMs, rowsMax, ...days);
    const changed = first + (first < rowsMax ? await tx.db.run(PURGE_ANSWERS, beforeMs, rowsMax - first, ...days) : 0);
    return { changed, isAtEnd: changed < rowsMax };
  });
}

function purgeEvents(tx: Transaction, purging: PurgeOfParts): Promise<Pass> {
  const beforeMs = purging.rowsBeforeMs;
  return inParts(tx, { ...purging, name: "events" }, (part, rowsMax) => {
    const work = (ids: readonly string[]) => deleteEvents(tx, ids, rowsMax);
    return sweep(tx, { name: `events ${part.events.from}`, list: LIST_WITHOUT_BODY, part, beforeMs, rowsMax, work });
  });
}

interface PartsInOrder {
  readonly name: string;
  readonly parts: readonly Part[];
  readonly rowsMax: number;
  readonly nowMs: number;
}

/**
 * The oldest first, each to its end. A day that was looked at from end to end and had nothing to do is not looked at
 * again for a while: there may be many.
 */
async function inParts(
  tx: Transaction,
  { name, parts, rowsMax, nowMs }: PartsInOrder,
  work: (part: Part, rowsMax: number) => Promise<Pass>,
): Promise<Pass> {
  let left = rowsMax;
  for (const part of parts) {
    const place = `${name} of ${part.dayMs}`;
    if (part.dayMs !== null && rests(tx, place, nowMs)) continue;
    const { changed, isAtEnd } = await work(part, left);
    left -= changed;
    if (!isAtEnd || left === 0) return { changed: rowsMax - left, isAtEnd: false };
    if (part.dayMs !== null && changed === 0) rest(tx, place, nowMs);
  }
  return { changed: rowsMax - left, isAtEnd: true };
}

interface Sweep {
  readonly name: string;
  readonly list: string;
  readonly part: Part;
  readonly beforeMs: number;
  readonly rowsMax: number;
  /** Changes at most `rowsMax` rows of these events and returns how many. */
  readonly work: (ids: readonly string[]) => Promise<number>;
}

/**
 * Works on the next events with nothing pending. Those that still wait stay in the index, so the place is remembered
 * and a step starts behind it: a million of them at its head would otherwise be read in every step.
 */
async function sweep(tx: Transaction, { name, list, part, beforeMs, rowsMax, work }: Sweep): Promise<Pass> {
  const { sweeps } = tx.node;
  const place = sweeps.get(name) ?? START;
  const { from, to } = part.events;
  const events = await tx.db.all<EventPlace>(list, place.acceptedAtMs, place.id, beforeMs, rowsMax, from, to);
  const ids = events.map(({ id }) => id);
  const found = ids.length === 0 ? [] : await tx.db.all<{ id: string }>(LIST_WAITING, ids, ...toRanges(ids));
  const waiting = new Set(found.map(({ id }) => id));
  const ended = ids.filter((id) => !waiting.has(id));
  const changed = ended.length === 0 ? 0 : await work(ended);
  // With all of it used up they may not be done yet: the next step begins at the same place.
  if (changed === rowsMax) return { changed, isAtEnd: false };
  // At the end it begins again, with those that it passed over.
  const isAtEnd = events.length < rowsMax;
  const last = events.at(-1);
  sweeps.set(name, isAtEnd || last === undefined ? START : { ...last, restsUntilMs: 0 });
  return { changed, isAtEnd };
}

type EventPlace = Omit<SweepPlace, "restsUntilMs">;

const START: SweepPlace = { acceptedAtMs: Number.MIN_SAFE_INTEGER, id: "", restsUntilMs: 0 };

async function findOldestEvent({ db }: Transaction): Promise<number | null> {
  return (await db.get<{ atMs: number | null }>(FIND_OLDEST_EVENT))?.atMs ?? null;
}

/** Exported for the test that reads its plan. */
export const FIND_OLDEST_EVENT = `-- name: find oldest event
  select least(
    (select min(accepted_at) from events where body <> ''),
    (select min(accepted_at) from events where body = '')
  ) as "atMs"`;

/** Exported for the test that reads its plan, like the next ones. */
export const LIST_WITH_BODY = `-- name: list old events with a body
  select e.id, e.accepted_at as "acceptedAtMs"
  from events e
  where e.body <> '' and (e.accepted_at, e.id) > ($1, $2) and e.accepted_at < $3 and e.id >= $5 and e.id < $6
  order by accepted_at, id
  limit $4
  for update skip locked`;

export const LIST_WITHOUT_BODY = `-- name: list old events without a body
  select e.id, e.accepted_at as "acceptedAtMs"
  from events e
  where e.body = '' and (e.accepted_at, e.id) > ($1, $2) and e.accepted_at < $3 and e.id >= $5 and e.id < $6
  order by accepted_at, id
  limit $4
  for update skip locked`;

const LIST_WAITING = `-- name: list events that still wait
  select given.event_id as id
  from unnest($1::text[], $2::text[], $3::text[]) as given (event_id, first, behind)
  cross join lateral (
    select 1
    from deliveries d
    where d.state = 'pending' and not d.is_ended and d.event_id = given.event_id and d.id >= given.first
      and d.id < given.behind
    limit 1
  ) waiting`;

const PURGE_PAYLOADS = `-- name: purge payloads of events
  update events e
  set body = ''
  where e.id = any ($1::text[])`;

/** Whatever became of the delivery: an answer goes by its own age. */
export const PURGE_ANSWERS = `-- name: purge old answers of receivers
  with old as materialized (
    select o.delivery_id, o.number
    from attempts o
    where o.response_headers is not null and o.started_at < $1 and ${isIn("o.delivery_id", 3)}
    order by o.started_at
    limit $2
    for no key update skip locked
  )
  update attempts a
  set response_headers = null, response_body = null
  from old
  where a.delivery_id = old.delivery_id and a.number = old.number and ${isIn("a.delivery_id", 3)}`;

/** The same of those that stand with their deliveries. */
export const PURGE_FIRST_ANSWERS = `-- name: purge old first answers of receivers
  with old as materialized (
    select o.id
    from deliveries o
    where o.response_headers is not null and o.started_at < $1 and o.is_ended and ${isInDays("o", 3)}
    order by o.started_at
    limit $2
    for no key update skip locked
  )
  update deliveries d
  set response_headers = null, response_body = null
  from old
  where d.id = old.id and d.is_ended and ${isInDays("d", 3)}`;

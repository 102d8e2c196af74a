/**
 * A page of the log. A request becomes a few statements that each follow an index: one for all that the filter
 * lets through or, where it names rare things, one for each of those. Their rows are joined here.
 *
 * A page costs what its own rows cost where its filter has an index. Where it has none, because every success would pay
 * for it, `../../sql/log/look-back.ts` looks at a bounded number of rows, and the answer says how far back it came.
 */
import { OWNER_KINDS } from "../../../domain/event.ts";
import type { ListDeliveries, ListedDeliveries, ListedDelivery } from "../../contract/log.ts";
import type { Value } from "../connection/connection.ts";
import { byDay, findDeliveryIds, isBehind, type Span, toPlaceholders, toRanges } from "../days.ts";
import {
  commonValues,
  placeValues,
  COUNT_NAMED,
  LIST_BY_ID,
  LIST_EVENTS_OF_TYPE,
  LIST_EVENTS_SHOWN,
  LIST_OF_EVENTS,
  LIST_TESTS,
  listAlong,
} from "./delivery-lists.ts";
import { listIdsOfSource } from "./list-events.ts";
import { summaryOf, type SummaryRow } from "../../sql/log/event-rows.ts";
import { findNext, type ListedRow, newestFirst, toListedDelivery } from "../../sql/log/log-rows.ts";
import {
  lookedAtMaxOf,
  type LogScan,
  QUEUED_LOOKED_AT,
  type QueuedCount,
  splitByBacklog,
} from "../../sql/log/log-scans.ts";
import { joinReached, type LookedBack } from "../../sql/log/look-back.ts";
import { listLeases } from "../path/in-memory.ts";
import { type ListDays, loadListDays } from "./list-days.ts";
import { joinRows, listRowsInMemory } from "./list-in-memory.ts";
import { type DeliveryScan, planDeliveryScans } from "./list-scans.ts";
import { lookBackAlong, type LookBackAlong } from "./look-back.ts";
import type { Transaction } from "../transaction.ts";

export async function listDeliveries(tx: Transaction, params: ListDeliveries): Promise<ListedDeliveries> {
  const { limit } = params;
  const { rows, reachedMs } = await (params.idText === undefined
    ? listPage(tx, params)
    : listNamed(tx, params, params.idText));
  const deliveries = await toListed(tx, params, rows.slice(0, limit));
  return { deliveries, ...findNext(rows, { limit, reachedMs }) };
}

/**
 * Lists rows of events that a search finds, all of them: it asks several times in one transaction. Those in memory are
 * read before, and once.
 */
export async function prepareRows(
  tx: Transaction,
  params: ListDeliveries,
): Promise<(eventIds: readonly string[]) => Promise<ListedDelivery[]>> {
  const inMemory = await listRowsInMemory(tx, params, await listLeases(tx));
  const ofEvents = { ...params, limit: ROWS_OF_EVENTS_MAX };
  return async (eventIds) => {
    const wanted = new Set(eventIds);
    const lists = await askOfEvents(ofEvents, eventIds, (values) => tx.db.all<ListedRow>(LIST_OF_EVENTS, ...values));
    const held = inMemory.filter(({ eventId }) => wanted.has(eventId));
    return await toListed(tx, params, joinRows(held, lists.flat()));
  };
}

/** Asks for deliveries of these events, some days at once. */
export async function askOfEvents<Answer>(
  params: ListDeliveries,
  eventIds: readonly string[],
  ask: (values: readonly Value[]) => Promise<Answer>,
): Promise<Answer[]> {
  const { accountId, destinationId = null, withTests } = params;
  const filter = [...commonValues(params), accountId, withTests, destinationId];
  const days = byDay(eventIds, DAYS_AT_ONCE);
  return await Promise.all(days.map(({ ids, day }) => ask([...filter, ids, ...toRanges(ids), ...toPlaceholders(day)])));
}

/** An event with its deliveries takes some 45 µs, four times as long as a row that is looked at. */
const FEW_SHARE = 4;

/** The events of the type that the filter names, where they are few and have few deliveries; else `null`. */
export async function listFewEvents(
  tx: Transaction,
  params: ListDeliveries,
  { eventSpans }: Pick<ListDays, "eventSpans">,
): Promise<readonly string[] | null> {
  const { accountId, type } = params;
  if (type === undefined) return null;
  const fewMax = Math.floor(lookedAtMaxOf(params) / FEW_SHARE);
  const events: string[] = [];
  for (const span of eventSpans) {
    const values = [accountId, type, fewMax + 1 - events.length, ...toPlaceholders(span.ids("evt"))];
    const found = await tx.db.all<{ id: string }>(LIST_EVENTS_OF_TYPE, ...values);
    events.push(...found.map(({ id }) => id));
    if (events.length > fewMax) return null;
  }
  const named = await tx.db.get<{ count: number }>(COUNT_NAMED, accountId, type, events);
  return (named?.count ?? 0) > fewMax ? null : events;
}

/** A statement for each day takes longer to plan than one for a few; one for months would hold hundreds of locks. */
const DAYS_AT_ONCE = 8;

/** An account has 500 alerts at most. */
const ROWS_OF_EVENTS_MAX = 500_000;

/** Retention drops a day's events a moment before its deliveries. */
async function toListed(
  tx: Transaction,
  params: ListDeliveries,
  rows: readonly ListedRow[],
): Promise<ListedDelivery[]> {
  const events = await loadEvents(tx, rows);
  return rows.flatMap((row) => {
    const event = events.get(row.eventId);
    if (event === undefined || !isWanted(params, event.type)) return [];
    const { about } = summaryOf(tx.types.read(event.type), event);
    return [toListedDelivery({ ...row, eventType: event.type, sourceId: event.sourceId, about })];
  });
}

const isWanted = ({ type }: ListDeliveries, eventType: string): boolean => type === undefined || type === eventType;

interface EventOfRow extends SummaryRow {
  readonly id: string;
  readonly sourceId: string | null;
  readonly type: string;
}

async function loadEvents(tx: Transaction, rows: readonly ListedRow[]): Promise<ReadonlyMap<string, EventOfRow>> {
  if (rows.length === 0) return new Map();
  const ids = [...new Set(rows.map(({ eventId }) => eventId))];
  const found = await tx.db.all<EventOfRow>(LIST_EVENTS_SHOWN, ids);
  return new Map(found.map((event) => [event.id, event]));
}

/** Back in time, some days at once, until the page is full. */
async function listPage(tx: Transaction, params: ListDeliveries): Promise<LookedBack<ListedRow>> {
  const [leases, ids, days] = await Promise.all([
    listLeases(tx),
    listDestinationIds(tx, params),
    loadListDays(tx, params),
  ]);
  const few = await listFewEvents(tx, params, days);
  const { lists, scans } = await planLists(tx, params, { ids: few === null ? ids : [], hasUndated: days.hasUndated });
  const [first, ...others] = days.spans;
  // In this order: what is in memory is read before any row is.
  const [inMemory, ofFew, looked, newest] = await Promise.all([
    listRowsInMemory(tx, params, leases),
    askOfEvents(params, few ?? [], (values) => tx.db.all<ListedRow>(LIST_OF_EVENTS, ...values)),
    Promise.all(scans.map((scan) => lookBackAlong(tx, scan, days))),
    first === undefined ? [] : readSpan(tx, lists, { span: first, isFirst: true }),
  ]);
  const reachedMs = joinReached(looked);
  const isReached = ({ createdAtMs }: ListedRow): boolean => reachedMs === null || createdAtMs >= reachedMs;
  const found = [...newest, ...ofFew.flat(), ...looked.flatMap((each) => each.rows)];
  let rows = toPage(joinRows(inMemory, found).filter(isReached), params);
  let span = first;
  for (const next of lists.length === 0 ? [] : others) {
    const enoughMs = rows[params.limit]?.createdAtMs ?? reachedMs;
    if (span === undefined || (enoughMs !== null && isBehind(span, enoughMs))) break;
    rows = toPage(
      joinRows(rows, (await readSpan(tx, lists, { span: next, isFirst: false })).filter(isReached)),
      params,
    );
    span = next;
  }
  return { rows, reachedMs };
}

async function readSpan(tx: Transaction, lists: readonly List[], read: ReadSpan): Promise<ListedRow[]> {
  const statements = lists.flatMap((list) => list(read) ?? []);
  const rows = await Promise.all(statements.map(({ sql, values }) => tx.db.all<ListedRow>(sql, ...values)));
  return rows.flat();
}

const toPage = (rows: readonly ListedRow[], { limit }: ListDeliveries): ListedRow[] =>
  rows.toSorted(newestFirst).slice(0, limit + 1);

interface ReadSpan {
  readonly span: Span;
  readonly isFirst: boolean;
}

/** One statement, for each span of days; `null` where it has nothing to look for. */
type List = (read: ReadSpan) => { readonly sql: string; readonly values: readonly Value[] } | null;

interface PagePlan {
  /** Those that have an index for all of their filter. */
  readonly lists: readonly List[];
  /** Those that look at rows one by one. */
  readonly scans: readonly LookBackAlong[];
}

interface PlanLists {
  readonly ids: readonly string[];
  readonly hasUndated: boolean;
}

async function planLists(tx: Transaction, params: ListDeliveries, { ids, hasUndated }: PlanLists): Promise<PagePlan> {
  const scans = ids.length === 0 ? [] : planDeliveryScans(params);
  const idsOf = await toDestinations(tx, scans, ids);
  const lists = scans.flatMap((scan) => (scan.looksFor === undefined ? listsAlong(scan, idsOf(scan), hasUndated) : []));
  return {
    lists: params.withTests ? [...lists, listOfTests(params)] : lists,
    scans: scans.flatMap((scan) => {
      const { looksFor } = scan;
      return looksFor === undefined ? [] : [{ ...scan, looksFor, ids: idsOf(scan) }];
    }),
  };
}

/** The first span has all of the queue, and all that no day has a place for. */
function listsAlong(scan: DeliveryScan, ids: readonly string[], hasUndated: boolean): List[] {
  const { index, key, filter, withEnded, withPending } = scan;
  if (ids.length === 0) return [];
  return [
    ({ span, isFirst }) => {
      const parts = { days: withEnded, undated: withEnded && isFirst && hasUndated, pending: withPending && isFirst };
      if (!parts.days && !parts.pending) return null;
      const places = placeValues({ ids, key, each: 1 }, parts, span.ids("dlv"));
      return { sql: listAlong(index, parts), values: [...commonValues(filter), ...places] };
    },
  ];
}

/** The queue is read in two scans, each for some of the destinations. */
async function toDestinations(
  tx: Transaction,
  scans: readonly LogScan[],
  ids: readonly string[],
): Promise<(scan: LogScan) => readonly string[]> {
  if (scans.every(({ index }) => index !== "queue")) return () => ids;
  const split = splitByBacklog(await tx.db.all<QueuedCount>(COUNT_PENDING, ids, QUEUED_LOOKED_AT));
  return ({ index }) => (index === "queue" || index === "backlog" ? split[index] : ids);
}

/** Destinations whose owner gets events of this type: they may have deliveries of other types too. */
async function listDestinationIds(
  tx: Transaction,
  { accountId, destinationId, type }: ListDeliveries,
): Promise<string[]> {
  const owners = type === undefined ? OWNER_KINDS : tx.types.read(type).owners;
  const found = await tx.db.all<{ id: string }>(LIST_IDS, accountId, destinationId ?? null, owners);
  return found.map(({ id }) => id);
}

function listOfTests(params: ListDeliveries): List {
  const { accountId, destinationId = null, type = null } = params;
  return ({ span }) => {
    const ids = [...toPlaceholders(span.ids("dlv")), ...toPlaceholders(span.ids("evt"))];
    return { sql: LIST_TESTS, values: [...commonValues(params), accountId, destinationId, type, ...ids] };
  };
}

/** Whatever the id is of: a delivery, an event, or what the event tells about. */
async function listNamed(tx: Transaction, params: ListDeliveries, idText: string): Promise<LookedBack<ListedRow>> {
  const { accountId, destinationId = null, withTests } = params;
  // No index has deliveries by their event: those of what is no event's id would be looked for in all days.
  const events = idText.startsWith("evt_") ? [idText] : [];
  const sources = [...events, ...(await listIdsOfSource(tx, accountId, idText))];
  const inMemory = await listRowsInMemory(tx, params, await listLeases(tx));
  const isNamed = ({ id, eventId }: ListedRow): boolean => id === idText || sources.includes(eventId);
  const values = (id: string): Value[] => [...commonValues(params), accountId, id, withTests, destinationId];
  const lists = await Promise.all([
    tx.db.all<ListedRow>(LIST_BY_ID.delivery, ...values(idText)),
    ...sources.map((id) =>
      tx.db.all<ListedRow>(LIST_BY_ID.event, ...values(id), ...toPlaceholders(findDeliveryIds(id))),
    ),
  ]);
  return { rows: toPage(joinRows(inMemory.filter(isNamed), lists.flat()), params), reachedMs: null };
}

const LIST_IDS = `-- name: list ids of destinations of account
  select id
  from destinations d
  where d.account_id = $1 and ($2::text is null or d.id = $2) and d.owner_kind = any ($3::text[])`;

/**
 * In the queue's order, and only of destinations with a due bound: else one with nothing in it might be looked for in
 * the whole queue. Exported for the test that reads its plan.
 */
export const COUNT_PENDING = `-- name: count pending deliveries of destinations up to a limit
  select t.id, counted.count
  from destinations t
  cross join lateral (
    select count(1) as count
    from (
      select 1
      from deliveries d
      where d.destination_id = t.id and d.state = 'pending' and not d.is_ended
      order by d.due_at, d.id
      limit $2
    ) waiting
  ) counted
  where t.id = any ($1::text[]) and t.next_due_at is not null`;

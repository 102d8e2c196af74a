/**
 * A page of the log. A request becomes a few statements that each follow an index: one for all that the filter
 * lets through or, where it names rare things, one for each of those. Their rows are joined here.
 *
 * Invariant: a page costs as much as its own rows where receivers are well, and never more than the account's rows.
 */
import type { EventType } from "../../domain/event.ts";
import type { ListDeliveries, ListedDeliveries, ListedDelivery } from "../contract/log.ts";
import type { Value } from "./connection.ts";
import { byDay, findDeliveryIds, isBehind, type Span, spansBack, toPlaceholders, toRanges } from "./days.ts";
import {
  type DeliveryIndex,
  LIST_BY_ID,
  LIST_BY_INDEX,
  LIST_EVENTS_SHOWN,
  LIST_OF_EVENTS,
  LIST_EVENTS_OF_SOURCE,
  LIST_TESTS,
} from "./delivery-lists.ts";
import { ASK_TIME } from "./inspect.ts";
import { gistOf, type GistRow } from "../sql/gist-rows.ts";
import {
  findAnswers,
  findHundreds,
  findStart,
  type ListedRow,
  type LogFilter,
  toListedDelivery,
} from "../sql/log-rows.ts";
import { joinRows, listRowsInHand } from "./list-open.ts";
import type { Transaction } from "./transaction.ts";

/** Up to this number is sorted in passing; with more of them waiting, those that wait are easily found among all. */
const PENDING_SORTED_MAX = 200;

export async function listDeliveries(tx: Transaction, params: ListDeliveries): Promise<ListedDeliveries> {
  const rows = await (params.idText === undefined ? listPage(tx, params) : listNamed(tx, params, params.idText));
  const typed = await toListed(tx, params, rows);
  const last = rows.at(params.limit - 1);
  const hasMore = rows.length > params.limit && last !== undefined;
  return {
    deliveries: typed.slice(0, params.limit),
    next: hasMore ? { createdAtMs: last.createdAtMs, id: last.id } : null,
    searchedBackToMs: null,
  };
}

/** Rows of these events, all of them. */
export async function listDeliveriesOf(
  tx: Transaction,
  params: ListDeliveries,
  eventIds: readonly string[],
): Promise<ListedDelivery[]> {
  const { accountId, destinationId = null, withTests } = params;
  const wanted = new Set(eventIds);
  const inHand = (await readInHandOnce(tx, params)).filter(({ eventId }) => wanted.has(eventId));
  const filter = [...commonValues({ ...params, limit: ROWS_OF_EVENTS_MAX }), accountId, withTests, destinationId];
  const lists = await Promise.all(
    byDay(eventIds).map(({ ids, day }) =>
      tx.db.all<ListedRow>(LIST_OF_EVENTS, ...filter, ids, ...toRanges(ids), ...toPlaceholders(day)),
    ),
  );
  return await toListed(tx, params, joinRows(inHand, lists.flat()));
}

/** A search asks for rows of several blocks in one transaction; deliveries in hand are read before the first. */
async function readInHandOnce(tx: Transaction, params: ListDeliveries): Promise<readonly ListedRow[]> {
  const inHand = IN_HAND.get(tx) ?? listRowsInHand(tx, params);
  IN_HAND.set(tx, inHand);
  return await inHand;
}

const IN_HAND = new WeakMap<Transaction, Promise<readonly ListedRow[]>>();

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
    return [toListedDelivery({ ...row, eventType: event.type, about: gistOf(event).about })];
  });
}

const isWanted = ({ type }: ListDeliveries, eventType: EventType): boolean => type === undefined || type === eventType;

interface EventOfRow extends GistRow {
  readonly id: string;
  readonly type: EventType;
}

async function loadEvents(tx: Transaction, rows: readonly ListedRow[]): Promise<ReadonlyMap<string, EventOfRow>> {
  if (rows.length === 0) return new Map();
  const ids = [...new Set(rows.map(({ eventId }) => eventId))];
  const found = await tx.db.all<EventOfRow>(LIST_EVENTS_SHOWN, ids);
  return new Map(found.map((event) => [event.id, event]));
}

/** Back in time, some days at once, until the page is full. */
async function listPage(tx: Transaction, params: ListDeliveries): Promise<ListedRow[]> {
  const inHand = await listRowsInHand(tx, params);
  const [lists, now] = await Promise.all([planLists(tx, params), tx.db.get<{ nowMs: number }>(ASK_TIME)]);
  const nowMs = now?.nowMs ?? 0;
  const newestMs = Math.min(findStart(params).createdAtMs, nowMs);
  let rows = inHand.toSorted(newestFirst).slice(0, params.limit + 1);
  for (const span of spansBack({ newestMs, oldestMs: params.createdFromMs ?? 0, nowMs })) {
    const found = await Promise.all(lists.map((list) => tx.db.all<ListedRow>(list.sql, ...list.values(span))));
    rows = joinRows(rows, found.flat())
      .toSorted(newestFirst)
      .slice(0, params.limit + 1);
    const last = rows[params.limit];
    if (last !== undefined && isBehind(span, last.createdAtMs)) break;
  }
  return rows;
}

/** By time, and by id among those of one millisecond: the order of the indexes, and of the cursor. */
const newestFirst = (one: ListedRow, other: ListedRow): number =>
  other.createdAtMs - one.createdAtMs || (one.id < other.id ? 1 : -1);

/** One statement, for each span of days. */
interface List {
  readonly sql: string;
  readonly values: (span: Span) => readonly Value[];
}

async function planLists(tx: Transaction, params: ListDeliveries): Promise<List[]> {
  const destinationIds = await listDestinationIds(tx, params);
  const lists = destinationIds.length === 0 ? [] : await listsOfDestinations(tx, params, destinationIds);
  return params.withTests ? [...lists, listOfTests(params)] : lists;
}

/** A destination of an alert has sessions only, one of an assistant conversations only (`delivery/route.ts`). */
async function listDestinationIds(
  tx: Transaction,
  { accountId, destinationId, type }: ListDeliveries,
): Promise<string[]> {
  const ownerKind = type === undefined ? null : type === "demo_viewed" ? "alert" : "assistant";
  const found = await tx.db.all<{ id: string }>(LIST_IDS, accountId, destinationId ?? null, ownerKind);
  return found.map(({ id }) => id);
}

interface Along {
  /** The index's own key, where it has one. */
  readonly key?: string | number | null;
  readonly ids?: readonly string[];
}

/** The rarest thing that the filter names decides on the index; the rest of the filter is looked at row by row. */
async function listsOfDestinations(
  tx: Transaction,
  params: ListDeliveries,
  destinationIds: readonly string[],
): Promise<List[]> {
  const along = (index: DeliveryIndex, filter: LogFilter, { key = null, ids = destinationIds }: Along = {}): List[] => {
    const values: List["values"] = (span) => [...commonValues(filter), ids, key, ...toPlaceholders(span.ids("dlv"))];
    return ids.length === 0 ? [] : [{ sql: LIST_BY_INDEX[index], values }];
  };
  const hundreds = findHundreds(params.response);
  if (hundreds !== null && hundreds !== 2) return along("refused", params, { key: hundreds });
  const { statuses } = params;
  if (statuses === undefined || statuses.includes("delivered")) return along("all", params);
  // Each list has its own status only, or rows would come twice.
  const lists: List[] = [];
  for (const status of new Set(statuses)) {
    const filter = { ...params, statuses: [status] };
    if (status === "failed" || status === "cancelled") lists.push(...along("unsent", filter, { key: status }));
    else if (status === "retrying") lists.push(...along("retrying", filter));
    else {
      const { few, many } = await byBacklog(tx, destinationIds);
      lists.push(...along("pending", filter, { ids: few }), ...along("all", filter, { ids: many }));
    }
  }
  return lists;
}

async function byBacklog(
  tx: Transaction,
  destinationIds: readonly string[],
): Promise<{ few: readonly string[]; many: readonly string[] }> {
  const counted = await tx.db.all<{ id: string; count: number }>(COUNT_PENDING, destinationIds, PENDING_SORTED_MAX + 1);
  const many = new Set(counted.filter(({ count }) => count > PENDING_SORTED_MAX).map(({ id }) => id));
  return { few: destinationIds.filter((id) => !many.has(id)), many: [...many] };
}

function listOfTests(params: ListDeliveries): List {
  const { accountId, destinationId = null, type = null } = params;
  const values: List["values"] = (span) => [
    ...commonValues(params),
    accountId,
    destinationId,
    type,
    ...toPlaceholders(span.ids("dlv")),
    ...toPlaceholders(span.ids("evt")),
  ];
  return { sql: LIST_TESTS, values };
}

/** Whatever the id is of: a delivery, an event, or what the event tells about. */
async function listNamed(tx: Transaction, params: ListDeliveries, idText: string): Promise<ListedRow[]> {
  const { accountId, destinationId = null, withTests } = params;
  const sources = UUID.test(idText)
    ? await tx.db.all<{ id: string }>(LIST_EVENTS_OF_SOURCE, accountId, idText)
    : [{ id: idText }];
  const inHand = await listRowsInHand(tx, params);
  const isNamed = ({ id, eventId }: ListedRow): boolean =>
    id === idText || sources.some((event) => event.id === eventId);
  const values = (id: string): Value[] => [...commonValues(params), accountId, id, withTests, destinationId];
  const lists = await Promise.all([
    tx.db.all<ListedRow>(LIST_BY_ID.delivery, ...values(idText)),
    ...sources.map(({ id }) =>
      tx.db.all<ListedRow>(LIST_BY_ID.event, ...values(id), ...toPlaceholders(findDeliveryIds(id))),
    ),
  ]);
  return joinRows(inHand.filter(isNamed), lists.flat())
    .toSorted(newestFirst)
    .slice(0, params.limit + 1);
}

const UUID = /^[\da-f]{8}-(?:[\da-f]{4}-){3}[\da-f]{12}$/i;

/** Those that every list has. One more than the page shows whether there is a next one. */
function commonValues(filter: LogFilter): Value[] {
  const { createdFromMs = 0, statuses = null, limit } = filter;
  const { createdAtMs, id } = findStart(filter);
  return [createdAtMs, id, createdFromMs, limit + 1, statuses, ...findAnswers(filter.response)];
}

const LIST_IDS = `-- name: list ids of destinations of account
  select id
  from destinations d
  where d.account_id = $1 and ($2::text is null or d.id = $2) and ($3::text is null or d.owner_kind = $3)
    and d.bucket = any ($buckets)`;

/** In the queue's order: else a destination with nothing in it might be looked for in the whole queue. */
const COUNT_PENDING = `-- name: count pending deliveries of destinations up to a limit
  select t.id, counted.count
  from unnest($1::text[]) as t (id)
  cross join lateral (
    select count(1) as count
    from (
      select 1
      from deliveries d
      where d.destination_id = t.id and d.state = 'pending' and not d.is_ended and d.bucket = any ($buckets)
      order by d.due_at, d.id
      limit $2
    ) waiting
  ) counted`;

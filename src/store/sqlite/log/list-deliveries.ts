/**
 * A page of the log. A request becomes lists that each follow an index and are newest first: one for each
 * destination and, where the filter names rare things, for each of those. `newest-first.ts` joins them.
 *
 * A page costs what its own rows cost where its filter has an index. Where it has none, because every success would pay
 * for it, `../../sql/log/look-back.ts` looks at a bounded number of rows, and the answer says how far back it came.
 */
import { OWNER_KINDS } from "../../../domain/event.ts";
import type { DeliveryCursor, ListDeliveries, ListedDelivery, ListedDeliveries } from "../../contract/log.ts";
import {
  COUNT_EVENTS_OF_TYPE,
  COUNT_NAMED_OF_TYPE,
  COUNT_PENDING,
  headsAlong,
  LIST_BY_ID,
  LIST_DESTINATION_IDS,
  LIST_OF_EVENTS,
  LIST_OF_TYPE,
  LIST_TESTS,
  listAlong,
  toStatusBits,
  withSubjects,
} from "./delivery-lists.ts";
import { listSeqsOfSource } from "./list-events.ts";
import { listInMemory } from "./list-in-memory.ts";
import { findNewest, type ReadList } from "./newest-first.ts";
import { findAnswers, findNext, findStart, type ListedRow, toListedDelivery } from "../../sql/log/log-rows.ts";
import {
  lookedAtMaxOf,
  type LogScan,
  planScans,
  QUEUED_LOOKED_AT,
  type QueuedCount,
  splitByBacklog,
} from "../../sql/log/log-scans.ts";
import { joinReached, type LookedBack } from "../../sql/log/look-back.ts";
import { lookBackAlong, toList } from "./look-back.ts";
import type { Transaction } from "../transaction.ts";

export async function listDeliveries(tx: Transaction, params: ListDeliveries): Promise<ListedDeliveries> {
  const count = params.limit + 1;
  const { lists, reachedMs } = await planPage(tx, params);
  const found = findNewest(lists, count);
  const rows = reachedMs === null ? found : found.filter(({ createdAtMs }) => createdAtMs >= reachedMs);
  const deliveries = withSubjects(tx, rows.slice(0, params.limit)).map(toListedDelivery);
  return { deliveries, ...findNext(rows, { limit: params.limit, reachedMs }) };
}

/** Rows of these events, all of them: at most some for each. */
export function listDeliveriesOf(
  tx: Transaction,
  params: ListDeliveries,
  eventIds: readonly string[],
): ListedDelivery[] {
  const { accountId, destinationId = null, type = null, withTests } = params;
  const { createdAtMs, id } = findStart(params);
  const shared = filterValues(params, { createdAtMs, id, limit: ROWS_OF_EVENTS_MAX });
  const values = [accountId, JSON.stringify(eventIds), destinationId, type, Number(withTests)];
  const rows = tx.db.all<DeliveryRow>(LIST_OF_EVENTS, ...shared, ...values);
  const inMemory = listInMemory(tx, params)(null, ROWS_OF_EVENTS_MAX);
  const wanted = new Set(eventIds);
  const all = [...rows, ...inMemory.filter(({ eventId }) => wanted.has(eventId))];
  return withSubjects(tx, all).map(toListedDelivery);
}

/** An account has 500 alerts at most. */
const ROWS_OF_EVENTS_MAX = 500_000;

interface PagePlan {
  readonly lists: readonly ReadList<DeliveryRow>[];
  /** Rows that are older were not all looked at. */
  readonly reachedMs: number | null;
}

async function planPage(tx: Transaction, params: ListDeliveries): Promise<PagePlan> {
  const inMemory = listInMemory(tx, params);
  if (params.idText !== undefined) {
    return { lists: [listOfId(tx, params, params.idText), inMemory], reachedMs: null };
  }
  const tests = params.withTests ? [listOfTests(tx, params)] : [];
  if (isTypeOfFew(tx, params)) {
    return { lists: [toList(listOfType(tx, params)), ...tests, inMemory], reachedMs: null };
  }
  const ids = listDestinationIds(tx, params);
  const scans = planScans(params);
  const exact = scans.filter(({ looksFor }) => looksFor === undefined);
  const idsOf = toDestinations(tx, scans, ids);
  const looked: LookedBack<DeliveryRow>[] = [];
  for (const scan of scans) looked.push(...(await lookAlong(tx, scan, idsOf(scan))));
  const listed = exact.flatMap((scan) => listsAlong(tx, scan, idsOf(scan)));
  const lists = [...listed, ...looked.map(({ rows }) => toList(rows)), ...tests, inMemory];
  return { lists, reachedMs: joinReached(looked) };
}

/** Whether the filter names a type that has few deliveries. The second count reads each event, so it comes second. */
export function isTypeOfFew(tx: Transaction, params: ListDeliveries): boolean {
  const { accountId, type } = params;
  const lookedAtMax = lookedAtMaxOf(params);
  if (type === undefined) return false;
  return [COUNT_EVENTS_OF_TYPE, COUNT_NAMED_OF_TYPE].every((sql) => {
    const counted = tx.db.get<{ count: number }>(sql, accountId, type, lookedAtMax + 1);
    return (counted?.count ?? 0) <= lookedAtMax;
  });
}

/** In one go, because each of its steps would look at all of them. */
function listOfType(tx: Transaction, params: ListDeliveries): DeliveryRow[] {
  const { accountId, type = null, destinationId = null } = params;
  const shared = filterValues(params, { ...findStart(params), limit: params.limit + 1 });
  return tx.db.all<DeliveryRow>(LIST_OF_TYPE, ...shared, accountId, type, destinationId);
}

/** What waits has two scans, each for some of the destinations. */
function toDestinations(
  tx: Transaction,
  scans: readonly LogScan[],
  ids: readonly string[],
): (scan: LogScan) => readonly string[] {
  if (scans.every(({ index }) => index !== "queue")) return () => ids;
  const split = splitByBacklog(tx.db.all<QueuedCount>(COUNT_PENDING, JSON.stringify(ids), QUEUED_LOOKED_AT));
  return ({ index }) => (index === "queue" || index === "backlog" ? split[index] : ids);
}

async function lookAlong(tx: Transaction, scan: LogScan, ids: readonly string[]): Promise<LookedBack<DeliveryRow>[]> {
  const { looksFor } = scan;
  if (looksFor === undefined) return [];
  const read = (filter: ListDeliveries, among: readonly string[], count: number) =>
    findNewest(listsAlong(tx, { ...scan, filter }, among), count);
  return [await lookBackAlong(tx, { ...scan, looksFor, ids, read })];
}

/** Destinations whose owner gets events of this type: they may have deliveries of other types too. */
export function listDestinationIds(
  tx: Transaction,
  { accountId, destinationId, type }: Pick<ListDeliveries, "accountId" | "destinationId" | "type">,
): string[] {
  const owners = type === undefined ? OWNER_KINDS : tx.types.read(type).owners;
  const values = [accountId, destinationId ?? null, JSON.stringify(owners)];
  const found = tx.db.all<{ id: string }>(LIST_DESTINATION_IDS, ...values);
  return found.map(({ id }) => id);
}

/**
 * One list for each destination that can be on the page. A destination is left out when more destinations than fit on
 * the page have a newer delivery than its newest.
 */
function listsAlong(tx: Transaction, { index, key, filter }: LogScan, ids: readonly string[]): ReadList<DeliveryRow>[] {
  const { limit } = filter;
  const { createdAtMs, id } = findStart(filter);
  const type = filter.type ?? null;
  const values = [...filterValues(filter, { createdAtMs, id, limit: 1 }), JSON.stringify(ids), key, type];
  const heads = tx.db.all<Head>(headsAlong(index), ...values);
  const times = heads.map(({ newestAtMs }) => newestAtMs).toSorted((one, other) => other - one);
  const oldestAtMs = times[limit] ?? 0;
  return heads
    .filter(({ newestAtMs }) => newestAtMs >= oldestAtMs)
    .map((head) => createReader(tx, filter, { sql: listAlong(index), values: [head.destinationId, key, type] }));
}

function listOfTests(tx: Transaction, params: ListDeliveries): ReadList<DeliveryRow> {
  const { accountId, destinationId = null, type = null } = params;
  return createReader(tx, params, { sql: LIST_TESTS, values: [accountId, null, destinationId, type] });
}

/** Whatever the id is of: a delivery, an event, or what the event tells about. */
function listOfId(tx: Transaction, params: ListDeliveries, idText: string): ReadList<DeliveryRow> {
  const { accountId, destinationId = null, type = null, withTests } = params;
  const seqs = JSON.stringify(listSeqsOfSource(tx, accountId, idText));
  const values = [accountId, idText, destinationId, type, seqs, Number(withTests)];
  return createReader(tx, params, { sql: LIST_BY_ID, values });
}

interface Query {
  readonly sql: string;
  /** Besides those that every list has. */
  readonly values: readonly (string | number | Uint8Array | null)[];
}

function createReader(tx: Transaction, params: ListDeliveries, { sql, values }: Query): ReadList<DeliveryRow> {
  const start = findStart(params);
  return (before, limit) => {
    const { createdAtMs, id } = before ?? start;
    return tx.db.all<DeliveryRow>(sql, ...filterValues(params, { createdAtMs, id, limit }), ...values);
  };
}

/** In the order of the statements' places. */
function filterValues(params: ListDeliveries, { createdAtMs, id, limit }: DeliveryCursor & { limit: number }) {
  const { statuses, response, createdFromMs = 0 } = params;
  return [createdAtMs, id, createdFromMs, limit, toStatusBits(statuses), ...findAnswers(response)];
}

interface DeliveryRow extends ListedRow {
  readonly eventType: string;
}

interface Head {
  readonly destinationId: string;
  readonly newestAtMs: number;
}

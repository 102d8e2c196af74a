/**
 * A page of the log. A request becomes lists that each follow an index: one for all that the filter lets through or,
 * where it names rare things, one for each of those. Each has no more rows than the page, and they are joined here.
 *
 * A page costs what its own rows cost where its filter has an index. Where it has none, because every success would pay
 * for it, `../../sql/log/look-back.ts` looks at a bounded number of rows, and the answer says how far back it came.
 */
import { OWNER_KINDS } from "../../../domain/event.ts";
import type { ListDeliveries, ListedDelivery, ListedDeliveries } from "../../contract/log.ts";
import {
  COUNT_EVENTS_OF_TYPE,
  COUNT_NAMED_OF_TYPE,
  COUNT_PENDING,
  idOfKey,
  keysAlong,
  LIST_BY_IDS,
  LIST_BY_ID,
  LIST_DESTINATION_IDS,
  LIST_OF_EVENTS,
  LIST_OF_TYPE,
  LIST_TESTS,
  timeOfKey,
  toStatusBits,
  withSubjects,
} from "./delivery-lists.ts";
import { listSeqsOfSource } from "./list-events.ts";
import { listRowsInMemory } from "./list-in-memory.ts";
import {
  findAnswers,
  findNext,
  findStart,
  type ListedRow,
  newestFirst,
  toListedDelivery,
} from "../../sql/log/log-rows.ts";
import {
  isImplied,
  lookedAtMaxOf,
  type LogScan,
  planScans,
  QUEUED_LOOKED_AT,
  type QueuedCount,
  splitByBacklog,
} from "../../sql/log/log-scans.ts";
import type { ListRows } from "../../sql/log/search.ts";
import { joinReached, type LookedBack } from "../../sql/log/look-back.ts";
import { lookBackAlong } from "./look-back.ts";
import { findNewestKeys } from "./newest-keys.ts";
import type { ReadTransaction } from "../transaction.ts";

export async function listDeliveries(tx: ReadTransaction, params: ListDeliveries): Promise<ListedDeliveries> {
  const { rows: found, reachedMs } = await listPage(tx, params);
  const isReached = ({ createdAtMs }: ListedRow): boolean => reachedMs === null || createdAtMs >= reachedMs;
  const rows = found
    .filter(isReached)
    .toSorted(newestFirst)
    .slice(0, params.limit + 1);
  const deliveries = withSubjects(tx, rows.slice(0, params.limit)).map(toListedDelivery);
  return { deliveries, ...findNext(rows, { limit: params.limit, reachedMs }) };
}

/** Lists rows of events, all of them: at most some for each. */
export function prepareRows(tx: ReadTransaction, params: ListDeliveries): ListRows {
  const inMemory = listRowsInMemory(tx, params);
  return (eventIds) => listDeliveriesOf(tx, { params, eventIds, inMemory });
}

interface OfEvents {
  readonly params: ListDeliveries;
  readonly eventIds: readonly string[];
  readonly inMemory: readonly DeliveryRow[];
}

function listDeliveriesOf(tx: ReadTransaction, { params, eventIds, inMemory }: OfEvents): ListedDelivery[] {
  const { accountId, destinationId = null, type = null, withTests } = params;
  const values = [accountId, JSON.stringify(eventIds), destinationId, type, Number(withTests)];
  const rows = tx.db.all<DeliveryRow>(LIST_OF_EVENTS, ...filterValues(params, ROWS_OF_EVENTS_MAX), ...values);
  const wanted = new Set(eventIds);
  const all = [...rows, ...inMemory.filter(({ eventId }) => wanted.has(eventId))];
  return withSubjects(tx, all).map(toListedDelivery);
}

/** An account has 500 alerts at most. */
const ROWS_OF_EVENTS_MAX = 500_000;

/** In no order, and with some too many. */
async function listPage(tx: ReadTransaction, params: ListDeliveries): Promise<LookedBack<DeliveryRow>> {
  const inMemory = listRowsInMemory(tx, params);
  if (params.idText !== undefined) {
    return { rows: [...listOfId(tx, params, params.idText), ...inMemory], reachedMs: null };
  }
  const beside = [...(params.withTests ? listOfTests(tx, params) : []), ...inMemory];
  if (isTypeOfFew(tx, params)) return { rows: [...listOfType(tx, params), ...beside], reachedMs: null };
  const scans = planScans(params);
  const idsOf = toDestinations(tx, scans, listDestinationIds(tx, params));
  const exact = scans.filter(({ looksFor }) => looksFor === undefined);
  const looked: LookedBack<DeliveryRow>[] = [];
  for (const scan of scans) looked.push(...(await lookAlong(tx, scan, idsOf(scan))));
  const listed = exact.flatMap((scan) => listAlong(tx, scan, { ids: idsOf(scan), count: params.limit + 1 }));
  return { rows: [...listed, ...looked.flatMap(({ rows }) => rows), ...beside], reachedMs: joinReached(looked) };
}

/** Whether the filter names a type that has few deliveries. The second count reads each event, so it comes second. */
export function isTypeOfFew(tx: ReadTransaction, params: ListDeliveries): boolean {
  const { accountId, type } = params;
  const lookedAtMax = lookedAtMaxOf(params);
  if (type === undefined) return false;
  return [COUNT_EVENTS_OF_TYPE, COUNT_NAMED_OF_TYPE].every((sql) => {
    const counted = tx.db.get<{ count: number }>(sql, accountId, type, lookedAtMax + 1);
    return (counted?.count ?? 0) <= lookedAtMax;
  });
}

/** In one go, because each of its steps would look at all of them. */
function listOfType(tx: ReadTransaction, params: ListDeliveries): DeliveryRow[] {
  const { accountId, type = null, destinationId = null } = params;
  return tx.db.all<DeliveryRow>(LIST_OF_TYPE, ...filterValues(params), accountId, type, destinationId);
}

/** What waits has two scans, each for some of the destinations. */
function toDestinations(
  tx: ReadTransaction,
  scans: readonly LogScan[],
  ids: readonly string[],
): (scan: LogScan) => readonly string[] {
  if (scans.every(({ index }) => index !== "queue")) return () => ids;
  const split = splitByBacklog(tx.db.all<QueuedCount>(COUNT_PENDING, JSON.stringify(ids), QUEUED_LOOKED_AT));
  return ({ index }) => (index === "queue" || index === "backlog" ? split[index] : ids);
}

async function lookAlong(
  tx: ReadTransaction,
  scan: LogScan,
  ids: readonly string[],
): Promise<LookedBack<DeliveryRow>[]> {
  const { looksFor } = scan;
  if (looksFor === undefined) return [];
  const read = (filter: ListDeliveries, among: readonly string[], count: number) =>
    listAlong(tx, { ...scan, filter }, { ids: among, count });
  return [await lookBackAlong(tx, { ...scan, looksFor, ids, read })];
}

/** Destinations whose owner gets events of this type: they may have deliveries of other types too. */
export function listDestinationIds(
  tx: ReadTransaction,
  { accountId, destinationId, type }: Pick<ListDeliveries, "accountId" | "destinationId" | "type">,
): string[] {
  const owners = type === undefined ? OWNER_KINDS : tx.types.read(type).owners;
  const values = [accountId, destinationId ?? null, JSON.stringify(owners)];
  const found = tx.db.all<{ id: string }>(LIST_DESTINATION_IDS, ...values);
  return found.map(({ id }) => id);
}

interface Among {
  readonly ids: readonly string[];
  readonly count: number;
}

/** The newest of these destinations, newest first. */
function listAlong(tx: ReadTransaction, { index, key, filter }: LogScan, { ids: lists, count }: Among): DeliveryRow[] {
  const sql = keysAlong(index, isImplied(index, filter));
  const { createdFromMs = 0, type = null } = filter;
  const keys = findNewestKeys<string, string>({ lists, count }, ({ among, each, fromKey }) => {
    const fromMs = fromKey === null ? createdFromMs : timeOfKey(fromKey);
    const values = [...filterValues({ ...filter, createdFromMs: fromMs }, each), JSON.stringify(among), key, type];
    return tx.db.all<KeysOfOne>(sql, ...values).map((row) => ({ place: row.place, keys: row.keys?.split(",") ?? [] }));
  });
  if (keys.length === 0) return [];
  return tx.db.all<DeliveryRow>(LIST_BY_IDS, JSON.stringify(keys.map(idOfKey))).toSorted(newestFirst);
}

interface KeysOfOne {
  readonly place: number;
  readonly keys: string | null;
}

function listOfTests(tx: ReadTransaction, params: ListDeliveries): DeliveryRow[] {
  const { accountId, destinationId = null, type = null } = params;
  return tx.db.all<DeliveryRow>(LIST_TESTS, ...filterValues(params), accountId, null, destinationId, type);
}

/** Whatever the id is of: a delivery, an event, or what the event tells about. */
function listOfId(tx: ReadTransaction, params: ListDeliveries, idText: string): DeliveryRow[] {
  const { accountId, destinationId = null, type = null, withTests } = params;
  const seqs = JSON.stringify(listSeqsOfSource(tx, accountId, idText));
  const values = [accountId, idText, destinationId, type, seqs, Number(withTests)];
  return tx.db.all<DeliveryRow>(LIST_BY_ID, ...filterValues(params), ...values);
}

/** In the order of the statements' places. One row more than the page shows whether there is a next one. */
function filterValues(params: ListDeliveries, rowsMax = params.limit + 1) {
  const { statuses, response, createdFromMs = 0 } = params;
  const { createdAtMs, id } = findStart(params);
  return [createdAtMs, id, createdFromMs, rowsMax, toStatusBits(statuses), ...findAnswers(response)];
}

interface DeliveryRow extends ListedRow {
  readonly eventType: string;
}

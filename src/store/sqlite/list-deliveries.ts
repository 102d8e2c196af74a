/**
 * A page of the log. A request becomes lists that each follow an index and are newest first: one for each
 * destination and, where the filter names rare things, for each of those. `newest-first.ts` joins them.
 *
 * A page costs what its own rows cost, with one exception: which of the 2xx it was, or that anything arrived where
 * hardly anything does, has no index, because every success would pay for it. Such rows are looked for one by one
 * (measured: a microsecond each).
 */
import type { EventType } from "../../domain/event.ts";
import type { DeliveryCursor, ListDeliveries, ListedDelivery, ListedDeliveries } from "../contract/log.ts";
import {
  type DeliveryIndex,
  headsAlong,
  LIST_BY_ID,
  LIST_OF_EVENTS,
  LIST_TESTS,
  listAlong,
  STATUS_BITS,
} from "./delivery-lists.ts";
import { listSeqsOfSource } from "./list-events.ts";
import { listOpen } from "./list-open.ts";
import { withAbouts } from "./list-abouts.ts";
import { findNewest, type ReadList } from "./newest-first.ts";
import { findAnswers, findHundreds, findStart, type ListedRow, toListedDelivery } from "../sql/log-rows.ts";
import type { Transaction } from "./transaction.ts";

export function listDeliveries(tx: Transaction, params: ListDeliveries): ListedDeliveries {
  const rows = findNewest(planLists(tx, params), params.limit + 1);
  const deliveries = withAbouts(tx, rows.slice(0, params.limit)).map(toListedDelivery);
  const last = deliveries.at(-1);
  const hasMore = rows.length > params.limit && last !== undefined;
  return { deliveries, next: hasMore ? { createdAtMs: last.createdAtMs, id: last.id } : null };
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
  const open = listOpen(tx, params)(null, ROWS_OF_EVENTS_MAX);
  const wanted = new Set(eventIds);
  const all = [...rows, ...open.filter(({ eventId }) => wanted.has(eventId))];
  return withAbouts(tx, all).map(toListedDelivery);
}

/** An account has 500 alerts at most. */
const ROWS_OF_EVENTS_MAX = 500_000;

function planLists(tx: Transaction, params: ListDeliveries): ReadList<DeliveryRow>[] {
  const open = listOpen(tx, params);
  if (params.idText !== undefined) return [listOfId(tx, params, params.idText), open];
  const lists = [...listsOfDestinations(tx, params), open];
  return params.withTests ? [...lists, listOfTests(tx, params)] : lists;
}

/** The rarest thing that the filter names decides on the index; the rest of the filter is looked at row by row. */
function listsOfDestinations(tx: Transaction, params: ListDeliveries): ReadList<DeliveryRow>[] {
  const lists = (index: DeliveryIndex, filter: ListDeliveries = params, key: string | number | null = null) =>
    listsAlong(tx, filter, { index, key });
  const hundreds = findHundreds(params.response);
  if (hundreds !== null && hundreds !== 2) return lists("refused", params, hundreds);
  const { statuses } = params;
  if (statuses === undefined || statuses.includes("delivered")) return lists("all");
  // Each list has its own status only, or rows would come twice.
  return [...new Set(statuses)].flatMap((status) => {
    const filter = { ...params, statuses: [status] };
    if (status === "failed" || status === "cancelled") return lists("unsent", filter, status);
    if (status === "retrying") return lists("retrying", filter);
    return [...lists("queue", filter), ...lists("backlog", filter)];
  });
}

interface Way {
  readonly index: DeliveryIndex;
  readonly key: string | number | null;
}

/**
 * One list for each destination that the page can come from: when 51 others have something newer than its newest, it
 * has no row on a page of 50. A destination of an alert has sessions only, one of an assistant conversations only
 * (`delivery/route.ts`).
 */
function listsAlong(tx: Transaction, params: ListDeliveries, { index, key }: Way): ReadList<DeliveryRow>[] {
  const { accountId, destinationId = null, type, limit } = params;
  const ownerKind = type === undefined ? null : type === "demo_viewed" ? "alert" : "assistant";
  const { createdAtMs, id } = findStart(params);
  const values = [...filterValues(params, { createdAtMs, id, limit: 1 }), accountId, key, destinationId, ownerKind];
  const heads = tx.db.all<Head>(headsAlong(index), ...values);
  const times = heads.map(({ newestAtMs }) => newestAtMs).toSorted((one, other) => other - one);
  const oldestAtMs = times[limit] ?? 0;
  return heads
    .filter(({ newestAtMs }) => newestAtMs >= oldestAtMs)
    .map((head) => createReader(tx, params, { sql: listAlong(index), values: [head.destinationId, key] }));
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
  const bits = statuses === undefined ? null : statuses.reduce((sum, status) => sum | STATUS_BITS[status], 0);
  return [createdAtMs, id, createdFromMs, limit, bits, ...findAnswers(response)];
}

interface DeliveryRow extends ListedRow {
  readonly eventType: EventType;
}

interface Head {
  readonly destinationId: string;
  readonly newestAtMs: number;
}

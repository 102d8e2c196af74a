/**
 * A page of the log. What is asked for becomes a few statements that each follow an index: one for all that the filter
 * lets through or, where it names rare things, one for each of those. Their rows are joined here.
 *
 * Invariant: a page costs as much as its own rows where receivers are well, and never more than the account's rows.
 */
import type { DeliveryState } from "../../domain/delivery.ts";
import type { EventType } from "../../domain/event.ts";
import type { DeliveryCursor, ListDeliveries, ListedDeliveries, ListedDelivery } from "../dashboard-verbs.ts";
import type { Value } from "./connection.ts";
import { type DeliveryIndex, LIST_BY_ID, LIST_BY_INDEX, LIST_TESTS } from "./delivery-lists.ts";
import type { Transaction } from "./transaction.ts";

/** So many are sorted in passing; with more of them waiting, those that wait are easily found among all. */
const PENDING_SORTED_MAX = 200;

export async function listDeliveries(tx: Transaction, params: ListDeliveries): Promise<ListedDeliveries> {
  const queries = await queriesOf(tx, params);
  const lists = await Promise.all(queries.map(({ sql, values }) => tx.db.all<DeliveryRow>(sql, ...values)));
  const rows = lists.flat().toSorted(newestFirst);
  const deliveries = rows.slice(0, params.limit).map(deliveryOf);
  const last = deliveries.at(-1);
  const hasMore = rows.length > params.limit && last !== undefined;
  return { deliveries, next: hasMore ? { createdAtMs: last.createdAtMs, id: last.id } : null };
}

/** By time, and by id among those of one millisecond: the order of the indexes, and of the cursor. */
const newestFirst = (one: DeliveryRow, other: DeliveryRow): number =>
  other.createdAtMs - one.createdAtMs || (one.id < other.id ? 1 : -1);

interface Query {
  readonly sql: string;
  readonly values: readonly Value[];
}

async function queriesOf(tx: Transaction, params: ListDeliveries): Promise<Query[]> {
  if (params.idText !== undefined) return [queryOfId(params, params.idText)];
  const destinationIds = await destinationsOf(tx, params);
  const queries = destinationIds.length === 0 ? [] : await queriesOfDestinations(tx, params, destinationIds);
  return params.withTests ? [...queries, queryOfTests(params)] : queries;
}

/** A destination of an alert has sessions only, one of an assistant conversations only (`delivery/route.ts`). */
async function destinationsOf(tx: Transaction, { accountId, destinationId, type }: ListDeliveries): Promise<string[]> {
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
async function queriesOfDestinations(
  tx: Transaction,
  params: ListDeliveries,
  destinationIds: readonly string[],
): Promise<Query[]> {
  const query = (index: DeliveryIndex, filter: Filter, { key = null, ids = destinationIds }: Along = {}) =>
    ids.length === 0 ? [] : [{ sql: LIST_BY_INDEX[index], values: [...commonValues(filter), ids, key] }];
  const hundreds = hundredsOf(params.response);
  if (hundreds !== null && hundreds !== 2) return query("refused", params, { key: hundreds });
  const { statuses } = params;
  if (statuses === undefined || statuses.includes("delivered")) return query("all", params);
  // Each list has its own status only, or rows would come twice.
  const queries: Query[] = [];
  for (const status of new Set(statuses)) {
    const filter = { ...params, statuses: [status] };
    if (status === "failed" || status === "cancelled") queries.push(...query("unsent", filter, { key: status }));
    else if (status === "retrying") queries.push(...query("retrying", filter));
    else {
      const { few, many } = await byBacklog(tx, destinationIds);
      queries.push(...query("pending", filter, { ids: few }), ...query("all", filter, { ids: many }));
    }
  }
  return queries;
}

async function byBacklog(
  tx: Transaction,
  destinationIds: readonly string[],
): Promise<{ few: readonly string[]; many: readonly string[] }> {
  const counted = await tx.db.all<{ id: string; count: number }>(COUNT_PENDING, destinationIds, PENDING_SORTED_MAX + 1);
  const many = new Set(counted.filter(({ count }) => count > PENDING_SORTED_MAX).map(({ id }) => id));
  return { few: destinationIds.filter((id) => !many.has(id)), many: [...many] };
}

function queryOfTests(params: ListDeliveries): Query {
  const { accountId, destinationId = null, type = null } = params;
  return { sql: LIST_TESTS, values: [...commonValues(params), accountId, destinationId, type] };
}

/** Whatever the id is of: a delivery, an event, or what the event tells about. */
function queryOfId(params: ListDeliveries, idText: string): Query {
  const { accountId, destinationId = null, type = null, withTests } = params;
  const sourceId = UUID.test(idText) ? idText : null;
  const values = [...commonValues(params), accountId, idText, destinationId, type, sourceId, withTests];
  return { sql: LIST_BY_ID, values };
}

const UUID = /^[\da-f]{8}-(?:[\da-f]{4}-){3}[\da-f]{12}$/i;

type Filter = Pick<ListDeliveries, "statuses" | "response" | "createdFromMs" | "createdToMs" | "before" | "limit">;

/** Those that every list has. One more than the page shows whether there is a next one. */
function commonValues(filter: Filter): Value[] {
  const { createdFromMs = 0, statuses = null, limit } = filter;
  const { createdAtMs, id } = startOf(filter);
  return [createdAtMs, id, createdFromMs, limit + 1, statuses, ...answersOf(filter.response)];
}

/** Everything before the end of the range is behind the row that no id comes before. */
function startOf({ before, createdToMs = Number.MAX_SAFE_INTEGER }: Filter): DeliveryCursor {
  return before === null || before.createdAtMs >= createdToMs ? { createdAtMs: createdToMs, id: "" } : before;
}

/** As the lists have the last answer: its status, 0 for none. */
function answersOf(response: ListDeliveries["response"]): readonly [min: number | null, max: number | null] {
  if (response === undefined) return [null, null];
  if (response === "none") return [0, 0];
  if ("status" in response) return [response.status, response.status];
  return [response.hundreds * 100, response.hundreds * 100 + 99];
}

function hundredsOf(response: ListDeliveries["response"]): number | null {
  const [answerMin] = answersOf(response);
  return answerMin === null ? null : Math.floor(answerMin / 100);
}

function deliveryOf({ lastOutcome, lastStatus, lastMs, ...row }: DeliveryRow): ListedDelivery {
  const last = lastOutcome === null ? null : { outcome: lastOutcome, status: lastStatus, totalMs: lastMs ?? 0 };
  return { ...row, last };
}

interface DeliveryRow {
  readonly id: string;
  readonly eventId: string;
  readonly eventType: EventType;
  readonly destinationId: string | null;
  readonly isTest: boolean;
  readonly state: DeliveryState;
  readonly attemptsMade: number;
  readonly attemptsInSchedule: number;
  readonly dueAtMs: number | null;
  readonly createdAtMs: number;
  readonly lastOutcome: string | null;
  readonly lastStatus: number | null;
  readonly lastMs: number | null;
}

const LIST_IDS = `-- name: list ids of destinations of account
  select id
  from destinations
  where account_id = $1 and ($2::text is null or id = $2) and ($3::text is null or owner_kind = $3)`;

const COUNT_PENDING = `-- name: count pending deliveries of destinations up to a limit
  select t.id, counted.count
  from unnest($1::text[]) as t (id)
  cross join lateral (
    select count(1) as count
    from (select 1 from deliveries where destination_id = t.id and state = 'pending' limit $2) waiting
  ) counted`;

/**
 * Which indexes a page of the log follows: the rarest thing that the filter names decides, and each status has a scan
 * of its own, so that no row comes twice. Pure, and the same on both stores.
 *
 * A scan that `looksFor` something has an index for a part of its filter only: it looks at rows one by one, at no more
 * than a bounded number of them, where the counters say that there is something. No index of deliveries knows the type
 * of their event, because each webhook would pay for it: every scan of a type looks at rows. A type with no more
 * events and deliveries than that is followed along its events instead, so it is never rare where rows are looked at.
 *
 * A total follows the indexes of its pages, but in no order, so what waits has one scan however much it is.
 */
import { DELIVERY_STATUSES, type DeliveryStatus } from "../../../domain/delivery.ts";
import type { CountDeliveries, CountedDeliveries, ListDeliveries } from "../../contract/log.ts";
import type { CountedKind } from "./counted-windows.ts";
import { findHundreds } from "./log-rows.ts";

/** `queue` and `backlog` both find waiting deliveries: of destinations with few, and of those with many. */
export type LogIndex = "all" | "unsent" | "retrying" | "refused" | "recalled" | "queue" | "backlog";

export interface LogScan {
  readonly index: LogIndex;
  /** The index's own key, where it has one. */
  readonly key: string | number | null;
  readonly filter: ListDeliveries;
  /** What counters know of it; `uncounted` where they know nothing. */
  readonly looksFor?: CountedKind | "uncounted";
}

export const planScans = (params: ListDeliveries): LogScan[] =>
  planOfEveryType(params).map((scan) =>
    params.type === undefined ? scan : { ...scan, looksFor: scan.looksFor ?? "uncounted" },
  );

function planOfEveryType(params: ListDeliveries): LogScan[] {
  const { statuses, response } = params;
  const hundreds = findHundreds(response);
  if (statuses === undefined && hundreds === null) return [{ index: "all", key: null, filter: params }];
  if (statuses === undefined && hundreds !== 2) {
    const scan = { index: "refused", key: hundreds, filter: params } as const;
    const isIndexed = response === "none" || (response !== undefined && "hundreds" in response);
    return [isIndexed ? scan : { ...scan, looksFor: "attempt" }];
  }
  return [...new Set(statuses ?? DELIVERY_STATUSES)].flatMap((status) => {
    const filter = { ...params, statuses: [status] };
    return scansOf(status, hundreds).map((scan) => ({ ...scan, filter }));
  });
}

/** `hundreds`: of the answer; 0 for none, `null` where the filter does not say. */
function scansOf(status: DeliveryStatus, hundreds: number | null): Omit<LogScan, "filter">[] {
  const isRefused = hundreds !== null && hundreds !== 2;
  if (status === "delivered") {
    return [{ index: isRefused ? "refused" : "all", key: isRefused ? hundreds : null, looksFor: "delivery" }];
  }
  if (isRefused) return [{ index: "refused", key: hundreds, looksFor: "attempt" }];
  const isEnded = status === "failed" || status === "cancelled";
  if (hundreds !== null) return [{ index: "recalled", key: isEnded ? status : "pending" }];
  if (isEnded) return [{ index: "unsent", key: status }];
  if (status === "retrying") return [{ index: "retrying", key: null }];
  return [
    { index: "queue", key: null },
    { index: "backlog", key: null, looksFor: "uncounted" },
  ];
}

/**
 * So many in all are sorted in passing. The queue has another order, so where more wait they are looked for among all
 * that a destination had.
 */
const QUEUED_MAX = 2_000;

/** How many wait at a destination, counted up to `QUEUED_LOOKED_AT`. */
export interface QueuedCount {
  readonly id: string;
  readonly count: number;
}

/** With this many or more a destination has a backlog, however many others there are. */
export const QUEUED_LOOKED_AT = 201;

/** Which destinations have few that wait, and which have a backlog. Those where nothing waits are in neither. */
export function splitByBacklog(counts: readonly QueuedCount[]): Record<"queue" | "backlog", readonly string[]> {
  const queue: string[] = [];
  const backlog: string[] = [];
  let sum = 0;
  for (const { id, count } of counts.toSorted((one, other) => one.count - other.count)) {
    sum += count;
    if (count === 0) continue;
    if (count < QUEUED_LOOKED_AT && sum <= QUEUED_MAX) queue.push(id);
    else backlog.push(id);
  }
  return { queue, backlog };
}

/** Each takes some 4 µs on SQLite, and the writer waits for it. */
const LOOKED_AT_MAX = 8_000;

/** The type of an event is asked of its row: that takes 13 µs more on PostgreSQL. */
const LOOKED_AT_OF_TYPE_MAX = 2_500;

export const lookedAtMaxOf = ({ lookedAtMax, type }: Pick<ListDeliveries, "lookedAtMax" | "type">): number =>
  lookedAtMax ?? (type === undefined ? LOOKED_AT_MAX : LOOKED_AT_OF_TYPE_MAX);

export type CountIndex = Exclude<LogIndex, "backlog">;

export interface CountScan extends Pick<LogScan, "key"> {
  readonly index: CountIndex;
  readonly filter: ListDeliveries;
  /** Each of the index's rows is let through, so that none has to be looked at. */
  readonly isImplied: boolean;
}

export function planCounts(params: CountDeliveries): CountScan[] {
  return planScans(asPage(params)).flatMap(({ index, key, filter }) =>
    index === "backlog" ? [] : [{ index, key, filter, isImplied: isImplied(index, filter) }],
  );
}

/** A total of a type is "at least" sooner. */
export const rowsCounted = ({ type, rowsMax }: CountDeliveries): number =>
  type === undefined ? rowsMax : Math.min(rowsMax, LOOKED_AT_OF_TYPE_MAX);

/** As the lists take it, from the newest on. */
export const asPage = ({ rowsMax, ...filter }: CountDeliveries): ListDeliveries => ({
  ...filter,
  before: null,
  limit: rowsMax,
  lookedAtMax: Math.min(rowsMax, LOOKED_AT_OF_TYPE_MAX),
});

/** Whether the filter lets through each row of the index. */
export function isImplied(index: LogIndex, { statuses, response, type }: ListDeliveries): boolean {
  if (type !== undefined) return false;
  if (index === "all") return statuses === undefined && response === undefined;
  if (index === "unsent" || index === "retrying") return response === undefined;
  if (index === "refused") return statuses === undefined && response !== undefined && !isOneCode(response);
  return false;
}

const isOneCode = (response: NonNullable<ListDeliveries["response"]>): boolean =>
  response !== "none" && "status" in response;

/** Rows of one index. */
export interface CountedRows {
  readonly looked: number;
  readonly found: number;
}

/** Adds up what is counted one after the other, and knows how many rows are left to look at. */
export function createSum(rowsMax: number) {
  let looked = 0;
  let found = 0;
  return {
    /** One more than the maximum shows that there are others. */
    left: (): number => rowsMax + 1 - looked,
    add(rows: CountedRows): void {
      looked += rows.looked;
      found += rows.found;
    },
    end: (): CountedDeliveries => ({ count: Math.min(found, rowsMax), isWhole: looked <= rowsMax }),
  };
}

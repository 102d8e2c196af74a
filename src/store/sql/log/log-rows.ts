/** A page of the log: its filter, and its rows read back. Which index a page follows is each store's own. */
import type { AttemptRecord } from "../../../domain/attempt.ts";
import type { LISTED, LOADED, RowOf } from "../../columns.ts";
import type {
  DeliveryCursor,
  ListDeliveries,
  ListedDeliveries,
  ListedDelivery,
  StoredDelivery,
} from "../../contract/log.ts";

export type LogFilter = Pick<
  ListDeliveries,
  "statuses" | "response" | "createdFromMs" | "createdToMs" | "before" | "limit"
>;

/** Everything before the end of the range is behind the row that no id comes before. */
export function findStart({ before, createdToMs = Number.MAX_SAFE_INTEGER }: LogFilter): DeliveryCursor {
  return before === null || before.createdAtMs >= createdToMs ? { createdAtMs: createdToMs, id: "" } : before;
}

/** By time, and by id among those of one millisecond: the order of the indexes, and of the cursor. */
export const newestFirst = (one: DeliveryCursor, other: DeliveryCursor): number =>
  other.createdAtMs - one.createdAtMs || (one.id === other.id ? 0 : one.id < other.id ? 1 : -1);

interface PageEnd {
  readonly limit: number;
  /** Rows that are older were not all looked at. */
  readonly reachedMs: number | null;
}

/** Where the next page begins, of one row more than the page has. No id comes before "0". */
export function findNext(
  rows: readonly DeliveryCursor[],
  { limit, reachedMs }: PageEnd,
): Pick<ListedDeliveries, "next" | "searchedBackToMs"> {
  const last = rows[limit - 1];
  if (rows.length > limit && last !== undefined) {
    return { next: { createdAtMs: last.createdAtMs, id: last.id }, searchedBackToMs: null };
  }
  return { next: reachedMs === null ? null : { createdAtMs: reachedMs, id: "0" }, searchedBackToMs: reachedMs };
}

/** As the lists have the last answer: its status, 0 for none. */
export function findAnswers(response: ListDeliveries["response"]): readonly [min: number | null, max: number | null] {
  if (response === undefined) return [null, null];
  if (response === "none") return [0, 0];
  if ("status" in response) return [response.status, response.status];
  return [response.hundreds * 100, response.hundreds * 100 + 99];
}

export function findHundreds(response: ListDeliveries["response"]): number | null {
  const [answerMin] = findAnswers(response);
  return answerMin === null ? null : Math.floor(answerMin / 100);
}

export function toListedDelivery(
  row: ListedRow & Pick<ListedDelivery, "eventType" | "sourceId" | "about">,
): ListedDelivery {
  const { isTest, lastOutcome, lastStatus, lastMs, ...shown } = row;
  const last = lastOutcome === null ? null : { outcome: lastOutcome, status: lastStatus, totalMs: lastMs ?? 0 };
  return { ...shown, isTest: Boolean(isTest), last };
}

export type ListedRow = RowOf<typeof LISTED>;

/** The part of its event that a delivery shows. */
export interface EventOfDelivery {
  readonly eventType: string;
  readonly body: string | null;
}

export const toStoredDelivery = (
  { isTest, ...row }: StoredRow & EventOfDelivery,
  attempts: readonly AttemptRecord[],
): StoredDelivery => ({ ...row, isTest: Boolean(isTest), attempts });

/** One delivery, without its attempts. */
export type StoredRow = RowOf<typeof LOADED>;

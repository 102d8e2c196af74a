/**
 * Which indexes a total of the log follows: those of its pages (`log-ways.ts`), but in no order, so what waits has one
 * way however much it is. Counts are added up here. Pure, and the same on both stores.
 */
import type { CountDeliveries, CountedDeliveries, ListDeliveries } from "../../contract/log.ts";
import { type LogIndex, type LogWay, planWays } from "./log-ways.ts";

export type CountIndex = Exclude<LogIndex, "backlog">;

export interface CountWay extends Pick<LogWay, "key"> {
  readonly index: CountIndex;
  readonly filter: ListDeliveries;
  /** Each of the index's rows is let through, so that none has to be looked at. */
  readonly isImplied: boolean;
}

export function planCounts(params: CountDeliveries): CountWay[] {
  return planWays(asPage(params)).flatMap(({ index, key, filter }) =>
    index === "backlog" ? [] : [{ index, key, filter, isImplied: isImplied(index, filter) }],
  );
}

/** As the lists take it, from the newest on. */
export const asPage = ({ rowsMax, ...filter }: CountDeliveries): ListDeliveries => ({
  ...filter,
  before: null,
  limit: rowsMax,
});

function isImplied(index: CountIndex, { statuses, response }: ListDeliveries): boolean {
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
export function createTally(rowsMax: number) {
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

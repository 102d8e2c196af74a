/**
 * How many deliveries the log's filters and its search find: exact up to a bound that keeps the answer quick whatever
 * an account has, and honest about being cut beyond it. The page asks only where there is more than one page.
 */
import { ok } from "../../lib/result.ts";
import type { Handler, Handlers } from "../call/operation.ts";
import { readDeliveryQuery } from "./query.ts";
import { searchLog } from "./search.ts";

/** More than a person counts on a number for. With 1,000,000 deliveries see `bench/RESULTS.md`, The log. */
export const TOTAL_ROWS_MAX = 10_000;

/** Each that is found is read from its texts. */
export const FOUND_ROWS_MAX = 500;

const getTotal: Handler<"GET /deliveries/total"> = async (ctx, { session, query }) => {
  const { cursor: _, ...everyPage } = query;
  const filter = readDeliveryQuery(everyPage);
  if (!filter.ok) return filter;
  const { phrases, idText, before, ...wanted } = { ...filter.value, accountId: session.accountId };
  if (phrases === undefined && idText === undefined) {
    return ok(await ctx.accounts.store.countDeliveries({ ...wanted, rowsMax: TOTAL_ROWS_MAX }));
  }
  const page = { ...wanted, before, limit: FOUND_ROWS_MAX };
  const found =
    phrases === undefined
      ? await ctx.accounts.store.listDeliveries({ ...page, idText: idText ?? "" })
      : await searchLog(ctx, { ...page, phrases });
  return ok({ count: found.deliveries.length, isWhole: found.next === null });
};

export const totalHandlers = {
  "GET /deliveries/total": getTotal,
} satisfies Handlers;

/**
 * Everything that the log's filters and its search find, on all pages: what "all that match" selects, and how many that
 * are before a person presses it.
 */
import { LIMITS } from "../../domain/limits.ts";
import { ok } from "../../domain/problem.ts";
import type { Route, RouteGroup } from "../call/operation.ts";
import { readDeliveryQuery } from "./query.ts";
import { walkMatching } from "./walk-matching.ts";

/**
 * A search may look at a day without a match and answer an empty page. Guess: a month of such pages; what lies behind
 * them counts as more than can be selected.
 */
const PAGES_MAX = 40;

const getMatching: Route<"GET /deliveries/matching">["handle"] = async (ctx, { session, query }) => {
  const filter = readDeliveryQuery(query);
  if (!filter.ok) return filter;
  const ids: string[] = [];
  const deliveredIds: string[] = [];
  let pages = 0;
  for await (const { deliveries, next } of walkMatching(ctx, { ...filter.value, accountId: session.accountId })) {
    for (const { id, state } of deliveries) {
      if (ids.length === LIMITS.matchingMax) return ok({ ids, deliveredIds, isWhole: false });
      ids.push(id);
      if (state === "delivered") deliveredIds.push(id);
    }
    pages += 1;
    if (pages === PAGES_MAX) return ok({ ids, deliveredIds, isWhole: next === null });
  }
  return ok({ ids, deliveredIds, isWhole: true });
};

export const matchingRoutes: RouteGroup<"GET /deliveries/matching"> = {
  "GET /deliveries/matching": { role: "owner", handle: getMatching },
};

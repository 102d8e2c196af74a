/**
 * Everything that the log's filters and its search find, on all pages: what "all that match" selects, and how many that
 * are before a person presses it. Tests are left out, because nothing sends a test again.
 */
import { LIMITS } from "../../domain/limits.ts";
import { ok } from "../../domain/problem.ts";
import type { DashboardContext } from "../call/context.ts";
import type { Route, RouteGroup } from "../call/operation.ts";
import { type DeliveryFilter, readDeliveryQuery } from "./query.ts";
import { searchLog } from "./search.ts";

/** Rows of a call of the store. Guess: 5 ms of its time. */
const PAGE_ROWS = 500;

/**
 * A search may look at a day without a match and answer an empty page. Guess: a month of such pages; what lies behind
 * them counts as more than can be selected.
 */
const PAGES_MAX = 40;

const getMatching: Route<"GET /deliveries/matching">["handle"] = async (ctx, { session, query }) => {
  const filter = readDeliveryQuery(query);
  if (!filter.ok) return filter;
  const { accountId } = session;
  const ids: string[] = [];
  const deliveredIds: string[] = [];
  let before: DeliveryFilter["before"] = null;
  for (let page = 0; page < PAGES_MAX; page += 1) {
    const found = await listPage(ctx, { ...filter.value, withTests: false, accountId, before, limit: PAGE_ROWS });
    for (const { id, state } of found.deliveries) {
      if (ids.length === LIMITS.matchingMax) return ok({ ids, deliveredIds, isWhole: false });
      ids.push(id);
      if (state === "delivered") deliveredIds.push(id);
    }
    if (found.next === null) return ok({ ids, deliveredIds, isWhole: true });
    before = found.next;
  }
  return ok({ ids, deliveredIds, isWhole: false });
};

function listPage(
  ctx: DashboardContext,
  { phrases, ...wanted }: DeliveryFilter & { readonly accountId: string; readonly limit: number },
) {
  return phrases === undefined ? ctx.accounts.store.listDeliveries(wanted) : searchLog(ctx, { ...wanted, phrases });
}

export const matchingRoutes: RouteGroup<"GET /deliveries/matching"> = {
  "GET /deliveries/matching": { role: "owner", handle: getMatching },
};

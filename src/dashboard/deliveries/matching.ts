/**
 * Finds what the log's filters and its search let through on all pages: "all that match" selects these, and says how
 * many there are before a person presses it.
 */
import { LIMITS } from "../../domain/limits.ts";
import { ok } from "../../lib/result.ts";
import type { DeliveryCursor, ListedDelivery } from "../../store/contract/log.ts";
import type { DashboardContext } from "../call/context.ts";
import type { Handler, Handlers } from "../call/operation.ts";
import { type DeliveryFilter, readDeliveryQuery } from "./query.ts";
import { searchLog } from "./search.ts";

/**
 * A search may look at a day without a match and answer an empty page. Guess: a month of such pages. When there are
 * more, the answer is not whole, as when more deliveries match than can be selected.
 */
export const PAGES_MAX = 40;

const getMatching: Handler<"GET /deliveries/matching"> = async (ctx, { session, query }) => {
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

export const matchingHandlers = {
  "GET /deliveries/matching": getMatching,
} satisfies Handlers;

/*
 * Everything that the log's filters and its search find, page by page and newest first: for what is asked of all that
 * match. A search may answer an empty page that is not the last, so callers bound their pages too.
 */

/** Rows that the store is asked for at a time. Guess: 5 ms of its time. */
export const PAGE_ROWS = 500;

export type Matching = Omit<DeliveryFilter, "before" | "withTests"> & { readonly accountId: string };

interface MatchingPage {
  readonly deliveries: readonly ListedDelivery[];
  /** `null` on the last page. */
  readonly next: DeliveryCursor | null;
  /** The index of search is behind: what was accepted from then on may be missing. */
  readonly missingFromMs: number | null;
}

/** Tests are left out, because nothing sends a test again. */
export async function* walkMatching(ctx: DashboardContext, matching: Matching): AsyncGenerator<MatchingPage, void> {
  let before: DeliveryCursor | null = null;
  do {
    const page: MatchingPage = await findPage(ctx, matching, before);
    yield page;
    before = page.next;
  } while (before !== null);
}

async function findPage(
  ctx: DashboardContext,
  { phrases, ...filter }: Matching,
  before: DeliveryCursor | null,
): Promise<MatchingPage> {
  const wanted = { ...filter, withTests: false, before, limit: PAGE_ROWS };
  if (phrases !== undefined) return await searchLog(ctx, { ...wanted, phrases });
  return { ...(await ctx.accounts.store.listDeliveries(wanted)), missingFromMs: null };
}

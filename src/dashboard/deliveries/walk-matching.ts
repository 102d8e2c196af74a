/**
 * Everything that the log's filters and its search find, page by page and newest first: for what is asked of all that
 * match. A search may answer an empty page that is not the last, so callers bound their pages too.
 */
import type { DeliveryCursor, ListedDelivery } from "../../store/contract/log.ts";
import type { DashboardContext } from "../call/context.ts";
import type { DeliveryFilter } from "./query.ts";
import { searchLog } from "./search.ts";

/** Rows of a call of the store. Guess: 5 ms of its time. */
const PAGE_ROWS = 500;

export type Matching = Omit<DeliveryFilter, "before" | "withTests"> & { readonly accountId: string };

export interface MatchingPage {
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

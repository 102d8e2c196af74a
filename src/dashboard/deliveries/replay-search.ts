/**
 * The deliveries that a replay's search has found when it is prepared. They are walked page by page outside of the
 * replay's transaction, so that no node waits for a long search. The transaction then freezes those that the rest of
 * the filter still names.
 */
import type { DeliveryState, DeliveryStatus } from "../../domain/delivery.ts";
import { LIMITS } from "../../domain/limits.ts";
import { type Result, ok, refuse } from "../../domain/problem.ts";
import type { ReplayFilter } from "../../domain/replay.ts";
import { replayTooLarge } from "../../delivery/resend.ts";
import type { DashboardContext } from "../call/context.ts";
import { invalidForm } from "../call/read-call.ts";
import { parseSearch } from "./search-query.ts";
import { walkMatching } from "./walk-matching.ts";

/** With the ids of all that was found, where something is searched for. */
export interface SearchedReplay {
  readonly filter: ReplayFilter;
  readonly deliveryIds?: readonly string[];
}

export async function findSearched(
  ctx: DashboardContext,
  accountId: string,
  filter: ReplayFilter,
): Promise<Result<SearchedReplay>> {
  const { q, states, ...rest } = filter;
  const search = parseSearch(q);
  if (!search.ok) return refuse(invalidForm([{ ...search.error, path: "filter.q" }]));
  if (search.value === null) return ok({ filter: { states, ...rest } });
  const searched = search.value.kind === "id" ? { idText: search.value.id } : { phrases: search.value.phrases };
  const statuses = states.flatMap((state) => STATUSES[state]);
  const deliveryIds: string[] = [];
  let knownToMs = rest.createdToMs ?? Number.MAX_SAFE_INTEGER;
  for await (const page of walkMatching(ctx, { accountId, ...rest, ...searched, statuses })) {
    deliveryIds.push(...page.deliveries.map(({ id }) => id));
    if (deliveryIds.length > LIMITS.replayDeliveriesMax) return refuse(replayTooLarge);
    knownToMs = Math.min(knownToMs, page.missingFromMs ?? knownToMs);
  }
  // A replay has nothing that the index does not have yet, and its page says so.
  const known = knownToMs === Number.MAX_SAFE_INTEGER ? {} : { createdToMs: knownToMs };
  return ok({ filter: { ...filter, ...known, q: q?.trim() ?? "" }, deliveryIds });
}

const STATUSES: Readonly<Record<DeliveryState, readonly DeliveryStatus[]>> = {
  pending: ["waiting", "retrying"],
  delivered: ["delivered"],
  failed: ["failed"],
  cancelled: ["cancelled"],
};

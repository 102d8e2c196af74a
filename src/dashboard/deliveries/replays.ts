/**
 * Bulk replays: prepared (frozen and counted, nothing sent), confirmed, watched, paused, cancelled. A replay moves
 * exactly the deliveries that were frozen when it was prepared, however long somebody thinks about it.
 */
import { replayTooLarge, setReplayState, startReplay } from "../../delivery/resend.ts";
import type { DeliveryState, DeliveryStatus } from "../../domain/delivery.ts";
import { LIMITS } from "../../domain/limits.ts";
import { problem, type Result } from "../../domain/problem.ts";
import { ok, refuse } from "../../lib/result.ts";
import type { ReplayFilter } from "../../domain/replay.ts";
import type { ReportedDestination } from "../../store/contract/destinations.ts";
import type { StoredReplay } from "../../store/contract/replays.ts";
import type { DashboardContext } from "../call/context.ts";
import { invalidForm, type Handler, type Handlers } from "../call/operation.ts";
import type { ReplayView } from "../contract/deliveries.ts";
import { destinationsById } from "../destinations/destinations.ts";
import type { Session } from "../guard/session.ts";
import { type Matching, PAGE_ROWS, PAGES_MAX, walkMatching } from "./matching.ts";
import { parseSearch } from "./query.ts";

const listReplays: Handler<"GET /replays"> = async (ctx, { session }) => {
  const { accountId } = session;
  const replays = await ctx.accounts.store.listReplays({ accountId });
  const destinations = await destinationsById(ctx, session);
  return ok({ replays: replays.map((replay) => toReplayView(replay, destinations)) });
};

const getReplay: Handler<"GET /replays/:id"> = async (ctx, { session, params }) =>
  await findReplay(ctx, session, params.id);

const postReplay: Handler<"POST /replays"> = async (ctx, { session, body }) => {
  const { accountId, by } = session;
  const { destinationId } = body.filter;
  if (destinationId !== undefined && !(await destinationsById(ctx, session)).has(destinationId)) {
    const errors = [{ path: "filter.destinationId", message: "names no destination of this account" }];
    return refuse(problem("destination_not_found", "This account has no such destination.", errors));
  }
  const searched = await findSearched(ctx, accountId, body.filter);
  if (!searched.ok) return searched;
  const request = { accountId, by, startPaused: true, ...body, ...searched.value };
  const prepared = await startReplay({ ctx: ctx.delivery, engine: ctx.engine }, request);
  if (!prepared.ok) return prepared;
  ctx.live.replaysChanged(accountId, [prepared.value.replayId]);
  return await findReplay(ctx, session, prepared.value.replayId);
};

/** A replay that has ended stays as it is, and the answer shows it: two people may press two buttons. */
const putReplayState: Handler<"PUT /replays/:id/state"> = async (ctx, { session, params, body }) => {
  const { accountId, by } = session;
  const change = { accountId, replayId: params.id, state: body.state, by };
  const changed = await setReplayState({ ctx: ctx.delivery, engine: ctx.engine }, change);
  if (!changed.ok) return changed;
  ctx.live.replaysChanged(accountId, [params.id]);
  return await findReplay(ctx, session, params.id);
};

export async function findReplay(
  ctx: DashboardContext,
  session: Session,
  replayId: string,
): Promise<Result<ReplayView>> {
  const [replay] = await ctx.accounts.store.listReplays({ accountId: session.accountId, replayId });
  if (replay === undefined) return refuse(problem("replay_not_found", "This account has no such replay."));
  return ok(toReplayView(replay, await destinationsById(ctx, session)));
}

function toReplayView(replay: StoredReplay, destinations: ReadonlyMap<string, ReportedDestination>): ReplayView {
  const { actor, stateActor, ...rest } = replay;
  const { destinationId } = replay.filter;
  const destination = destinationId === undefined ? undefined : destinations.get(destinationId);
  return { ...rest, destination: destination?.owner ?? null, by: actor, stateBy: stateActor };
}

export const replayHandlers = {
  "GET /replays": listReplays,
  "POST /replays": postReplay,
  "GET /replays/:id": getReplay,
  "PUT /replays/:id/state": putReplayState,
} satisfies Handlers;

/*
 * The deliveries that a replay's search has found when it is prepared. They are walked page by page outside of the
 * replay's transaction, so that no node waits for a long search. The transaction then freezes those that the rest of
 * the filter still names.
 */

/** The filter of a replay. A search adds the ids of all deliveries that it found. */
interface SearchedReplay {
  readonly filter: ReplayFilter;
  readonly deliveryIds?: readonly string[];
}

async function findSearched(
  ctx: DashboardContext,
  accountId: string,
  filter: ReplayFilter,
): Promise<Result<SearchedReplay>> {
  const { q, states, ...rest } = filter;
  const search = parseSearch(q);
  if (!search.ok) return refuse(invalidForm([{ ...search.error, path: "filter.q" }]));
  if (search.value === null) return ok({ filter: { states, ...rest } });
  const { value } = search;
  const searched = value.kind === "id" ? { idText: value.id } : { phrases: value.phrases, values: value.values };
  return await findReplayed(ctx, { accountId, ...rest, ...searched }, { states, ...rest, q: q?.trim() ?? "" });
}

/** The deliveries that are found, for a replay with this filter. */
export async function findReplayed(
  ctx: DashboardContext,
  matching: Omit<Matching, "statuses">,
  filter: ReplayFilter,
): Promise<Result<Required<SearchedReplay>>> {
  const statuses = filter.states.flatMap((state) => STATUSES[state]);
  const deliveryIds: string[] = [];
  let knownToMs = filter.createdToMs ?? Number.MAX_SAFE_INTEGER;
  // Full pages end at the most that a replay takes.
  let pagesLeft = PAGES_MAX;
  for await (const page of walkMatching(ctx, { ...matching, statuses })) {
    deliveryIds.push(...page.deliveries.map(({ id }) => id));
    if (deliveryIds.length > LIMITS.replayDeliveriesMax) return refuse(replayTooLarge);
    knownToMs = Math.min(knownToMs, page.missingFromMs ?? knownToMs);
    if (page.deliveries.length < PAGE_ROWS) pagesLeft -= 1;
    if (pagesLeft === 0 && page.next !== null)
      return refuse(filter.email === undefined ? searchTooLong : personTooLong);
  }
  // A replay has nothing that the index does not have yet, and its page says so.
  const known = knownToMs === Number.MAX_SAFE_INTEGER ? {} : { createdToMs: knownToMs };
  return ok({ filter: { ...filter, ...known }, deliveryIds });
}

const searchTooLong = problem(
  "replay_too_large",
  "There is more to look through than a replay can: in the log, choose a shorter time, one webhook, or rarer words.",
);

const personTooLong = problem(
  "replay_too_large",
  "There is more to look through than a replay can: search the log for this address, and choose a shorter time there.",
);

const STATUSES: Readonly<Record<DeliveryState, readonly DeliveryStatus[]>> = {
  pending: ["waiting", "retrying"],
  delivered: ["delivered"],
  failed: ["failed"],
  cancelled: ["cancelled"],
};

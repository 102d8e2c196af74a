/**
 * Bulk replays: prepared (frozen and counted, nothing sent), confirmed, watched, paused, cancelled. A replay moves
 * exactly the deliveries that were frozen when it was prepared, however long somebody thinks about it.
 */
import Type from "typebox";
import { setReplayState, startReplay } from "../../delivery/resend.ts";
import { DELIVERY_STATES } from "../../domain/delivery.ts";
import { EVENT_TYPES } from "../../domain/event.ts";
import { LIMITS } from "../../domain/limits.ts";
import { type Result, ok, problem, refuse } from "../../domain/problem.ts";
import type { ReportedDestination } from "../../store/contract/destinations.ts";
import type { StoredReplay } from "../../store/contract/replays.ts";
import type { DashboardContext } from "../call/context.ts";
import type { ReplayView } from "../contract/deliveries.ts";
import { destinationsById } from "../destinations/destinations.ts";
import { findSearched } from "./replay-search.ts";
import type { Route, RouteGroup } from "../call/operation.ts";
import type { Session } from "../guard/session.ts";

const instant = Type.Optional(Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER }));

const oneOf = (name: string, minimum: number, maximum: number) =>
  Type.Object({ [name]: Type.Integer({ minimum, maximum }) }, { additionalProperties: false });

const responseForm = Type.Union([Type.Literal("none"), oneOf("hundreds", 1, 5), oneOf("status", 100, 599)]);

const prepareForm = Type.Object(
  {
    filter: Type.Object(
      {
        destinationId: Type.Optional(Type.String({ maxLength: 128 })),
        type: Type.Optional(Type.Enum([...EVENT_TYPES])),
        states: Type.Array(Type.Enum([...DELIVERY_STATES]), {
          minItems: 1,
          maxItems: DELIVERY_STATES.length,
        }),
        response: Type.Optional(responseForm),
        q: Type.Optional(Type.String({ maxLength: 200 })),
        createdFromMs: instant,
        createdToMs: instant,
      },
      { additionalProperties: false },
    ),
    ratePerSecond: Type.Number({ minimum: 1, maximum: LIMITS.replayRatePerSecondMax }),
  },
  { additionalProperties: false },
);

const stateForm = Type.Object(
  { state: Type.Enum(["running", "paused", "cancelled"]) },
  { additionalProperties: false },
);

const listReplays: Route<"GET /replays">["handle"] = async (ctx, { session }) => {
  const { accountId } = session;
  const replays = await ctx.accounts.store.listReplays({ accountId });
  const destinations = await destinationsById(ctx, session);
  return ok({ replays: replays.map((replay) => toReplayView(replay, destinations)) });
};

const getReplay: Route<"GET /replays/:id">["handle"] = async (ctx, { session, params }) =>
  await findReplay(ctx, session, params.id);

const postReplay: Route<"POST /replays">["handle"] = async (ctx, { session, body }) => {
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
const putReplayState: Route<"PUT /replays/:id/state">["handle"] = async (ctx, { session, params, body }) => {
  const { accountId, by } = session;
  const change = { accountId, replayId: params.id, state: body.state, by };
  const changed = await setReplayState({ ctx: ctx.delivery, engine: ctx.engine }, change);
  if (!changed.ok) return changed;
  ctx.live.replaysChanged(accountId, [params.id]);
  return await findReplay(ctx, session, params.id);
};

async function findReplay(ctx: DashboardContext, session: Session, replayId: string): Promise<Result<ReplayView>> {
  const replay = await ctx.accounts.store.loadReplay({ accountId: session.accountId, replayId });
  if (replay === null) return refuse(problem("replay_not_found", "This account has no such replay."));
  return ok(toReplayView(replay, await destinationsById(ctx, session)));
}

function toReplayView(replay: StoredReplay, destinations: ReadonlyMap<string, ReportedDestination>): ReplayView {
  const { actor, stateActor, ...rest } = replay;
  const { destinationId } = replay.filter;
  const destination = destinationId === undefined ? undefined : destinations.get(destinationId);
  return { ...rest, destination: destination?.owner ?? null, by: actor, stateBy: stateActor };
}

export const replayRoutes: RouteGroup<
  "GET /replays" | "POST /replays" | "GET /replays/:id" | "PUT /replays/:id/state"
> = {
  "GET /replays": { role: "viewer", handle: listReplays },
  "POST /replays": { role: "owner", bodySchema: prepareForm, handle: postReplay },
  "GET /replays/:id": { role: "viewer", handle: getReplay },
  "PUT /replays/:id/state": { role: "owner", bodySchema: stateForm, handle: putReplayState },
};

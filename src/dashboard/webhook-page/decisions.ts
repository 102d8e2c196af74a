/** What one webhook would do with events: the newest that it is meant for, or those that a search finds. */
import type { AccountView } from "../../accounts/account-view.ts";
import { destinationMissing } from "../../accounts/set-destination-state.ts";
import type { Result } from "../../domain/problem.ts";
import { ok, refuse } from "../../lib/result.ts";
import { mapInSlices } from "../../lib/rounds.ts";
import type { ListedEvent } from "../../store/contract/log.ts";
import type { DashboardContext, ReadContext } from "../call/context.ts";
import { freshView } from "../call/fresh-view.ts";
import { type Handler, type Handlers, invalidQuery } from "../call/operation.ts";
import { listNewest } from "../conditions/latest-events.ts";
import type { Decision } from "../contract/webhook-page.ts";
import { parseSearch } from "../deliveries/query.ts";
import { searchEventStep } from "../deliveries/search.ts";
import { type Asked, createDecider, createMeant } from "../destinations/decider.ts";
import { destinationsById } from "../destinations/destinations.ts";

/** As many as are read at a glance; each is read with its body. */
const EVENTS_MAX = 10;

const listDecisions: Handler<"GET /destinations/:id/decisions"> = async (ctx, { session, params, query }) => {
  const { accountId } = session;
  const view = await freshView(ctx, session);
  if (!view.ok) return view;
  const destination = (await destinationsById(ctx, session, [params.id])).get(params.id);
  if (destination === undefined) return refuse(destinationMissing);
  const asked = { id: params.id, owner: destination.owner };
  const events = await findEvents(ctx, { accountId, q: query.q, wanted: wantedOf(ctx, view.value, asked) });
  if (!events.ok) return events;
  const loads = events.value.map(({ type, sourceId }) => ctx.accounts.store.loadEvent({ accountId, type, sourceId }));
  const found = (await Promise.all(loads)).filter((event) => event !== null);
  const decideOn = createDecider(ctx, view.value, asked);
  const decisions = await mapInSlices(ctx.accounts.clock, found, (event): Decision => {
    const { type, sourceId, assistantId, acceptedAtMs, about } = event;
    return { type, sourceId, assistantId, acceptedAtMs, about, ...decideOn(event) };
  });
  return ok({ decisions });
};

interface WantedEvents {
  readonly accountId: string;
  /** What somebody looks for; left out, the newest of what the webhook is meant for. */
  readonly q: string | undefined;
  readonly wanted: Pick<Parameters<typeof listNewest>[1], "types" | "assistantId">;
}

async function findEvents(
  ctx: DashboardContext,
  { accountId, q, wanted }: WantedEvents,
): Promise<Result<readonly ListedEvent[]>> {
  const parsed = parseSearch(q);
  if (!parsed.ok) return refuse(invalidQuery([parsed.error]));
  const { store } = ctx.accounts;
  if (parsed.value === null) return ok(await listNewest(store, { accountId, ...wanted }, EVENTS_MAX));
  const search = { wanted: { accountId, type: null }, query: parsed.value, cursor: undefined, limit: EVENTS_MAX };
  const step = await searchEventStep(ctx, search);
  return step.ok ? ok(step.value.events) : step;
}

function wantedOf(ctx: ReadContext, view: AccountView, asked: Asked): WantedEvents["wanted"] {
  const isMeant = createMeant(ctx, view, asked);
  const ofAssistant = asked.owner.kind === "assistant" ? { assistantId: asked.owner.id } : {};
  return {
    types: ctx.accounts.types.all.filter(({ type }) => isMeant({ type, assistantId: null, ...ofAssistant })),
    ...ofAssistant,
  };
}

export const decisionHandlers = {
  "GET /destinations/:id/decisions": listDecisions,
} satisfies Handlers;

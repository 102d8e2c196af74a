/** A destination's incidents, and what became of the deliveries that one has hit. Viewers may read them. */
import { destinationMissing } from "../../accounts/set-destination-state.ts";
import { ok, refuse } from "../../domain/problem.ts";
import type { Route, RouteGroup } from "../call/operation.ts";
import { destinationsById } from "./destinations.ts";

const PAGE_ROWS = 5;
/** An e-mail's link may be some weeks old. */
const LINKED_ROWS_MAX = 100;

/** To look at these takes some 20 ms; where there were more, the page says that it counted the newest of them alone. */
const LOOKED_AT_MAX = 10_000;

/** The characters of our ids. */
const isId = (text: string | undefined): text is string => text !== undefined && /^[\w-]{1,64}$/.test(text);

const listIncidents: Route<"GET /destinations/:id/incidents">["handle"] = async (ctx, { session, params, query }) => {
  const { accountId } = session;
  if (!(await destinationsById(ctx, session, params.id)).has(params.id)) return refuse(destinationMissing);
  const before = isId(query.before) ? query.before : null;
  const limit = before === null && isId(query.incident) ? LINKED_ROWS_MAX : PAGE_ROWS;
  const asked = { accountId, destinationId: params.id, before, limit: limit + 1 };
  const found = await ctx.accounts.store.listIncidents(asked);
  const linked = found.findIndex(({ id }) => id === query.incident);
  const shown = found.slice(0, Math.max(PAGE_ROWS, linked + 1));
  return ok({ incidents: shown, hasOlder: found.length > shown.length });
};

const getFigures: Route<"GET /destinations/:id/incident-figures">["handle"] = async (
  ctx,
  { session, params, query },
) => {
  const { accountId } = session;
  const { store, clock } = ctx.accounts;
  if (!(await destinationsById(ctx, session, params.id)).has(params.id)) return refuse(destinationMissing);
  if (!isId(query.incident)) return ok({ figures: null, lookedAtMax: LOOKED_AT_MAX });
  const counting = {
    accountId,
    destinationId: params.id,
    incidentId: query.incident,
    rowsMax: LOOKED_AT_MAX,
    nowMs: clock.nowMs(),
  };
  return ok({ figures: await store.countIncident(counting), lookedAtMax: LOOKED_AT_MAX });
};

export const incidentRoutes: RouteGroup<"GET /destinations/:id/incidents" | "GET /destinations/:id/incident-figures"> =
  {
    "GET /destinations/:id/incidents": { role: "viewer", handle: listIncidents },
    "GET /destinations/:id/incident-figures": { role: "viewer", handle: getFigures },
  };

/** Incidents of one destination or of all, and what became of the deliveries that one has hit, for viewers too. */
import { destinationMissing } from "../../accounts/set-destination-state.ts";
import { ok, refuse } from "../../lib/result.ts";
import type { ReportedDestination } from "../../store/contract/destinations.ts";
import type { StoredIncident } from "../../store/contract/incidents.ts";
import type { DashboardContext } from "../call/context.ts";
import type { Handler, Handlers } from "../call/operation.ts";
import type { AccountIncidentView } from "../contract/incidents.ts";
import { loadEvidence } from "../explain/evidence.ts";
import { destinationsById } from "./destinations.ts";

const PAGE_ROWS = 5;
/** An e-mail's link may be some weeks old. */
const LINKED_ROWS_MAX = 100;

/** To look at these takes some 20 ms; where there were more, the page says that it counted the newest of them alone. */
const LOOKED_AT_MAX = 10_000;

/** The characters of our ids. */
const isId = (text: string | undefined): text is string => text !== undefined && /^[\w-]{1,64}$/.test(text);

const listIncidents: Handler<"GET /destinations/:id/incidents"> = async (ctx, { session, params, query }) => {
  const { accountId } = session;
  if (!(await destinationsById(ctx, session, [params.id])).has(params.id)) return refuse(destinationMissing);
  const before = isId(query.before) ? query.before : null;
  const limit = before === null && isId(query.incident) ? LINKED_ROWS_MAX : PAGE_ROWS;
  const asked = { accountId, destinationId: params.id, before, limit: limit + 1 };
  const found = await ctx.accounts.store.listIncidents(asked);
  const linked = found.findIndex(({ id }) => id === query.incident);
  const shown = found.slice(0, Math.max(PAGE_ROWS, linked + 1));
  return ok({ incidents: shown, hasOlder: found.length > shown.length });
};

const getFigures: Handler<"GET /destinations/:id/incident-figures"> = async (ctx, { session, params, query }) => {
  const { accountId } = session;
  const { store, clock } = ctx.accounts;
  if (!(await destinationsById(ctx, session, [params.id])).has(params.id)) return refuse(destinationMissing);
  const lookedAtMax = LOOKED_AT_MAX;
  if (!isId(query.incident)) return ok({ figures: null, evidence: null, lookedAtMax });
  const counting = {
    accountId,
    destinationId: params.id,
    incidentId: query.incident,
    rowsMax: lookedAtMax,
    nowMs: clock.nowMs(),
  };
  const figures = await store.countIncident(counting);
  const lastId = figures?.lastFailedId ?? null;
  return ok({ figures, evidence: lastId === null ? null : await loadEvidence(ctx, accountId, lastId), lookedAtMax });
};

const ACCOUNT_PAGE_ROWS = 25;

/** More than an account has destinations is never under way. */
const LASTING_MAX = 1_000;

/** One that ended before that is never asked for: only those that last are left. */
const NEVER_MS = Number.MAX_SAFE_INTEGER;

const listAll: Handler<"GET /incidents"> = async (ctx, { session, query }) => {
  const { accountId } = session;
  const { store } = ctx.accounts;
  const isFirst = !isId(query.before);
  const behind = isFirst ? {} : { before: query.before };
  const lasting = await store.listIncidents({ accountId, sinceMs: NEVER_MS, limit: LASTING_MAX });
  // Those that last are on the first page already.
  const limit = ACCOUNT_PAGE_ROWS + lasting.length + 1;
  const found = await store.listIncidents({ accountId, sinceMs: 0, limit, ...behind });
  const ended = found.filter(({ toMs }) => toMs !== null);
  const page = ended.slice(0, ACCOUNT_PAGE_ROWS);
  const first = isFirst ? [...lasting, ...(await findLinked(ctx, accountId, query.incident))] : [];
  const shown = [...first, ...page].filter(({ id }, place, all) => all.findIndex((one) => one.id === id) === place);
  const destinations = await destinationsById(ctx, session);
  return ok({
    incidents: shown.map((incident) => withDestination(incident, destinations)),
    olderThan: ended.length > page.length ? (page.at(-1)?.id ?? null) : null,
  });
};

/** The one that a link names, however old it is. */
async function findLinked(ctx: DashboardContext, accountId: string, id: string | undefined) {
  if (!isId(id)) return [];
  const asked = { accountId, sinceMs: 0, before: `${id}~`, limit: 1 };
  return (await ctx.accounts.store.listIncidents(asked)).filter((found) => found.id === id);
}

function withDestination(
  incident: StoredIncident,
  destinations: ReadonlyMap<string, ReportedDestination>,
): AccountIncidentView {
  const found = destinations.get(incident.destinationId);
  return {
    ...incident,
    destination: found === undefined ? null : { id: found.id, url: found.url, owner: found.owner },
  };
}

export const incidentHandlers = {
  "GET /incidents": listAll,
  "GET /destinations/:id/incidents": listIncidents,
  "GET /destinations/:id/incident-figures": getFigures,
} satisfies Handlers;

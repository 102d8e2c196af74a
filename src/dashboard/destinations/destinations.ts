/** Destinations with their health: the list, one with its history, and what people decide about it. */
import type { DestinationView as OwnDestination } from "../../accounts/account-view.ts";
import { CERTIFICATE_WARNING_MS } from "../../domain/message.ts";
import { makePullToken } from "../../accounts/pull-token.ts";
import { cancelBacklog, destinationMissing, setDestinationState } from "../../accounts/set-destination-state.ts";
import { sendWaiting, skipHead } from "../../delivery/resend.ts";
import type { FormOf } from "../../domain/form.ts";
import { type Result, problem } from "../../domain/problem.ts";
import { ok, refuse } from "../../lib/result.ts";
import { readCertificateFacts } from "../../egress/client-certificate.ts";
import { daysMs, hoursMs } from "../../lib/duration.ts";
import type { ReportedDestination } from "../../store/contract/destinations.ts";
import type { StoredIncident } from "../../store/contract/incidents.ts";
import type { AttemptCount } from "../../store/contract/log.ts";
import type { HeadOfOrder, ListHeads } from "../../store/contract/order.ts";
import type { Store } from "../../store/contract/store.ts";
import { freshView } from "../call/fresh-view.ts";
import type { Caller, DashboardContext, ReadContext, Reader } from "../call/context.ts";
import type { DestinationView, SentWaiting } from "../contract/destinations.ts";
import { type HourFigures, toDestinationView, toOrderView } from "./health.ts";
import type { Handler, Handlers } from "../call/operation.ts";
import type { Session } from "../guard/session.ts";
import type { destinationStateForm, skipForm } from "../forms/bodies.ts";
import { runSavedTest } from "../tests/tests.ts";

/** More are shown as "10,000+", because to count them all takes too long. */
export const WAITING_MAX = 10_000;

const DAY_BARS = 24;

const listDestinations: Handler<"GET /destinations"> = async (ctx, { session }) =>
  ok({ destinations: await destinationViews(ctx, session, { withDeleted: false }) });

const getDestination: Handler<"GET /destinations/:id"> = async (ctx, { session, params }) => {
  const found = await findDestination(ctx, session, params.id);
  if (!found.ok) return found;
  const { accountId } = session;
  const changes = await ctx.accounts.store.listDestinationChanges({ accountId, destinationId: params.id });
  return ok({ ...found.value, changes: changes.map(({ actor, ...change }) => ({ ...change, by: actor })) });
};

/**
 * The backlog is cancelled before the destination is on, or some of it would be on its way already. Else all of it goes
 * now, also a retry that would be due in hours.
 */
const putDestinationState: Handler<"PUT /destinations/:id/state"> = async (ctx, { session, params, body }) => {
  const view = await freshView(ctx, session);
  if (!view.ok) return view;
  if (!view.value.destinations.has(params.id)) return refuse(destinationMissing);
  return await decideState(ctx, session, { ...body, destinationId: params.id });
};

interface StateDecision extends FormOf<typeof destinationStateForm> {
  readonly destinationId: string;
}

/** The same for one of many, and for programs. */
export async function decideState(
  ctx: DashboardContext,
  { accountId, by }: Caller,
  { destinationId, state, backlog }: StateDecision,
): Promise<Result<null>> {
  const decision = { accountId, destinationId, by };
  if (state === "on" && backlog === "cancel") {
    const cancelled = await cancelBacklog(ctx.accounts, decision);
    if (!cancelled.ok) return cancelled;
  }
  const reason = state === "on" ? "turned on" : "paused";
  const decided = await setDestinationState(ctx.accounts, { ...decision, state, reason });
  if (!decided.ok) return decided;
  ctx.live.destinationsChanged(accountId, [destinationId]);
  if (state === "on" && backlog !== "cancel") {
    // Refused only when somebody has paused it again meanwhile: then what waits stays.
    await sendWaiting({ ctx: ctx.delivery, engine: ctx.engine }, decision);
    ctx.live.destinationsChanged(accountId, [destinationId]);
  }
  return ok(null);
}

const postSendWaiting: Handler<"POST /destinations/:id/send-waiting"> = async (ctx, { session, params }) => {
  const { accountId, by } = session;
  // The destination is read first: once its waiting deliveries may go, some would be gone before the count.
  const asItWas = await findDestination(ctx, session, params.id);
  if (!asItWas.ok) return asItWas;
  const path = { ctx: ctx.delivery, engine: ctx.engine };
  const sent = await sendWaiting(path, { accountId, destinationId: params.id, by });
  if (!sent.ok) return sent;
  ctx.live.destinationsChanged(accountId, [params.id]);
  return asItWas;
};

/**
 * Each by itself: one that is paused keeps no other one back. One after the other, so that a call takes one connection
 * to the store, however many there are.
 */
const postSendWaitingOfMany: Handler<"POST /destinations/send-waiting"> = async (ctx, { session, body }) => {
  const { accountId, by } = session;
  const path = { ctx: ctx.delivery, engine: ctx.engine };
  const results: SentWaiting[] = [];
  for (const id of new Set(body.ids)) {
    const sent = await sendWaiting(path, { accountId, destinationId: id, by });
    results.push({ id, refusal: sent.ok ? null : sent.error.detail });
  }
  const sentIds = results.flatMap(({ id, refusal }) => (refusal === null ? [id] : []));
  if (sentIds.length > 0) ctx.live.destinationsChanged(accountId, sentIds);
  return ok({ results });
};

const postSkip: Handler<"POST /destinations/:id/skip"> = async (ctx, { session, params, body }) =>
  await skipDelivery(ctx, session, { destinationId: params.id, ...body });

interface Skip extends FormOf<typeof skipForm> {
  readonly destinationId: string;
}

/** The same for programs. */
export async function skipDelivery(
  ctx: DashboardContext,
  { accountId, by }: Caller,
  skip: Skip,
): Promise<Result<null>> {
  const path = { ctx: ctx.delivery, engine: ctx.engine };
  const skipped = await skipHead(path, { accountId, by, ...skip });
  if (!skipped.ok) return skipped;
  ctx.live.destinationsChanged(accountId, [skip.destinationId]);
  return ok(null);
}

const postPullToken: Handler<"POST /destinations/:id/pull-token"> = async (ctx, { session, params }) => {
  const { accountId, by } = session;
  const made = await makePullToken(ctx.accounts, { accountId, destinationId: params.id, by });
  return made.ok ? ok({ ...made.value, serviceUrl: ctx.accounts.publicUrl() }) : made;
};

const testDestination: Handler<"POST /destinations/:id/test"> = async (ctx, { session, params }) =>
  await runSavedTest(ctx, session, { destinationId: params.id });

/** Reads a client certificate that is not saved yet, so that the person sees whose it is and when it expires. */
const postClientCertificate: Handler<"POST /client-certificate"> = (_ctx, { body }) => {
  const facts = readCertificateFacts(body.chain);
  if (facts.ok) return Promise.resolve(facts);
  const errors = [{ path: "chain", message: facts.error }];
  return Promise.resolve(refuse(problem("invalid_authentication", "The certificate cannot be read.", errors)));
};

/** One destination of the account; `destination_not_found` also for those of others. */
async function findDestination(
  ctx: DashboardContext,
  session: Session,
  destinationId: string,
): Promise<Result<DestinationView>> {
  const [found] = await destinationViews(ctx, session, { destinationIds: [destinationId], withDeleted: true });
  return found === undefined ? refuse(destinationMissing) : ok(found);
}

interface Wanted {
  /** Only these: each costs some searches. */
  readonly destinationIds?: readonly string[];
  /** Those of deleted alerts and removed webhooks too. */
  readonly withDeleted: boolean;
}

export async function destinationViews(
  { accounts: { store, clock, accounts } }: ReadContext,
  { accountId }: Reader,
  wanted: Wanted,
): Promise<readonly DestinationView[]> {
  const nowMs = clock.nowMs();
  const reported = await store.loadDestinations({ accountId, ...wanted, nowMs, waitingMax: WAITING_MAX });
  const dayStartMs = lastDayStartMs(nowMs);
  const { withDeleted: _, ...which } = wanted;
  const span = { fromMs: dayStartMs, toMs: dayStartMs + daysMs(1), bucketMs: hoursMs(1) };
  const counts = await store.countAttempts({ accountId, ...which, ...span, joined: "answers" });
  const days = toDays(counts, dayStartMs);
  const view = await accounts.load(accountId);
  const inOrder = reported.filter(({ id }) => view?.destinations.get(id)?.oneAtATime === true);
  const heads = await findHeads(store, { accountId, destinationIds: inOrder.map(({ id }) => id), nowMs });
  const views = reported.map((destination) => ({
    ...toDestinationView(destination, { lastDay: days.get(destination.id) ?? emptyDay(), nowMs }),
    ...findCertificateEnd(view?.destinations.get(destination.id), nowMs),
    ...(inOrder.includes(destination) ? { order: toOrderView(destination, heads.get(destination.id), nowMs) } : {}),
  }));
  return views.some(isFailing) ? sinceIncidents(views, await store.listIncidents(underWay(accountId, nowMs))) : views;
}

async function findHeads(store: Store, params: ListHeads): Promise<ReadonlyMap<string, HeadOfOrder>> {
  if (params.destinationIds.length === 0) return new Map();
  return new Map((await store.listHeads(params)).map((head) => [head.destinationId, head]));
}

const isFailing = ({ health }: DestinationView): boolean => health.word === "failing";

/** More begin with their own run of failures alone. */
const INCIDENTS_MAX = 200;
const underWay = (accountId: string, nowMs: number) => ({ accountId, sinceMs: nowMs, limit: INCIDENTS_MAX });

/** Failing since its incident began, as its page says: a single success in between has not ended that. */
function sinceIncidents(
  views: readonly DestinationView[],
  incidents: readonly StoredIncident[],
): readonly DestinationView[] {
  const starts = new Map(
    incidents.filter(({ toMs }) => toMs === null).map(({ destinationId, fromMs }) => [destinationId, fromMs]),
  );
  return views.map((view) => {
    const failingSinceMs = starts.get(view.id);
    if (failingSinceMs === undefined || !isFailing(view)) return view;
    return { ...view, health: { ...view.health, failingSinceMs } };
  });
}

function findCertificateEnd(destination: OwnDestination | undefined, nowMs: number) {
  const certificate = destination?.authentication?.certificate ?? null;
  const facts = certificate === null ? null : readCertificateFacts(certificate.chain);
  if (facts === null || !facts.ok || facts.value.validToMs - nowMs > CERTIFICATE_WARNING_MS) return {};
  return { certificateEndsAtMs: facts.value.validToMs };
}

/** By id and without figures: what a row of another list says of a destination. All of them, or some. */
export async function destinationsById(
  { accounts: { store, clock } }: ReadContext,
  { accountId }: Reader,
  destinationIds?: readonly string[],
): Promise<ReadonlyMap<string, ReportedDestination>> {
  const nowMs = clock.nowMs();
  const which = destinationIds === undefined ? { accountId } : { accountId, destinationIds };
  const reported = await store.loadDestinations({ ...which, withDeleted: true, nowMs, waitingMax: 0 });
  return new Map(reported.map((destination) => [destination.id, destination]));
}

/** The hour that has begun is the last of the 24. */
const lastDayStartMs = (nowMs: number): number => Math.floor(nowMs / hoursMs(1)) * hoursMs(1) - hoursMs(DAY_BARS - 1);

const emptyDay = (): HourFigures[] => Array.from({ length: DAY_BARS }, () => ({ succeeded: 0, failed: 0, ended: 0 }));

function toDays(counts: readonly AttemptCount[], startMs: number): ReadonlyMap<string, readonly HourFigures[]> {
  const days = new Map<string, HourFigures[]>();
  for (const { destinationId, atMs, result, count } of counts) {
    const day = days.get(destinationId) ?? emptyDay();
    days.set(destinationId, day);
    const place = Math.floor((atMs - startMs) / hoursMs(1));
    const hour = day[place];
    if (hour === undefined) continue;
    day[place] = {
      succeeded: hour.succeeded + (result === "delivered" ? count : 0),
      failed: hour.failed + (result === "delivered" ? 0 : count),
      ended: hour.ended + (result === "failed" ? count : 0),
    };
  }
  return days;
}

export const destinationHandlers = {
  "GET /destinations": listDestinations,
  "GET /destinations/:id": getDestination,
  "PUT /destinations/:id/state": putDestinationState,
  "POST /destinations/:id/send-waiting": postSendWaiting,
  "POST /destinations/send-waiting": postSendWaitingOfMany,
  "POST /destinations/:id/skip": postSkip,
  "POST /destinations/:id/pull-token": postPullToken,
  "POST /destinations/:id/test": testDestination,
  "POST /client-certificate": postClientCertificate,
} satisfies Handlers;

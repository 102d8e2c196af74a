/** The log: a page of it, one delivery with every attempt explained, and sending one again. */
import { resend, resendAll } from "../../delivery/resend.ts";
import { problem, type Result } from "../../domain/problem.ts";
import { ok, refuse } from "../../lib/result.ts";
import { testWebhookId } from "../../domain/delivery.ts";
import { parseBody } from "../../events/exact-json.ts";
import type { Readers } from "../../events/event-type.ts";
import { findEmail } from "../../events/search-fields.ts";
import { asMembers, readSummary } from "../../events/summary.ts";
import type { ReportedDestination } from "../../store/contract/destinations.ts";
import type { ListedDelivery, StoredDelivery } from "../../store/contract/log.ts";
import type { Caller, DashboardContext, ReadContext, Reader } from "../call/context.ts";
import type { DeliveryDetail, DeliveryList, DeliveryRow } from "../contract/deliveries.ts";
import type { DestinationView } from "../contract/destinations.ts";
import { writeDeliveryCursor } from "../call/cursor.ts";
import { explainAttempt, findTrouble, toEvidence } from "../explain/evidence.ts";
import { findSentBodies, type SentBodies } from "./sent-bodies.ts";
import { type DeliveryFilter, readDeliveryQuery } from "./query.ts";
import { describeReach, describeSearch, searchLog } from "./search.ts";
import { toDeliveryRow, lastAttemptAtMs, notResendable } from "./words.ts";
import { destinationViews, destinationsById } from "../destinations/destinations.ts";
import type { Handler, Handlers } from "../call/operation.ts";

const PAGE_ROWS = 50;

const listDeliveries: Handler<"GET /deliveries"> = async (ctx, { session, query }) => {
  const filter = readDeliveryQuery(query);
  return filter.ok ? ok(await deliveryPage(ctx, session, { filter: filter.value, limit: PAGE_ROWS })) : filter;
};

interface WantedPage {
  readonly filter: DeliveryFilter;
  readonly limit: number;
}

export async function deliveryPage(
  ctx: ReadContext,
  { accountId }: Reader,
  { filter, limit }: WantedPage,
): Promise<DeliveryList> {
  const { phrases, ...wanted } = { accountId, ...filter, limit };
  const search = phrases === undefined ? null : { ...wanted, phrases };
  const found = search === null ? null : await searchLog(ctx, search);
  const listed = found ?? (await ctx.accounts.store.listDeliveries(wanted));
  const destinations = await destinationsOf(ctx, { accountId }, listed.deliveries);
  const { schedule } = ctx.delivery;
  return {
    deliveries: listed.deliveries.map((delivery) => toDeliveryRow(delivery, { schedule, destinations })),
    nextCursor: listed.next === null ? null : writeDeliveryCursor(listed.next),
    search: search === null || found === null ? describeReach(listed) : await describeSearch(ctx, search, found),
  };
}

const getDelivery: Handler<"GET /deliveries/:id"> = (ctx, { session, params }) => findDelivery(ctx, session, params.id);

/** With every attempt explained; `delivery_not_found` also for those of other accounts. */
export async function findDelivery(
  ctx: ReadContext,
  reader: Reader,
  deliveryId: string,
): Promise<Result<DeliveryDetail>> {
  const { accountId } = reader;
  const stored = await ctx.accounts.store.loadDelivery({ accountId, deliveryId });
  if (stored === null) return refuse(problem("delivery_not_found", "This account has no such delivery."));
  const { destinationId } = stored;
  const sent = await findSentBodies(ctx.accounts.store, accountId, stored);
  if (destinationId === null) return ok(toDetail(ctx, stored, { now: null, destinations: new Map(), sent }));
  const [now = null] = await destinationViews(ctx, reader, { destinationIds: [destinationId], withDeleted: true });
  const destinations = await destinationsById(ctx, reader, [destinationId]);
  const trouble = await findTrouble(ctx, reader, { stored, now });
  return ok({ ...toDetail(ctx, stored, { now, destinations, sent }), ...trouble });
}

interface Around {
  /** With its health. */
  readonly now: DestinationView | null;
  readonly destinations: ReadonlyMap<string, ReportedDestination>;
  readonly sent: SentBodies;
}

function toDetail(ctx: ReadContext, stored: StoredDelivery, { now, destinations, sent }: Around): DeliveryDetail {
  const { schedule } = ctx.delivery;
  const { attemptsInSchedule, body, isTest, resentAtMs, resentBy } = stored;
  const readers = ctx.accounts.types.read(stored.eventType);
  const row = toDeliveryRow(asListed(readers, stored), { schedule, destinations });
  return {
    ...row,
    state: stored.state,
    eventId: stored.eventId,
    webhookId: isTest ? testWebhookId(stored.id) : stored.id,
    destinationNow: now,
    body,
    sentBodies: sent.views,
    attempts: stored.attempts.map((attempt) => explainAttempt(attempt, stored, sent.find(attempt))),
    lastAttemptAtMs: lastAttemptAtMs(schedule, { nextAtMs: row.nextAttemptAtMs, attemptsInSchedule }),
    settledAtMs: stored.settledAtMs,
    resent: resentAtMs === null ? null : { by: resentBy ?? "", atMs: resentAtMs },
    notResendable: notResendable(stored, now),
    evidence: toEvidence(stored),
    email: findEmail(readers, stored.body),
    incidentId: null,
  };
}

/** The same delivery as a row of the list would have it. */
function asListed(readers: Readers, stored: StoredDelivery): ListedDelivery {
  const last = stored.attempts.at(-1);
  return {
    ...stored,
    sourceId: stored.isTest || stored.body === null ? null : readSourceId(readers, stored.body),
    about: readSummary(readers, stored.body).about,
    last:
      last === undefined
        ? null
        : {
            outcome: last.result.outcome.kind,
            status: last.result.outcome.kind === "response" ? last.result.outcome.response.status : null,
            totalMs: last.result.timings.totalMs,
          },
  };
}

/** Each body carries the id of what it tells about. */
function readSourceId(readers: Readers, body: string): string | null {
  const parsed = parseBody(body);
  return parsed.ok ? readers.readSourceId(asMembers(parsed.value)) : null;
}

/** The deliveries of one event, newest first. */
export async function toDeliveryRows(
  ctx: ReadContext,
  { accountId }: Reader,
  { eventId, limit }: { readonly eventId: string; readonly limit: number },
): Promise<readonly DeliveryRow[]> {
  const { schedule, store } = ctx.delivery;
  const { deliveries } = await store.listDeliveries({
    accountId,
    idText: eventId,
    withTests: false,
    before: null,
    limit,
  });
  const destinations = await destinationsOf(ctx, { accountId }, deliveries);
  return deliveries.map((delivery) => toDeliveryRow(delivery, { schedule, destinations }));
}

const destinationsOf = (ctx: ReadContext, reader: Reader, rows: readonly Pick<ListedDelivery, "destinationId">[]) =>
  destinationsById(ctx, reader, [...new Set(rows.flatMap(({ destinationId }) => destinationId ?? []))]);

const postResend: Handler<"POST /deliveries/:id/resend"> = (ctx, { session, params }) =>
  sendAgain(ctx, session, params.id);

export async function sendAgain(
  ctx: DashboardContext,
  { accountId, by }: Caller,
  deliveryId: string,
): Promise<Result<null>> {
  const queued = await resend({ ctx: ctx.delivery, engine: ctx.engine }, { accountId, deliveryId, by });
  return queued.ok ? ok(null) : queued;
}

/** Each by itself: one that cannot be sent keeps no other one back. */
const postSelection: Handler<"POST /deliveries/resend"> = async (ctx, { session, body }) => {
  const { accountId, by } = session;
  const results = await resendAll({ ctx: ctx.delivery, engine: ctx.engine }, { accountId, deliveryIds: body.ids, by });
  return ok({
    results: body.ids.map((id, place) => {
      const result = results[place];
      return { id, refusal: result === undefined || result.ok ? null : result.error.detail };
    }),
  });
};

export const deliveryHandlers = {
  "GET /deliveries": listDeliveries,
  "GET /deliveries/:id": getDelivery,
  "POST /deliveries/:id/resend": postResend,
  "POST /deliveries/resend": postSelection,
} satisfies Handlers;

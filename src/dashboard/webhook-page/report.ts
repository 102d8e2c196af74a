/**
 * What a webhook's own page shows beside the counters: its last failures with what each met, its deliveries by type,
 * and who did what with it. Counters know no types, because each webhook would pay for them, so types are counted among
 * its newest deliveries; none of the questions here grows with the account's history.
 */
import { destinationMissing } from "../../accounts/set-destination-state.ts";
import type { DeliveryState } from "../../domain/delivery.ts";
import { ok, refuse } from "../../lib/result.ts";
import type { ReportedDestination } from "../../store/contract/destinations.ts";
import type { ListedDelivery } from "../../store/contract/log.ts";
import type { AuditAction } from "../../store/contract/people.ts";
import { toAuditEntry } from "../account/account.ts";
import type { DashboardContext } from "../call/context.ts";
import type { Handler, Handlers } from "../call/operation.ts";
import type { FailureView, TypeCount, WebhookReport } from "../contract/webhook-page.ts";
import { toDeliveryRow } from "../deliveries/words.ts";
import { explainAttempt, toEvidence } from "../explain/evidence.ts";
import { destinationsById } from "../destinations/destinations.ts";
import { spanOf } from "../destinations/statistics.ts";

const FAILURES_MAX = 5;
/** To list these takes some 10 ms. */
const COUNTED_MAX = 500;
const BARS = 24;
/** Of the account's acts, of which most are about other things. */
const ACTS_READ_MAX = 500;
const ACTS_MAX = 10;

interface Its {
  readonly accountId: string;
  readonly destination: ReportedDestination;
}

const getReport: Handler<"GET /destinations/:id/report"> = async (ctx, { session, params, query }) => {
  const { accountId } = session;
  const destination = (await destinationsById(ctx, session, [params.id])).get(params.id);
  if (destination === undefined) return refuse(destinationMissing);
  const its = { accountId, destination };
  const { fromMs, toMs } = spanOf(query.range, ctx.accounts.clock.nowMs());
  const [failures, types, acts] = await Promise.all([
    listFailures(ctx, its),
    countTypes(ctx, its, { fromMs, toMs }),
    listActs(ctx, its),
  ]);
  return ok({ failures, ...types, ...acts });
};

async function listFailures(ctx: DashboardContext, { accountId, destination }: Its): Promise<FailureView[]> {
  const { store, schedule } = ctx.delivery;
  const statuses = ["failed", "retrying"] as const;
  const wanted = { accountId, destinationId: destination.id, statuses, withTests: false, before: null };
  const { deliveries } = await store.listDeliveries({ ...wanted, limit: FAILURES_MAX });
  const loads = deliveries.map(({ id }) => store.loadDelivery({ accountId, deliveryId: id }));
  const stored = await Promise.all(loads);
  return deliveries.map((delivery, place) => {
    const found = stored[place] ?? null;
    const last = found?.attempts.at(-1);
    return {
      row: toDeliveryRow(delivery, { schedule, destinations: new Map([[destination.id, destination]]) }),
      sentence: found === null || last === undefined ? "" : explainAttempt(last, found).outcome.sentence,
      evidence: found === null ? null : toEvidence(found),
    };
  });
}

interface Span {
  readonly fromMs: number;
  readonly toMs: number;
}

async function countTypes(
  ctx: DashboardContext,
  { accountId, destination }: Its,
  { fromMs, toMs }: Span,
): Promise<Pick<WebhookReport, "types" | "typesFromMs" | "areTypesWhole">> {
  const wanted = { accountId, destinationId: destination.id, createdFromMs: fromMs, withTests: false, before: null };
  const { deliveries, next } = await ctx.delivery.store.listDeliveries({ ...wanted, limit: COUNTED_MAX });
  const byType = Map.groupBy(deliveries, ({ eventType }) => eventType);
  return {
    types: [...byType]
      .map(([type, same]) => toTypeCount(type, same, { fromMs, toMs }))
      .toSorted((one, other) => countAll(other) - countAll(one) || (one.type < other.type ? -1 : 1)),
    typesFromMs: next === null ? fromMs : (deliveries.at(-1)?.createdAtMs ?? fromMs),
    areTypesWhole: next === null,
  };
}

/** For good. */
const FAILED = ["failed", "cancelled"] as const;

const countAll = ({ delivered, failed, waiting }: TypeCount): number => delivered + failed + waiting;

function toTypeCount(type: string, deliveries: readonly ListedDelivery[], { fromMs, toMs }: Span): TypeCount {
  const countIn = (states: readonly DeliveryState[], among = deliveries): number =>
    among.filter(({ state }) => states.includes(state)).length;
  const barOf = ({ createdAtMs }: ListedDelivery): number =>
    Math.floor(((createdAtMs - fromMs) / (toMs - fromMs)) * BARS);
  const byBar = Map.groupBy(deliveries, barOf);
  return {
    type,
    delivered: countIn(["delivered"]),
    failed: countIn(FAILED),
    waiting: countIn(["pending"]),
    bars: Array.from({ length: BARS }, (_, bar) => {
      const among = byBar.get(bar) ?? [];
      return { succeeded: countIn(["delivered"], among), failed: countIn(FAILED, among) };
    }),
  };
}

async function listActs(
  { accounts: { store } }: DashboardContext,
  { accountId, destination: { owner } }: Its,
): Promise<Pick<WebhookReport, "acts" | "actsSinceMs">> {
  const read = await store.listAudit({ accountId, before: null, limit: ACTS_READ_MAX });
  const actions: ReadonlySet<AuditAction> = new Set([...OF_DESTINATION, ...OF_OWNER[owner.kind]]);
  const acts = read.filter(({ action, subject }) => subject === owner.name && actions.has(action)).slice(0, ACTS_MAX);
  const isWhole = read.length < ACTS_READ_MAX || acts.length === ACTS_MAX;
  return { acts: acts.map(toAuditEntry), actsSinceMs: isWhole ? null : (read.at(-1)?.atMs ?? null) };
}

/** Those whose subject is the owner's name. */
const OF_DESTINATION: readonly AuditAction[] = [
  "destination_paused",
  "destination_turned_on",
  "waiting_sent",
  "webhook_tested",
  "pull_token_made",
];
const OF_OWNER: Readonly<Record<ReportedDestination["owner"]["kind"], readonly AuditAction[]>> = {
  alert: ["alert_created", "alert_changed"],
  assistant: ["assistant_webhook_changed", "assistant_webhook_removed"],
  webhook: ["webhook_created", "webhook_changed"],
};

export const reportHandlers = {
  "GET /destinations/:id/report": getReport,
} satisfies Handlers;

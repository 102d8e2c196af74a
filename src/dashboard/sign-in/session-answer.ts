/** Who is signed in, to what, and what the page needs to know before it draws anything. */
import { alertPlanGate } from "../../accounts/plan-gate.ts";
import { ALERT_AUDIENCES } from "../../domain/alert.ts";
import { EVENT_TYPES } from "../../domain/event.ts";
import { LIMITS } from "../../domain/limits.ts";
import { type Result, ok } from "../../domain/problem.ts";
import { VERSION } from "../../lib/version.ts";
import type { DashboardContext } from "../call/context.ts";
import type { FormLimits, SessionAnswer } from "../contract/session.ts";
import { freshView } from "../call/fresh-view.ts";
import type { RouteGroup } from "../call/operation.ts";
import type { Session } from "../guard/session.ts";

export const sessionRoutes: RouteGroup<"GET /session"> = {
  "GET /session": { role: "viewer", handle: (ctx, { session }) => buildSessionAnswer(ctx, session) },
};

export async function buildSessionAnswer(ctx: DashboardContext, session: Session): Promise<Result<SessionAnswer>> {
  const { by, csrfToken, expiresAtMs } = session;
  const view = await freshView(ctx, session);
  if (!view.ok) return view;
  const { account } = view.value;
  return ok({
    account,
    person: by.person,
    role: by.role,
    csrfToken,
    expiresAtMs,
    alertWebhooksGate: alertPlanGate(account.plan)?.detail ?? null,
    upgradeUrl: ctx.upgradeUrl,
    hasPlayground: ctx.hasPlayground,
    hasMail: ctx.hasMail,
    version: VERSION,
    signatureHeader: ctx.accounts.signatureHeader,
    limits: { ...FORM_LIMITS, httpsOnly: ctx.httpsOnly },
    audiences: ALERT_AUDIENCES,
    eventTypes: EVENT_TYPES,
  });
}

const FORM_LIMITS: Omit<FormLimits, "httpsOnly"> = {
  urlCharsMax: LIMITS.urlCharsMax,
  customHeadersMax: LIMITS.customHeadersMax,
  headerNameCharsMax: LIMITS.headerNameCharsMax,
  headerValueCharsMax: LIMITS.headerValueCharsMax,
  alertsPerAccountMax: LIMITS.alertsPerAccountMax,
  alertNameCharsMax: LIMITS.alertNameCharsMax,
  conditionsMax: LIMITS.conditionsMax,
  conditionFieldCharsMax: LIMITS.conditionFieldCharsMax,
  conditionValueCharsMax: LIMITS.conditionValueCharsMax,
  ratePerSecondMin: LIMITS.ratePerSecondMin,
  ratePerSecondMax: LIMITS.ratePerSecondMax,
  replayRatePerSecondMax: LIMITS.replayRatePerSecondMax,
  selectionMax: LIMITS.selectionMax,
  attemptDeadlineMs: LIMITS.attemptDeadlineMs,
};

/**
 * Saves a demo alert: the verb behind Settings → Alerts → Save; and deletes one. The plan gate holds here and again
 * when the alert fires. On a lower plan the saved set-up stays, and only switching on or editing webhooks is refused.
 */
import type { DemoAlert } from "../domain/alert.ts";
import type { ConditionsForm } from "../events/condition-fields.ts";
import { newId } from "../domain/id.ts";
import { LIMITS } from "../domain/limits.ts";
import { type Problem, type Result, ok, problem, refuse } from "../domain/problem.ts";
import type { Actor } from "../domain/account.ts";
import type { DestinationSetup, SaveAlertResult } from "../store/contract/accounts.ts";
import type { AccountView, DestinationView } from "./account-view.ts";
import { type AccountsContext, accountMissing, editedMeanwhile, alertPlanGate } from "./context.ts";
import {
  type CheckedDestination,
  type DestinationForm,
  checkDestination,
  sealDestination,
  checkConditionsForm,
} from "./destination-draft.ts";
import { cancelAllWaiting } from "./set-destination-state.ts";

export interface AlertSettings extends Omit<DemoAlert, "id" | "conditions"> {
  /** `null` for none; left out, those that are saved stay. */
  readonly conditions?: ConditionsForm | null | undefined;
}

export interface AlertDraft {
  readonly accountId: string;
  /** `null` creates an alert; otherwise the alert to change, and the revision that the editor saw. */
  readonly existing: { readonly id: string; readonly revision: number } | null;
  readonly settings: AlertSettings;
  /** `null` leaves the Webhook URL and headers as they are. */
  readonly webhook: DestinationForm | null;
  readonly by: Actor;
}

/** Refuses with what is wrong with plan, URL or headers, with `edited_meanwhile`, or with a limit. */
export async function saveAlert(
  ctx: AccountsContext,
  draft: AlertDraft,
): Promise<Result<{ readonly id: string; readonly revision: number }>> {
  const view = await ctx.accounts.load(draft.accountId);
  if (view === null) return refuse(accountMissing(draft.accountId));
  const gate = planGate(view, draft);
  if (gate !== null) return refuse(gate);
  const saved = view.alerts.find(({ alert }) => alert.id === draft.existing?.id);
  const conditions = checkConditionsForm(
    ctx.types.of("alert"),
    draft.settings.conditions,
    saved?.alert.conditions ?? null,
  );
  if (!conditions.ok) return conditions;
  const former = saved?.destination ?? null;
  const webhook = draft.webhook === null ? ok(null) : await checkDestination(ctx, draft.webhook, former);
  if (!webhook.ok) return webhook;
  const id = draft.existing?.id ?? newId("alr", ctx.clock.nowMs(), ctx.random);
  const answer = await ctx.store.saveAlert({
    accountId: draft.accountId,
    alert: { id, ...draft.settings, conditions: conditions.value },
    destination: toDestinationSetup(ctx, former, webhook.value),
    expectedRevision: draft.existing?.revision ?? null,
    alertsMax: LIMITS.alertsPerAccountMax,
    by: draft.by,
    nowMs: ctx.clock.nowMs(),
  });
  ctx.accounts.forget(draft.accountId);
  return answer.kind === "saved" ? ok({ id, revision: answer.revision }) : refuse(await toRefusal(ctx, answer, draft));
}

/** An alert that was switched on before may stay so: it can be renamed on any plan. */
function planGate(view: AccountView, { existing, settings, webhook }: AlertDraft): Problem | null {
  const wasOn = view.alerts.some(({ alert }) => alert.id === existing?.id && alert.webhooksOn);
  const touchesWebhooks = webhook !== null || (settings.webhooksOn && !wasOn);
  return touchesWebhooks ? alertPlanGate(view.account.plan) : null;
}

/** The destination keeps its id when its URL changes: waiting deliveries go to the new address. */
function toDestinationSetup(
  ctx: AccountsContext,
  saved: DestinationView | null,
  webhook: CheckedDestination | null,
): DestinationSetup | null {
  if (webhook === null) return null;
  const id = saved?.id ?? newId("dst", ctx.clock.nowMs(), ctx.random);
  return sealDestination(ctx, id, webhook);
}

async function toRefusal(
  ctx: AccountsContext,
  saved: Exclude<SaveAlertResult, { kind: "saved" }>,
  draft: AlertDraft,
): Promise<Problem> {
  switch (saved.kind) {
    case "account_missing":
      return accountMissing(draft.accountId);
    case "alert_missing":
      return alertMissing;
    case "limit_reached":
      return problem("alert_limit_reached", `An account can have ${LIMITS.alertsPerAccountMax} alerts.`);
    case "edited_meanwhile":
      return await editedMeanwhile(ctx, draft.accountId, { kind: "alert", id: draft.existing?.id ?? "" });
  }
}

export const alertMissing: Problem = problem(
  "alert_not_found",
  "This alert no longer exists. Another person may have deleted it.",
);

/*
 * Deletes a demo alert. Deliveries that wait for its webhook are cancelled; sent ones stay in the log, with its name.
 */

export interface AlertDeletion {
  readonly accountId: string;
  readonly alertId: string;
  /** The revision that the person who deletes it saw. */
  readonly revision: number;
  readonly by: Actor;
}

export async function deleteAlert(
  ctx: AccountsContext,
  { accountId, alertId, revision, by }: AlertDeletion,
): Promise<Result<{ readonly cancelled: number }>> {
  const view = await ctx.accounts.load(accountId);
  const destinationId = view?.alerts.find(({ alert }) => alert.id === alertId)?.destination?.id;
  const deletion = { accountId, alertId, expectedRevision: revision, by, nowMs: ctx.clock.nowMs() };
  const deleted = await ctx.store.deleteAlert(deletion);
  ctx.accounts.forget(accountId);
  switch (deleted) {
    case "missing":
      return refuse(alertMissing);
    case "edited_meanwhile":
      return refuse(await editedMeanwhile(ctx, accountId, { kind: "alert", id: alertId }));
    case "deleted":
      return ok({ cancelled: await cancelAllWaiting(ctx, { accountId, destinationId }) });
  }
}

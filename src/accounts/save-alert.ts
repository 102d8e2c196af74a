/**
 * Saves a demo alert: the verb behind Settings → Alerts → Save; and deletes one. The plan gate holds here and again
 * when the alert fires. On a lower plan the saved set-up stays, and only switching on or editing webhooks is refused.
 */
import type { DemoAlert } from "../domain/alert.ts";
import type { ConditionsForm } from "../domain/conditions-form.ts";
import { newId } from "../domain/id.ts";
import { LIMITS } from "../domain/limits.ts";
import type { WebhookForm } from "../domain/webhook-form.ts";
import type { Problem, Result } from "../domain/problem.ts";
import { ok, refuse } from "../lib/result.ts";
import type { Actor } from "../domain/account.ts";
import type { AccountView } from "./account-view.ts";
import { type AccountsContext, accountMissing, alertPlanGate } from "./context.ts";
import { checkConditionsForm, checkDestination, type CheckedDestination, idFor, sealFor } from "./destination-draft.ts";
import {
  type CheckedOwner,
  deleteOwner,
  type Made,
  type OwnerDeletion,
  refuseSave,
  type SavedRevision,
} from "./owners.ts";

export interface AlertSettings extends Omit<DemoAlert, "id" | "conditions"> {
  /** `null` for none; left out, those that are saved stay. */
  readonly conditions?: ConditionsForm | null | undefined;
}

export interface AlertDraft extends Made {
  readonly accountId: string;
  /** `null` creates an alert; otherwise the alert to change, and the revision that the editor saw. */
  readonly existing: { readonly id: string; readonly revision: number } | null;
  readonly settings: AlertSettings;
  /** `null` leaves the Webhook URL and headers as they are. */
  readonly webhook: WebhookForm | null;
  readonly by: Actor;
}

/** Refuses what `checkAlert` refuses, with `edited_meanwhile`, or with a limit. */
export async function saveAlert(ctx: AccountsContext, draft: AlertDraft): Promise<Result<SavedRevision>> {
  const checked = await checkAlert(ctx, draft);
  return checked.ok ? await checked.value.save() : checked;
}

/** Refuses what is wrong with plan, conditions, URL or headers. */
export async function checkAlert(
  ctx: AccountsContext,
  draft: AlertDraft,
): Promise<Result<CheckedOwner<Omit<DemoAlert, "id">>>> {
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
  const ready = {
    settings: { ...draft.settings, conditions: conditions.value },
    destination: webhook.value,
    destinationId: idFor(ctx, former),
  };
  return ok({ ...ready, save: () => write(ctx, draft, ready) });
}

interface Ready {
  readonly settings: Omit<DemoAlert, "id">;
  readonly destination: CheckedDestination | null;
  readonly destinationId: string;
}

async function write(
  ctx: AccountsContext,
  draft: AlertDraft,
  { settings, destination, destinationId }: Ready,
): Promise<Result<SavedRevision>> {
  const { isDryRun = false } = draft;
  const id = draft.existing?.id ?? newId("alr", ctx.clock.nowMs(), ctx.random);
  const answer = await ctx.store.saveAlert({
    accountId: draft.accountId,
    alert: { id, ...settings },
    destination: destination === null ? null : { ...sealFor(ctx, destinationId, destination), ...draft.made },
    expectedRevision: draft.existing?.revision ?? null,
    alertsMax: LIMITS.alertsPerAccountMax,
    isDryRun,
    by: draft.by,
    nowMs: ctx.clock.nowMs(),
  });
  if (!isDryRun) ctx.accounts.forget(draft.accountId);
  if (answer.kind === "saved") return ok({ id, revision: answer.revision });
  return refuse(await refuseSave(ctx, answer, { accountId: draft.accountId, kind: "alert", id }));
}

/** An alert that was switched on before may stay so: it can be renamed on any plan. */
function planGate(view: AccountView, { existing, settings, webhook }: AlertDraft): Problem | null {
  const wasOn = view.alerts.some(({ alert }) => alert.id === existing?.id && alert.webhooksOn);
  const touchesWebhooks = webhook !== null || (settings.webhooksOn && !wasOn);
  return touchesWebhooks ? alertPlanGate(view.account.plan) : null;
}

export const deleteAlert = (ctx: AccountsContext, deletion: OwnerDeletion) => deleteOwner(ctx, "alert", deletion);

/**
 * A chat assistant's Webhook URL and headers: the verbs behind its Integrations tab, on any plan. When two people edit
 * one assistant, the second save is refused.
 */
import type { ConditionsForm } from "../domain/conditions-form.ts";
import { LIMITS } from "../domain/limits.ts";
import type { WebhookForm } from "../domain/webhook-form.ts";
import { type Problem, type Result, problem } from "../domain/problem.ts";
import { ok, refuse } from "../lib/result.ts";
import type { Actor } from "../domain/account.ts";
import type { SaveAssistantDestinationResult, StoredAssistant } from "../store/contract/accounts.ts";
import { openDestination } from "./account-view.ts";
import { cancelAllWaiting } from "./set-destination-state.ts";
import { type AccountsContext, accountMissing } from "./context.ts";
import { checkConditionsForm, checkDestination, type CheckedDestination, idFor, sealFor } from "./destination-draft.ts";
import { assistantsLimitReached, type CheckedOwner, editedMeanwhile, type Made, OLDER_NODES } from "./owners.ts";

export interface AssistantWebhookDraft extends Made {
  readonly accountId: string;
  readonly assistantId: string;
  /** The revision that the editor saw; `null` saves in any case (the first set-up by a program). */
  readonly revision: number | null;
  readonly webhook: WebhookForm;
  /** `null` for none; left out, those that are saved stay. */
  readonly conditions?: ConditionsForm | null | undefined;
  readonly by: Actor;
}

export interface SavedAssistantWebhook {
  readonly destinationId: string;
  readonly revision: number;
}

export async function saveAssistantWebhook(
  ctx: AccountsContext,
  draft: AssistantWebhookDraft,
): Promise<Result<SavedAssistantWebhook>> {
  const checked = await checkAssistantWebhook(ctx, draft);
  return checked.ok ? await checked.value.save() : checked;
}

/** Refuses what is wrong with assistant, conditions, URL or headers. */
export async function checkAssistantWebhook(
  ctx: AccountsContext,
  draft: AssistantWebhookDraft,
): Promise<Result<CheckedOwner<Pick<StoredAssistant, "conditions">, SavedAssistantWebhook>>> {
  const { accountId, assistantId } = draft;
  // Not the whole account: setting up a thousand assistants would read and open half a million of them.
  const assistant = await ctx.store.loadAssistant({ accountId, assistantId });
  if (assistant === null) return refuse(await missing(ctx, accountId, assistantId));
  const conditions = checkConditionsForm(ctx.types.of("assistant"), draft.conditions, assistant.conditions);
  if (!conditions.ok) return conditions;
  const former = assistant.destination === null ? null : openDestination(assistant.destination, ctx.sealer);
  const checked = await checkDestination(ctx, draft.webhook, former);
  if (!checked.ok) return checked;
  const ready = {
    settings: { conditions: conditions.value },
    destination: checked.value,
    destinationId: idFor(ctx, former),
  };
  const revision = draft.revision ?? assistant.revision;
  return ok({ ...ready, save: () => write(ctx, { ...draft, revision }, ready) });
}

interface Ready {
  readonly settings: Pick<StoredAssistant, "conditions">;
  readonly destination: CheckedDestination;
  readonly destinationId: string;
}

async function write(
  ctx: AccountsContext,
  draft: AssistantWebhookDraft & { readonly revision: number },
  { settings, destination: checked, destinationId }: Ready,
): Promise<Result<SavedAssistantWebhook>> {
  const { accountId, assistantId, isDryRun = false, by } = draft;
  const destination = { ...sealFor(ctx, destinationId, checked), ...draft.made };
  const saved = await ctx.store.saveAssistantDestination({
    accountId,
    assistantId,
    destination,
    ...settings,
    expectedRevision: draft.revision,
    assistantsMax: LIMITS.assistantWebhooksPerAccountMax,
    isDryRun,
    by,
    nowMs: ctx.clock.nowMs(),
  });
  if (!isDryRun) ctx.accounts.forget(accountId);
  return saved.kind === "saved"
    ? ok({ destinationId, revision: saved.revision })
    : refuse(await toRefusal(ctx, saved, draft));
}

export interface AssistantWebhookRemoval {
  readonly accountId: string;
  readonly assistantId: string;
  readonly revision: number;
  readonly by: Actor;
}

/** Cancels waiting deliveries; sent ones stay in the log. */
export async function removeAssistantWebhook(
  ctx: AccountsContext,
  { accountId, assistantId, revision, by }: AssistantWebhookRemoval,
): Promise<Result<{ readonly cancelled: number; readonly revision: number }>> {
  const view = await ctx.accounts.load(accountId);
  const assistant = view?.assistants.get(assistantId);
  if (assistant === undefined) return refuse(assistantMissing(assistantId));
  const nowMs = ctx.clock.nowMs();
  const params = { accountId, assistantId, expectedRevision: revision, by, nowMs };
  const removed = await ctx.store.removeAssistantDestination(params);
  ctx.accounts.forget(accountId);
  switch (removed) {
    case "missing":
      return refuse(assistantMissing(assistantId));
    case "edited_meanwhile":
      return refuse(await editedMeanwhile(ctx, accountId, { kind: "assistant", id: assistantId }));
    case "removed": {
      const cancelled = await cancelAllWaiting(ctx, { accountId, destinationId: assistant.destination?.id });
      const after = await ctx.accounts.load(accountId);
      return ok({ cancelled, revision: after?.assistants.get(assistantId)?.revision ?? revision + 1 });
    }
  }
}

async function missing(ctx: AccountsContext, accountId: string, assistantId: string): Promise<Problem> {
  const account = await ctx.accounts.load(accountId);
  return account === null ? accountMissing(accountId) : assistantMissing(assistantId);
}

async function toRefusal(
  ctx: AccountsContext,
  saved: Exclude<SaveAssistantDestinationResult, { kind: "saved" }>,
  { accountId, assistantId }: AssistantWebhookDraft,
): Promise<Problem> {
  switch (saved.kind) {
    case "assistant_missing":
      return assistantMissing(assistantId);
    case "limit_reached":
      return assistantsLimitReached;
    case "older_nodes":
      return OLDER_NODES;
    case "edited_meanwhile":
      return await editedMeanwhile(ctx, accountId, { kind: "assistant", id: assistantId });
  }
}

export const assistantMissing = (assistantId: string): Problem =>
  problem("assistant_not_found", `There is no chat assistant "${assistantId}" in this account.`);

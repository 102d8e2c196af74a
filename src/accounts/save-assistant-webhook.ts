/** Saving a chat assistant's Webhook URL and headers: the verb behind its Integrations tab. Any plan may. */
import { newId } from "../domain/id.ts";
import { type Result, ok, problem, refuse } from "../domain/problem.ts";
import { type AccountsContext, accountMissing } from "./context.ts";
import { type DestinationDraft, checkDestination, sealDestination } from "./destination-draft.ts";

export interface AssistantWebhookDraft {
  readonly accountId: string;
  readonly assistantId: string;
  readonly webhook: DestinationDraft;
}

export async function saveAssistantWebhook(
  ctx: AccountsContext,
  draft: AssistantWebhookDraft,
): Promise<Result<{ readonly destinationId: string }>> {
  const view = await ctx.accounts.load(draft.accountId);
  if (view === null) return refuse(accountMissing(draft.accountId));
  const checked = await checkDestination(ctx, draft.webhook);
  if (!checked.ok) return checked;
  const existing = view.assistants.get(draft.assistantId)?.destination;
  const destinationId = existing?.id ?? newId("dst", ctx.clock.nowMs(), ctx.random);
  const { saved } = await ctx.store.saveAssistantDestination({
    accountId: draft.accountId,
    assistantId: draft.assistantId,
    destination: sealDestination(ctx, destinationId, checked.value),
    nowMs: ctx.clock.nowMs(),
  });
  ctx.accounts.forget(draft.accountId);
  return saved ? ok({ destinationId }) : refuse(problem("assistant_not_found", assistantMissing(draft.assistantId)));
}

const assistantMissing = (assistantId: string): string =>
  `There is no chat assistant "${assistantId}" in this account.`;

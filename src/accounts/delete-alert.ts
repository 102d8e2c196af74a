/**
 * Deletes a demo alert. Deliveries that wait for its webhook are cancelled; sent ones stay in the log, with its name.
 */
import { type Result, ok, refuse } from "../domain/problem.ts";
import type { Actor } from "../domain/actor.ts";
import { cancelAllWaiting } from "./cancel-all-waiting.ts";
import type { AccountsContext } from "./context.ts";
import { editedMeanwhile } from "./edited-meanwhile.ts";
import { alertMissing } from "./save-alert.ts";

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

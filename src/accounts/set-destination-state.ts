/**
 * Pauses a destination and turns it on again: a person's decision, stored with its author and reason. Waiting
 * deliveries stay. Turning on resets the destination's health and lets them go out, unless the person cancels them
 * first.
 */
import type { DestinationState } from "../domain/destination.ts";
import { type Problem, type Result, ok, problem, refuse } from "../domain/problem.ts";
import type { Actor } from "../domain/actor.ts";
import { cancelAllWaiting } from "./cancel-all-waiting.ts";
import type { AccountsContext } from "./context.ts";

export interface DestinationDecision {
  readonly accountId: string;
  readonly destinationId: string;
  readonly state: Exclude<DestinationState, "off">;
  readonly by: Actor;
  readonly reason: string;
}

export async function setDestinationState(
  ctx: Pick<AccountsContext, "store" | "accounts" | "clock">,
  decision: DestinationDecision,
): Promise<Result<{ readonly changed: boolean }>> {
  const outcome = await ctx.store.setDestinationState({ ...decision, nowMs: ctx.clock.nowMs() });
  ctx.accounts.forget(decision.accountId);
  return outcome === "missing" ? refuse(destinationMissing) : ok({ changed: outcome === "changed" });
}

/** Cancels the deliveries that wait for a destination now, before it is turned on. */
export async function cancelBacklog(
  ctx: Pick<AccountsContext, "store" | "accounts" | "clock">,
  { accountId, destinationId, by }: Pick<DestinationDecision, "accountId" | "destinationId" | "by">,
): Promise<Result<{ readonly cancelled: number }>> {
  const view = await ctx.accounts.load(accountId);
  const destination = view?.destinations.get(destinationId);
  if (destination === undefined) return refuse(destinationMissing);
  const cancelled = await cancelAllWaiting(ctx, { accountId, destinationId });
  const entry = { accountId, by, action: "backlog_cancelled", subject: destination.url } as const;
  await ctx.store.writeAudit({ ...entry, nowMs: ctx.clock.nowMs() });
  return ok({ cancelled });
}

export const destinationMissing: Problem = problem("destination_not_found", "This account has no such destination.");

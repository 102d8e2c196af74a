/**
 * Pausing a destination and turning it on again: a person's decision, kept with who made it and why. What waits stays;
 * turning on forgets the destination's troubles and lets it go out.
 */
import type { DestinationState } from "../domain/destination.ts";
import { type Result, ok, problem, refuse } from "../domain/problem.ts";
import type { AccountsContext } from "./context.ts";

export interface DestinationDecision {
  readonly accountId: string;
  readonly destinationId: string;
  readonly state: Exclude<DestinationState, "off">;
  readonly actor: string;
  readonly reason: string;
}

export async function setDestinationState(
  ctx: Pick<AccountsContext, "store" | "accounts" | "clock">,
  decision: DestinationDecision,
): Promise<Result<{ readonly changed: boolean }>> {
  const outcome = await ctx.store.setDestinationState({ ...decision, nowMs: ctx.clock.nowMs() });
  ctx.accounts.forget(decision.accountId);
  if (outcome !== "missing") return ok({ changed: outcome === "changed" });
  return refuse(problem("destination_not_found", "This account has no such destination."));
}

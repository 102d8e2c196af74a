/**
 * Pauses a destination and turns it on again: a person's decision, stored with its author and reason. Waiting
 * deliveries stay. Turning on resets the destination's health and lets them go out, unless the person cancels them
 * first.
 */
import type { DestinationState } from "../domain/destination.ts";
import { type Problem, type Result, problem } from "../domain/problem.ts";
import { ok, refuse } from "../lib/result.ts";
import type { Actor } from "../domain/account.ts";
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

/*
 * Cancels what waits for a destination, in steps: a backlog may have millions of rows, and intake's commits stand in
 * the same queue. A crash between two steps loses nothing: deliveries that wait for a deleted destination expire
 * anyway.
 */

/** The same as housekeeping's steps: a commit of this many rows takes a few milliseconds. */
const ROWS_MAX = 500;

export async function cancelAllWaiting(
  ctx: Pick<AccountsContext, "store" | "clock">,
  waiting: { readonly accountId: string; readonly destinationId: string | undefined },
): Promise<number> {
  const { accountId, destinationId } = waiting;
  if (destinationId === undefined) return 0;
  // Up to this instant: deliveries that are accepted while this runs were meant to be sent.
  const createdBeforeMs = ctx.clock.nowMs() + 1;
  let total = 0;
  for (let cancelled = ROWS_MAX; cancelled > 0; total += cancelled) {
    const step = { accountId, destinationId, createdBeforeMs, rowsMax: ROWS_MAX, nowMs: ctx.clock.nowMs() };
    ({ cancelled } = await ctx.store.cancelWaiting(step));
  }
  return total;
}

/**
 * START READING HERE. One attempt of one delivery, from the claim to the settled row:
 *
 *     buildRequest (request.ts) → send (send.ts) → judge (judge.ts) → settle (settle.ts)
 *
 * It comes here from a lane (lanes.ts), which got it from an accept that kept it (accept.ts) or from a claim of what is
 * due (engine.ts). Nothing is lost on this way: until the settlement is committed the delivery stays pending in the
 * store, and if this process dies now, its claim runs out and somebody else makes the attempt.
 */
import { targetOf } from "../accounts/account-view.ts";
import type { SendResult } from "../domain/attempt.ts";
import type { Target } from "../domain/destination.ts";
import { assert } from "../lib/assert.ts";
import { secondsMs } from "../lib/duration.ts";
import type { ClaimedDelivery } from "../store/store.ts";
import type { DeliveryContext } from "./context.ts";
import { type Verdict, judge } from "./judge.ts";
import { maskEcho } from "./mask-echo.ts";
import { buildRequest } from "./request.ts";
import { giveBack, settle } from "./settle.ts";

/** What became of an attempt; `null` when none was made, because it was too late or the destination is not on. */
export type Delivered = {
  readonly result: SendResult;
  readonly verdict: Verdict;
  /** Nothing goes to the destination before then; 0 when nothing holds it back. */
  readonly heldUntilMs: number;
} | null;

export type OnAnswer = (result: SendResult) => void;

/** What must be left of a claim when its attempt starts: 15 s for the attempt, 15 s to settle it. */
export const START_MARGIN_MS = secondsMs(30);

/**
 * Makes one attempt, and says its result to `onAnswer` before it is settled. Rejects only when the store cannot be
 * written to or because of a bug of ours.
 */
export async function deliver(
  ctx: DeliveryContext,
  delivery: ClaimedDelivery,
  onAnswer: OnAnswer = () => {},
): Promise<Delivered> {
  const target = await locate(ctx, delivery);
  const startedAtMs = ctx.clock.nowMs();
  // Asked last: a process that was stopped for a while must not send under a claim that has run out meanwhile.
  const isTooLate = startedAtMs > delivery.claim.untilMs - START_MARGIN_MS;
  if (target === null || isTooLate) return await giveBack(ctx, [delivery]);
  const request = buildRequest({
    webhookId: delivery.id,
    body: delivery.body,
    target,
    nowMs: startedAtMs,
    names: ctx.names,
    owner: delivery.accountId,
  });
  const result = maskEcho(await ctx.send(request), target.headers);
  onAnswer(result);
  const verdict = judge({
    outcome: result.outcome,
    attemptNumber: delivery.attemptsInSchedule + 1,
    pendingSinceMs: delivery.pendingSinceMs,
    schedule: ctx.schedule,
    nowMs: ctx.clock.nowMs(),
    unit: ctx.random.unit(),
  });
  const heldUntilMs = await settle(ctx, { delivery, request, startedAtMs, result, verdict });
  return { result, verdict, heldUntilMs };
}

/** The destination as it is set up now: a corrected URL helps the retries that are already waiting. */
async function locate(ctx: DeliveryContext, delivery: ClaimedDelivery): Promise<Target | null> {
  const view = await ctx.accounts.load(delivery.accountId, delivery.configVersion);
  assert(view !== null, `delivery ${delivery.id} belongs to account ${delivery.accountId}, which does not exist`);
  const target = targetOf(view, delivery.destinationId, ctx.clock.nowMs());
  // Also when it was deleted since the claim: what waits for it is given back, and cancelled by whoever deleted it.
  return target?.state === "on" ? target : null;
}

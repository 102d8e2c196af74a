/**
 * START READING HERE. One attempt of one delivery, from the claim to the settled row:
 *
 *     build (build.ts, request.ts) → send (send.ts) → judge (judge.ts) → settle (settle.ts)
 *
 * The first two go together (send-current.ts), because the request is made for the account as it is when it starts.
 *
 * A delivery comes here from a lane (lanes.ts). The lane got it from an accept that kept it (accept.ts) or from a claim
 * of due deliveries (engine.ts). Nothing is lost on this way: the delivery stays pending in the store until the
 * settlement is committed. If this process dies before that, the claim runs out and a node makes the attempt again.
 */
import { type AccountView, type CurrentTarget, findTarget } from "../accounts/account-view.ts";
import { findChatTool, readToolWaitMs } from "../bodies/chat/tools.ts";
import type { SendResult } from "../domain/attempt.ts";
import { secondsMs } from "../lib/duration.ts";
import type { ClaimedDelivery } from "../store/contract/path.ts";
import { type Built, build } from "./build.ts";
import type { DeliveryContext } from "./context.ts";
import { type Verdict, isSuccess, judge } from "./send/judge.ts";
import { maskEcho } from "./mask-echo.ts";
import type { WebhookRequest } from "./send/request.ts";
import { sendCurrent } from "./send-current.ts";
import { giveBack, settle } from "./settle.ts";

/**
 * The result of an attempt. No attempt was made when the destination is gone, paused or off (`not_on`), or when it was
 * too late (`null`).
 */
export type Delivered = Attempt | "not_on" | null;

interface Attempt {
  readonly result: SendResult;
  readonly verdict: Verdict;
  /** Nothing goes to the destination before then; 0 when nothing holds it back. */
  readonly heldUntilMs: number;
}

export type OnAnswer = (result: SendResult) => void;

/** Time that a claim must still have when its attempt starts: 15 s for the attempt, 15 s to settle it. */
export const START_MARGIN_MS = secondsMs(30);

/** An attempt that starts after this might not be settled before the claim ends. */
export const isTooLate = ({ claim }: Pick<ClaimedDelivery, "claim">, nowMs: number): boolean =>
  nowMs > claim.untilMs - START_MARGIN_MS;

/**
 * Makes one attempt and gives its result to `onAnswer` before it is settled. Rejects only when the store cannot be
 * written, or because of a bug of ours.
 */
export async function deliver(
  ctx: DeliveryContext,
  delivery: ClaimedDelivery,
  onAnswer: OnAnswer = () => {},
): Promise<Delivered> {
  // Asked last: a process that was stopped for a while must not send under a claim that has run out in the meantime.
  const isLate = (): boolean => isTooLate(delivery, ctx.clock.nowMs());
  const { accountId, configVersion } = delivery;
  const buildNow = (view: AccountView) => requestFor(ctx, delivery, view);
  try {
    const sent = await sendCurrent(ctx, { accountId, configVersion, build: buildNow, isTooLate: isLate });
    if (sent === null) {
      await giveBack(ctx, [delivery]);
      return isLate() ? null : "not_on";
    }
    const { request, made, startedAtMs, target } = sent;
    const result = maskEcho(sent.result, target.headers);
    onAnswer(result);
    const verdict = judge({
      outcome: result.outcome,
      attemptNumber: delivery.attemptsInSchedule + 1,
      pendingSinceMs: delivery.pendingSinceMs,
      schedule: ctx.schedule,
      nowMs: ctx.clock.nowMs(),
      unit: ctx.random.unit(),
      toolWaitMs: findToolWaitMs(request, result),
    });
    const heldUntilMs = await settle(ctx, { delivery, request, made, target, startedAtMs, result, verdict });
    return { result, verdict, heldUntilMs };
  } finally {
    ctx.bodies.release(delivery.id);
  }
}

/** Uses the destination as it is set up now: a corrected URL or template helps the retries that already wait. */
function requestFor(
  ctx: DeliveryContext,
  delivery: ClaimedDelivery,
  view: AccountView,
): Built<CurrentTarget> | "full" | null {
  const target = findTarget(view, delivery.destinationId, ctx.clock.nowMs());
  // Also when it was deleted since the claim: the lane gives its deliveries back, and the deletion cancels them. One
  // that was taken before its destination got one at a time goes back too, to wait for its turn.
  return target?.state === "on" && (delivery.isInOrder || !target.isOneAtATime)
    ? build(ctx, delivery, { settings: target.settings, target })
    : null;
}

/** Some chat tools say in their answer's body how long to wait. Whatever the webhook sends: the address is theirs. */
const findToolWaitMs = ({ url }: WebhookRequest, { outcome }: SendResult): number =>
  isSuccess(outcome) ? 0 : readToolWaitMs(findChatTool(url), outcome);

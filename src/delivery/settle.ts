/**
 * Step 4 of an attempt writes the attempt's row and the delivery's next state together, guarded by the claim. If the
 * claim has run out, another node may hold the delivery: then nothing is written.
 *
 * While the store cannot commit (a full disk), settling is retried for as long as the claim holds. Otherwise a delivery
 * that has arrived would be sent again only because its success could not be stored at once.
 */
import type { CurrentTarget } from "../accounts/account-view.ts";
import { toSentBody } from "../bodies/sent-body.ts";
import type { AttemptRecord, SendResult } from "../domain/attempt.ts";
import { sleep } from "../lib/clock.ts";
import { unreachable } from "../lib/assert.ts";
import type { Claim, ClaimedDelivery, SettleResult, Settlement } from "../store/contract/path.ts";
import { StoreUnavailable } from "../store/contract/store.ts";
import type { DeliveryContext } from "./context.ts";
import type { MadeBody } from "./made-bodies.ts";
import type { Verdict } from "./send/judge.ts";
import type { AttemptFact } from "./report.ts";
import type { WebhookRequest } from "./send/request.ts";

const SETTLE_AGAIN_MS = 500;

export interface Attempted {
  readonly delivery: ClaimedDelivery;
  readonly request: WebhookRequest;
  /** What was sent where it is not the event; `null` where it is, or where nothing was. */
  readonly made: MadeBody | null;
  readonly target: Pick<CurrentTarget, "setUpAtMs">;
  readonly startedAtMs: number;
  readonly result: SendResult;
  readonly verdict: Verdict;
}

/** Returns the instant until which the destination is held back; 0 when it is not. */
export async function settle(ctx: DeliveryContext, attempted: Attempted): Promise<number> {
  const { delivery, verdict } = attempted;
  const attempt = toAttempt(attempted, delivery.attemptsMade + 1);
  const startedMs = ctx.clock.monotonicMs();
  if (attempted.made !== null) await keepText(ctx, delivery, attempted.made);
  const settled = await settleWhileClaimed(ctx, delivery, {
    deliveryId: delivery.id,
    accountId: delivery.accountId,
    claimToken: delivery.claim.token,
    attempt,
    next: nextState(verdict),
    isFree: verdict.kind === "retry" && verdict.isFree,
    isTrial: delivery.isTrial,
    setUpAtMs: verdict.kind === "delivered" ? null : attempted.target.setUpAtMs,
    destinationOff: verdict.kind === "delivered" ? null : verdict.destinationOff,
    holdUntilMs: verdict.kind === "delivered" ? null : verdict.holdUntilMs,
  });
  const settleMs = ctx.clock.monotonicMs() - startedMs;
  if (settled.kind === "claim_lost") {
    ctx.report.claimLost(attemptFact(attempted, { settleMs, heldUntilMs: 0 }));
    return 0;
  }
  ctx.report.attempted(attemptFact(attempted, { settleMs, heldUntilMs: settled.heldUntilMs }));
  const { accountId, destinationId } = delivery;
  if (settled.turnedOff !== null) ctx.report.turnedOff({ accountId, destinationId, reason: settled.turnedOff });
  return settled.heldUntilMs;
}

function attemptFact(
  { delivery, request, startedAtMs, result, verdict }: Attempted,
  { settleMs, heldUntilMs }: Pick<AttemptFact, "settleMs" | "heldUntilMs">,
): AttemptFact {
  return {
    deliveryId: delivery.id,
    eventId: delivery.eventId,
    eventType: delivery.eventType,
    accountId: delivery.accountId,
    destinationId: delivery.destinationId,
    attemptNumber: delivery.attemptsMade + 1,
    origin: request.url.origin,
    result,
    verdict,
    heldUntilMs,
    waitedMs: Math.max(0, startedAtMs - delivery.pendingSinceMs),
    settleMs,
    traceContext: delivery.traceContext,
  };
}

/**
 * Gives deliveries back unchanged: no attempt was made, and none is counted. Those before their first attempt are due
 * as they were, before later ones.
 */
export async function giveBack(ctx: DeliveryContext, deliveries: readonly ClaimedDelivery[]): Promise<void> {
  const claims = deliveries.map(({ id, accountId, claim }) => ({ deliveryId: id, accountId, claimToken: claim.token }));
  const sinceMs = deliveries.flatMap(({ attemptsInSchedule, pendingSinceMs }) =>
    attemptsInSchedule === 0 ? [pendingSinceMs] : [],
  );
  await ctx.store.releaseClaims({ claims, dueAtMs: Math.min(ctx.clock.nowMs(), ...sinceMs) });
}

/** An attempt as it is kept. */
export function toAttempt(
  { request, made, startedAtMs, result }: Pick<Attempted, "request" | "made" | "startedAtMs" | "result">,
  number: number,
): AttemptRecord {
  const record = { number, startedAtMs, url: request.url.href, requestHeaders: request.maskedHeaders, result };
  return made === null ? record : { ...record, sent: toSentBody(made.text, request.bytes) };
}

/** Before the row that names it, so that no attempt is there whose text is not. */
const keepText = (ctx: DeliveryContext, { accountId, claim }: ClaimedDelivery, { text }: MadeBody): Promise<void> =>
  whileClaimed(ctx, claim, () => ctx.bodies.keep(accountId, text));

async function settleWhileClaimed(
  ctx: DeliveryContext,
  { claim }: ClaimedDelivery,
  settlement: Settlement,
): Promise<SettleResult> {
  // A success gave its place in the lane back at its answer. What else an attempt may mean, others wait for.
  const isPatient = settlement.next.state === "delivered" && !settlement.isTrial;
  const [settled] = await whileClaimed(ctx, claim, () =>
    ctx.store.settleAttemptsIfClaimed({ nowMs: ctx.clock.nowMs(), settlements: [settlement], isPatient }),
  );
  return settled ?? { kind: "claim_lost" };
}

/** Tries again while the store is away, for as long as the claim holds. */
async function whileClaimed<Answer>(ctx: DeliveryContext, claim: Claim, call: () => Promise<Answer>): Promise<Answer> {
  for (;;) {
    const answer = await call().catch(toUnavailable);
    if (!(answer instanceof StoreUnavailable)) return answer;
    if (ctx.clock.nowMs() + SETTLE_AGAIN_MS >= claim.untilMs) throw answer;
    await sleep(ctx.clock, SETTLE_AGAIN_MS);
  }
}

function toUnavailable(error: unknown): StoreUnavailable {
  if (error instanceof StoreUnavailable) return error;
  throw error;
}

function nextState(verdict: Verdict): Settlement["next"] {
  switch (verdict.kind) {
    case "delivered":
      return { state: "delivered" };
    case "retry":
      return { state: "pending", dueAtMs: verdict.dueAtMs };
    case "exhausted":
      return { state: "failed" };
    default:
      return unreachable(verdict);
  }
}

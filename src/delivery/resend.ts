/**
 * Sends ended deliveries again: one by a person's resend, many by a replay. The delivery stays the same, with the same
 * body and `webhook-id`. Its attempts keep their numbering, and its retry schedule starts anew.
 */
import { newId } from "../domain/id.ts";
import { LIMITS } from "../domain/limits.ts";
import { type Problem, type Result, problem } from "../domain/problem.ts";
import { ok, refuse } from "../lib/result.ts";
import type { RequestResends, ResendResult } from "../store/contract/log.ts";
import type { SkipHead, SkipHeadResult } from "../store/contract/order.ts";
import type { CreateReplay, SetReplayState } from "../store/contract/replays.ts";
import { assert } from "../lib/assert.ts";
import type { Actor } from "../domain/account.ts";
import type { DeliveryContext } from "./context.ts";
import type { Engine } from "./engine.ts";

interface Path {
  readonly ctx: Pick<DeliveryContext, "store" | "clock" | "random">;
  readonly engine: Pick<Engine, "nudge">;
}

/** An attempt now for one, as `resendAll` does it. */
export async function resend(
  path: Path,
  { deliveryId, ...rest }: { readonly accountId: string; readonly deliveryId: string; readonly by: Actor },
): Promise<Result<void>> {
  const [result] = await resendAll(path, { ...rest, deliveryIds: [deliveryId] });
  assert(result !== undefined, "each delivery has a result");
  return result;
}

/**
 * An attempt now for each: one that has ended is sent again, one that waits does not wait any longer. Refuses each by
 * itself, with `delivery_not_found` or `not_resendable`.
 */
export async function resendAll(
  { ctx, engine }: Path,
  request: Omit<RequestResends, "nowMs">,
): Promise<readonly Result<void>[]> {
  const outcomes = await ctx.store.requestResends({ ...request, nowMs: ctx.clock.nowMs() });
  if (outcomes.includes("queued")) engine.nudge();
  return outcomes.map((outcome) => (outcome === "queued" ? ok(undefined) : refuse(toRefusal(outcome))));
}

/** Deliveries of one step. Guess: 10 ms of a transaction. */
const WAITING_PER_STEP = 1_000;

/** Deliveries beyond this keep their times; the caller sees how many wait. */
const WAITING_STEPS_MAX = 50;

/** Lets go what waits for a destination: its rest ends with a trial, and what was due later is due now. */
export async function sendWaiting(
  { ctx, engine }: Path,
  request: { readonly accountId: string; readonly destinationId: string; readonly by: Actor },
): Promise<Result<void>> {
  for (let step = 0; step < WAITING_STEPS_MAX; step += 1) {
    const nowMs = ctx.clock.nowMs();
    const sent = await ctx.store.sendWaiting({
      ...request,
      isContinued: step > 0,
      rowsMax: WAITING_PER_STEP,
      nowMs,
    });
    if (sent.kind !== "sent") return refuse(toWaitingRefusal(sent.kind));
    engine.nudge();
    if (!sent.hasMore) break;
  }
  return ok(undefined);
}

function toWaitingRefusal(kind: "missing" | "paused" | "off"): Problem {
  switch (kind) {
    case "missing":
      return problem("destination_not_found", "This account has no such destination.");
    case "paused":
      return problem("destination_not_on", "It is paused. Turn it on: what waits goes out then.");
    case "off":
      return problem("destination_not_on", "It was turned off. Turn it on: what waits goes out then.");
  }
}

/** The others of its destination, which gets one at a time, no longer wait for it. It can be sent again later. */
export async function skipHead({ ctx, engine }: Path, request: Omit<SkipHead, "nowMs">): Promise<Result<void>> {
  const skipped = await ctx.store.skipHead({ ...request, nowMs: ctx.clock.nowMs() });
  if (skipped !== "skipped") return refuse(toSkipRefusal(skipped));
  engine.nudge();
  return ok(undefined);
}

function toSkipRefusal(kind: Exclude<SkipHeadResult, "skipped">): Problem {
  switch (kind) {
    case "missing":
      return problem("destination_not_found", "This account has no such webhook that gets one at a time.");
    case "not_head":
      return problem("not_skippable", "The others no longer wait for this delivery. Nothing was skipped.");
    case "under_way":
      return problem("not_skippable", "An attempt of it is under way. Look again in a moment.");
  }
}

/**
 * Starts a replay of the deliveries that the filter matches now; their number is exact and does not change. Refuses
 * with `invalid_rate_limit` or `replay_too_large`.
 */
export async function startReplay(
  { ctx }: Path,
  request: Omit<CreateReplay, "id" | "nowMs" | "deliveriesMax">,
): Promise<Result<{ readonly replayId: string; readonly deliveries: number }>> {
  const { ratePerSecond } = request;
  if (!(ratePerSecond >= 1 && ratePerSecond <= LIMITS.replayRatePerSecondMax)) return refuse(badRate);
  const nowMs = ctx.clock.nowMs();
  const id = newId("rpl", nowMs, ctx.random);
  const deliveriesMax = LIMITS.replayDeliveriesMax;
  const created = await ctx.store.createReplay({ ...request, id, deliveriesMax, nowMs });
  return "refused" in created ? refuse(replayTooLarge) : ok({ replayId: id, deliveries: created.deliveries });
}

/** Pauses, resumes or cancels a replay. An ended replay stays as it is (`changed: false`). */
export async function setReplayState(
  { ctx, engine }: Path,
  request: Omit<SetReplayState, "nowMs">,
): Promise<Result<{ readonly changed: boolean }>> {
  const outcome = await ctx.store.setReplayState({ ...request, nowMs: ctx.clock.nowMs() });
  if (outcome === "missing") return refuse(problem("replay_not_found", "This account has no such replay."));
  engine.nudge();
  return ok({ changed: outcome === "changed" });
}

const badRate: Problem = problem("invalid_rate_limit", "Deliveries cannot be sent again at this rate.", [
  { path: "ratePerSecond", message: `must be a number from 1 to ${LIMITS.replayRatePerSecondMax}` },
]);

export const replayTooLarge: Problem = problem(
  "replay_too_large",
  `At most ${LIMITS.replayDeliveriesMax} deliveries are sent again at once; choose a shorter time, or fewer states.`,
);

function toRefusal(outcome: Exclude<ResendResult, "queued">): Problem {
  switch (outcome) {
    case "missing":
      return problem("delivery_not_found", "This account has no such delivery.");
    case "in_memory":
      return problem("not_resendable", "An attempt is under way. Look again in a moment.");
    case "not_its_turn":
      return problem(
        "not_resendable",
        "Its webhook gets one at a time, and others wait before it. Send or skip the one that holds them.",
      );
    case "destination_paused":
      return problem("not_resendable", "Its webhook is paused. Turn it on: what waits goes out then.");
    case "destination_off":
      return problem("not_resendable", "Its webhook was turned off. Turn it on: what waits goes out then.");
    case "is_test":
      return problem("not_resendable", "It was a test; send a new test instead.");
    case "destination_deleted":
      return problem("not_resendable", "Its webhook was deleted; there is nowhere to send it.");
    case "payload_purged":
      return problem("not_resendable", "Its payload is older than the retention time and was deleted.");
  }
}

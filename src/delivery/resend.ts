/**
 * Sends ended deliveries again: one by a person's resend, many by a replay. The delivery stays the same, with the same
 * body and `webhook-id`. Its attempts keep their numbering, and its retry schedule starts anew.
 */
import { newId } from "../domain/id.ts";
import { LIMITS } from "../domain/limits.ts";
import { type Problem, type Result, ok, problem, refuse } from "../domain/problem.ts";
import type { ResendResult } from "../store/contract/log.ts";
import type { CreateReplay, SetReplayState } from "../store/contract/replays.ts";
import type { Actor } from "../domain/actor.ts";
import type { DeliveryContext } from "./context.ts";
import type { Engine } from "./engine.ts";

interface Path {
  readonly ctx: Pick<DeliveryContext, "store" | "clock" | "random">;
  readonly engine: Pick<Engine, "nudge">;
}

/** Refuses with `delivery_not_found` or `not_resendable`. */
export async function resend(
  { ctx, engine }: Path,
  request: { readonly accountId: string; readonly deliveryId: string; readonly by: Actor },
): Promise<Result<void>> {
  const outcome = await ctx.store.requestResend({ ...request, nowMs: ctx.clock.nowMs() });
  if (outcome !== "queued") return refuse(toRefusal(outcome));
  engine.nudge();
  return ok(undefined);
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
  return "refused" in created ? refuse(tooLarge) : ok({ replayId: id, deliveries: created.deliveries });
}

/** Pauses, resumes or cancels a replay. An ended replay stays as it is (`changed: false`). */
export async function setReplayState(
  { ctx }: Path,
  request: Omit<SetReplayState, "nowMs">,
): Promise<Result<{ readonly changed: boolean }>> {
  const outcome = await ctx.store.setReplayState({ ...request, nowMs: ctx.clock.nowMs() });
  if (outcome === "missing") return refuse(problem("replay_not_found", "This account has no such replay."));
  return ok({ changed: outcome === "changed" });
}

const badRate: Problem = problem("invalid_rate_limit", "The replay's rate cannot be kept.", [
  { path: "ratePerSecond", message: `must be a number from 1 to ${LIMITS.replayRatePerSecondMax}` },
]);

const tooLarge: Problem = problem(
  "replay_too_large",
  `A replay has at most ${LIMITS.replayDeliveriesMax} deliveries; choose a shorter time, or fewer states.`,
);

function toRefusal(outcome: Exclude<ResendResult, "queued">): Problem {
  switch (outcome) {
    case "missing":
      return problem("delivery_not_found", "This account has no such delivery.");
    case "pending_already":
      return problem(
        "not_resendable",
        "It is sent by itself, attempt by attempt. You can resend it once it has ended.",
      );
    case "is_test":
      return problem("not_resendable", "It was a test; send a new test instead.");
    case "destination_deleted":
      return problem("not_resendable", "Its webhook was deleted; there is nowhere to send it.");
    case "payload_purged":
      return problem("not_resendable", "Its payload is older than the retention time and was deleted.");
  }
}

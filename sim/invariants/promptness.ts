/**
 * The promises about speed: nothing waits without a reason, no destination waits for another, and no request takes
 * longer than its deadline. Only a run on firm ground can show the first two: a node that is down is a reason.
 */
import { LIMITS } from "../../src/domain/limits.ts";
import { secondsMs } from "../../src/lib/duration.ts";
import type { StoredDestination } from "../../src/store/contract/accounts.ts";
import type { Ledger } from "../ledger/ledger.ts";
import { listDestinations, type DeliveryRecord, type SendRecord } from "../records.ts";
import { type Invariant, type NewInvariant, type World, firstFinding } from "./invariant.ts";

/** Two ticks, a claim and the lane's hand-over; anything above is not noise. */
const LATE_MS_MAX = secondsMs(2);

const dueIsNoticed = (): Invariant => ({
  name: "what is due is claimed at once when nothing stands in its way",
  see(fact, world) {
    if (fact.kind !== "claimed" || fact.claim.wasDueAtMs === null) return null;
    if (!world.isFirm(fact.delivery.event.accountId)) return null;
    const lateMs = fact.claim.nodeNowMs - fact.claim.wasDueAtMs;
    const { id } = fact.delivery;
    if (lateMs <= LATE_MS_MAX || mayWait(fact.delivery, world)) return null;
    return { message: `${id} was claimed ${lateMs} ms after it was due`, about: id };
  },
});

/** Its destination was busy, not on, or held back until now. */
function mayWait(delivery: DeliveryRecord, { ledger, nowMs }: World): boolean {
  const { destinationId } = delivery;
  const since = nowMs() - LATE_MS_MAX;
  const isHeld = ledger.holds.longestHoldMs(destinationId) > since;
  const isBusy = ({ endedAtMs, ...send }: SendRecord) =>
    send.destinationId === destinationId && (endedAtMs === null || endedAtMs > since);
  return isHeld || ledger.sends.some(isBusy) || listSetUps(ledger, delivery).some(({ state }) => state !== "on");
}

const healthyIsPrompt = (): Invariant => ({
  name: "a healthy destination does not wait for the others",
  see(fact, { ledger, isFirm, receivers }) {
    if (fact.kind !== "send_started") return null;
    const { deliveryId, destinationId, startedAtMs } = fact.send;
    const delivery = ledger.deliveries.get(deliveryId);
    if (delivery === undefined || delivery.sends.length !== 1 || !isFirm(delivery.event.accountId)) return null;
    const waitedMs = startedAtMs - delivery.createdAtMs;
    if (waitedMs <= HEALTHY_MS_MAX || !hasAlwaysBeenHealthy(ledger, delivery, receivers.isHealthy)) return null;
    return { message: `${deliveryId} waited ${waitedMs} ms for ${destinationId}, which is well`, about: deliveryId };
  },
});

/** A run's largest burst through a lane of four at 100 ms a request takes less than a second; a hanging one 15. */
const HEALTHY_MS_MAX = secondsMs(3);

function hasAlwaysBeenHealthy(ledger: Ledger, delivery: DeliveryRecord, isHealthy: (host: string) => boolean): boolean {
  return listSetUps(ledger, delivery).every(
    // Where they go one at a time, a burst is over as soon as the receiver has answered each.
    ({ url, state, oneAtATime }) => state === "on" && !oneAtATime && isHealthy(new URL(url).host),
  );
}

/** The delivery's destination in every version that there has been. */
function listSetUps(ledger: Ledger, { event, destinationId }: DeliveryRecord): readonly StoredDestination[] {
  const all = ledger.configs.versions(event.accountId).flatMap(({ account }) => listDestinations(account));
  return all.filter(({ id }) => id === destinationId);
}

const noRequestLastsLonger = (): Invariant => ({
  name: "a request ends by its deadline",
  see(fact) {
    if (fact.kind !== "send_ended") return null;
    const { life, startedAtMs, endedAtMs, deliveryId } = fact.send;
    const tookMs = (endedAtMs ?? 0) - startedAtMs;
    // A process that stood still notices late.
    if (tookMs <= LIMITS.attemptDeadlineMs || life.pausedUntilMs > startedAtMs) return null;
    return { message: `a request of ${deliveryId} took ${tookMs} ms`, about: deliveryId };
  },
  rest: ({ ledger }) =>
    firstFinding(ledger.sends, ({ life, endedAtMs, number, deliveryId }) => {
      if (endedAtMs !== null || life.isDead) return null;
      return { message: `send ${number} of ${life.name} has not ended yet`, about: deliveryId };
    }),
});

export const PROMPTNESS: readonly NewInvariant[] = [dueIsNoticed, healthyIsPrompt, noRequestLastsLonger];

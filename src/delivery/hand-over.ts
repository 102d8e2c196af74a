/**
 * The end of an accept: the deliveries pass from the commit to the lanes. A committed delivery under the claim takes
 * its reserved place; every other place is released. A lane without room notes that the store holds deliveries for it.
 */
import type { AccountView } from "../accounts/account-view.ts";
import type { AcceptedEvent, Claim, ClaimedDelivery, NewDelivery, NewEvent } from "../store/contract/path.ts";
import type { Lanes } from "./lanes/lanes.ts";

export interface HandOverParams {
  readonly event: NewEvent;
  readonly claim: Claim;
  readonly view: AccountView;
  /** The store's answer; `undefined` when the commit failed. */
  readonly answer: AcceptedEvent | undefined;
  /** The instant just before the commit. */
  readonly nowMs: number;
}

export function handOver(lanes: Lanes, { event, claim, view, answer, nowMs }: HandOverParams): void {
  const isAccepted = answer?.kind === "accepted";
  for (const delivery of event.deliveries) {
    const { id, destinationId } = delivery;
    if (!delivery.claimed) {
      if (isAccepted) lanes.noteBacklog(destinationId);
      continue;
    }
    // The store holds it back: a claim brings it once the destination's rest is over.
    if (isAccepted && !answer.unclaimed.includes(id))
      lanes.putReserved(claimedDelivery({ view, event, delivery, claim, nowMs }));
    else lanes.release(destinationId, event.body.length);
  }
}

interface Committed {
  readonly view: AccountView;
  readonly event: NewEvent;
  readonly delivery: NewDelivery;
  readonly claim: Claim;
  readonly nowMs: number;
}

function claimedDelivery({ view, event, delivery, claim, nowMs }: Committed): ClaimedDelivery {
  const { id: eventId, type: eventType, accountId, configVersion, body } = event;
  return {
    id: delivery.id,
    eventId,
    eventType,
    accountId,
    destinationId: delivery.destinationId,
    body,
    attemptsMade: 0,
    attemptsInSchedule: 0,
    pendingSinceMs: nowMs,
    isProbe: false,
    ratePerSecond: view.destinations.get(delivery.destinationId)?.ratePerSecond ?? null,
    traceContext: event.traceContext ?? null,
    configVersion,
    claim,
  };
}

/**
 * The end of an accept: the deliveries pass from the commit to the lanes. A committed delivery under the claim takes
 * its reserved place; every other place is released. A lane without room notes that the store holds deliveries for it.
 */
import type { AccountView } from "../accounts/account-view.ts";
import type { AcceptedEvent, Claim, ClaimedDelivery, NewDelivery, NewEvent } from "../store/contract/path.ts";
import type { Lanes } from "./lanes/lanes.ts";

export interface HandOverParams {
  readonly events: readonly NewEvent[];
  /** The store's answer to each; empty when the commit failed. */
  readonly accepted: readonly AcceptedEvent[];
  readonly claim: Claim;
  readonly view: AccountView;
  /** The instant just before the commit. */
  readonly nowMs: number;
}

export function handOver(lanes: Lanes, commit: HandOverParams): void {
  for (const [place, event] of commit.events.entries()) {
    const answer = commit.accepted[place];
    const isAccepted = answer?.kind === "accepted";
    for (const delivery of event.deliveries) {
      const { id, destinationId, claimed } = delivery;
      if (!claimed) {
        if (isAccepted) lanes.noteBacklog(destinationId);
        // The store holds it back: a claim brings it once the destination's rest is over.
      } else if (!isAccepted || answer.unclaimed.includes(id)) lanes.release(destinationId, event.body.length);
      else lanes.putReserved(claimedDelivery(commit, event, delivery));
    }
  }
}

function claimedDelivery(
  { view, claim, nowMs }: HandOverParams,
  event: NewEvent,
  delivery: NewDelivery,
): ClaimedDelivery {
  return {
    id: delivery.id,
    eventId: event.id,
    eventType: event.type,
    accountId: event.accountId,
    destinationId: delivery.destinationId,
    body: event.body,
    attemptsMade: 0,
    attemptsInSchedule: 0,
    pendingSinceMs: nowMs,
    isProbe: false,
    ratePerSecond: view.destinations.get(delivery.destinationId)?.ratePerSecond ?? null,
    traceContext: event.traceContext ?? null,
    configVersion: event.configVersion,
    claim,
  };
}

/**
 * The end of an accept: its deliveries pass from the commit to the lanes. Places that were reserved are taken by what
 * was committed and given back for what was not; what was left in the store is asked for.
 */
import type { Claim, ClaimedDelivery, NewDelivery, NewEvent } from "../store/store.ts";
import type { Engine } from "./engine.ts";

export interface HandOver {
  readonly event: NewEvent;
  readonly claim: Claim;
  readonly isAccepted: boolean;
}

export function handOver(engine: Pick<Engine, "lanes">, { event, claim, isAccepted }: HandOver): void {
  for (const delivery of event.deliveries) {
    if (!delivery.claimed) engine.lanes.noteBacklog(delivery.destinationId);
    else if (isAccepted) engine.lanes.putReserved(claimedDelivery(event, delivery, claim));
    else engine.lanes.release(delivery.destinationId);
  }
}

function claimedDelivery(event: NewEvent, { id, destinationId }: NewDelivery, claim: Claim): ClaimedDelivery {
  const { id: eventId, type: eventType, accountId, configVersion, body } = event;
  return { id, eventId, eventType, accountId, destinationId, body, attemptsMade: 0, configVersion, claim };
}

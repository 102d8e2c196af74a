/** What the event's path reports, as far as questions wait for it: this node has made something due. */
import type { DeliveryReport } from "../delivery/report.ts";
import type { Waits } from "./waits.ts";

export function createPullReport(waits: Pick<Waits, "wake" | "nudge">): DeliveryReport {
  return {
    accepted: () => {},
    queued: ({ deliveries }) => waits.wake(deliveries.map(({ destinationId }) => destinationId)),
    assistantsCreated: () => {},
    claimed: () => {},
    attempted: () => {},
    claimLost: () => {},
    turnedOff: () => {},
    tested: () => {},
    replaysStepped: () => waits.nudge(),
    pulled({ destinationId, notAcknowledged }) {
      if (notAcknowledged.length > 0) waits.wake([destinationId]);
    },
    failed: () => {},
  };
}

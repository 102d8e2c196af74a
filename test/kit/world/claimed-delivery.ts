/** A delivery as a claim brings it, for tests of what a node does with it. */
import { secondsMs } from "../../../src/lib/duration.ts";
import type { ClaimedDelivery } from "../../../src/store/contract/path.ts";

export const makeClaimed = (id: string, destinationId: string): ClaimedDelivery => ({
  id,
  eventId: `evt_of_${id}`,
  eventType: "demo_viewed",
  accountId: "acc_1",
  destinationId,
  body: "{}",
  attemptsMade: 0,
  attemptsInSchedule: 0,
  pendingSinceMs: 0,
  isTrial: false,
  ratePerSecond: null,
  traceContext: null,
  configVersion: 1,
  claim: { token: "token", untilMs: secondsMs(60) },
});

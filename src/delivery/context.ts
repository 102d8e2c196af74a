/** The ports and rules of the event's path; tests and the simulator replace the ports. */
import type { AccountCache } from "../accounts/account-cache.ts";
import type { SendResult } from "../domain/attempt.ts";
import type { RetrySchedule } from "../domain/retry-schedule.ts";
import type { Clock } from "../lib/clock.ts";
import type { Random } from "../lib/random.ts";
import type { Store } from "../store/contract/store.ts";
import type { MadeBodies } from "./made-bodies.ts";
import type { DeliveryReport } from "./report.ts";
import type { RequestNames, WebhookRequest } from "./send/request.ts";

export interface DeliveryContext {
  readonly clock: Clock;
  readonly random: Random;
  readonly store: Store;
  readonly accounts: AccountCache;
  /**
   * The only way to the network. Never rejects: every failure is an outcome. It asks `mayStart` before the first byte
   * is written, and returns `null` when the answer was no and nothing was sent.
   */
  readonly send: (request: WebhookRequest, mayStart: () => boolean) => Promise<SendResult | null>;
  /** What webhooks send whose body is not the event. */
  readonly bodies: MadeBodies;
  readonly report: DeliveryReport;
  readonly names: RequestNames;
  readonly schedule: RetrySchedule;
}

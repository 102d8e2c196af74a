/** What the event's path works with: ports that tests and the simulator replace, and the rules it keeps. */
import type { AccountCache } from "../accounts/account-cache.ts";
import type { SendResult } from "../domain/attempt.ts";
import type { RetrySchedule } from "../domain/retry-schedule.ts";
import type { Clock } from "../lib/clock.ts";
import type { Random } from "../lib/random.ts";
import type { Store } from "../store/contract/store.ts";
import type { DeliveryReport } from "./report.ts";
import type { RequestNames, WebhookRequest } from "./request.ts";

export interface DeliveryContext {
  readonly clock: Clock;
  readonly random: Random;
  readonly store: Store;
  readonly accounts: AccountCache;
  /**
   * The only way out. Never rejects: whatever happens is an outcome. Asks `mayStart` before the first byte is written;
   * `null`: it said no, and nothing was.
   */
  readonly send: (request: WebhookRequest, mayStart: () => boolean) => Promise<SendResult | null>;
  readonly report: DeliveryReport;
  readonly names: RequestNames;
  readonly schedule: RetrySchedule;
}

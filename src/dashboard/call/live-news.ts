/**
 * News of an account for the pages that are open on it. A port: code that changes something tells it here, and
 * `live/hub.ts` passes it on. Telling never fails and never waits; without a listener it costs a look into a map.
 */
import type { LiveFrames } from "../contract/live.ts";

export type LiveDelivery = LiveFrames["deliveries"]["changed"][number];

export interface LiveNews {
  deliveriesChanged(accountId: string, deliveries: readonly LiveDelivery[]): void;
  /** Their state or their health. */
  destinationsChanged(accountId: string, destinationIds: readonly string[]): void;
  replaysChanged(accountId: string, replayIds: readonly string[]): void;
  /** Somebody saved something, or did something that the audit lists. */
  configurationChanged(accountId: string): void;
  /**
   * Their streams end now, and the account's other pages hear that the list has changed. The next call of each session
   * is refused by the store in any case.
   */
  sessionsEnded(accountId: string, sessionIds: readonly string[]): void;
}

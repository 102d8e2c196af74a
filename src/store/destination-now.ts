/**
 * A destination as a transaction sees it, with what the transaction itself has changed already. Both stores keep it so.
 */
import type { DestinationHealth } from "../domain/destination-health.ts";
import type { DestinationOffReason, DestinationState } from "../domain/destination.ts";
import type { ReportedDestination } from "./contract/destinations.ts";
import type { Told } from "./outage-news.ts";

export interface DestinationNow extends Told {
  readonly accountId: string;
  readonly state: DestinationState;
  readonly offReason: DestinationOffReason | null;
  readonly health: DestinationHealth;
  /** The latest failure that was the receiver's. */
  readonly lastFailure: ReportedDestination["lastFailure"];
  readonly isDeleted: boolean;
  /** The claim of the last probe. */
  readonly probeToken: string | null;
  readonly ratePerSecond: number | null;
  /** Infinite when nothing waits. */
  readonly nextDueAtMs: number;
}

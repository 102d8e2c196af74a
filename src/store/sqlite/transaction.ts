/**
 * A verb's transaction. It remembers what a batch would otherwise read again for every event; the memory dies with the
 * transaction, so a roll-back needs no undoing.
 */
import type { Connection } from "./connection.ts";
import type { Addition } from "./counters.ts";
import type { DestinationNow } from "../../domain/destination-now.ts";

export interface Transaction {
  readonly db: Connection;
  /** Each account's version as of now in this transaction; `null`: no such account. */
  readonly configVersions: Map<string, number | null>;
  /** Destinations as of now in this transaction; see `destination-now.ts`. */
  readonly destinations: Map<string, DestinationNow>;
  /** Attempts that were counted and are not written yet; see `attempt-counts.ts`. */
  readonly counts: Map<string, Addition>;
  /** By how many the pending deliveries grow when this commits. */
  waitingChange: number;
  /** The latest instant of a claim, with those of this transaction. */
  newestTurnMs: number;
  /** Nothing to wait for: one transaction has the whole file. */
  hold(name: string): void;
}

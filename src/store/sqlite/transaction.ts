/** A transaction on SQLite: what the shared verbs need, and what the event's path keeps beside it. */
import type { DestinationNow } from "../../domain/destination-now.ts";
import type { SqlTransaction } from "../sql/transaction.ts";
import type { Connection } from "./connection/connection.ts";
import type { CountRound } from "./figures/count-slices.ts";
import type { Counts } from "./figures/counters.ts";
import type { RecentKeys } from "./path/recent-keys.ts";
import type { OpenDeliveries } from "./open-deliveries.ts";

export interface Transaction extends SqlTransaction {
  readonly db: Connection;
  /** As of now in this transaction; see `path/destination-now.ts`. */
  readonly destinations: Map<string, DestinationNow>;
  /** Attempts that were counted and are written by this commit; see `figures/attempt-counts.ts`. */
  readonly counts: Counts;
  /** Those that a later commit writes; see `figures/count-epochs.ts`. */
  readonly countsLater: Counts;
  /** The latest settlement that counted later; `null` when none did. */
  countedAtMs: number | null;
  /** The epoch in which attempts are counted now. */
  epoch: number;
  /** The round in which counts are being written, or `null` between two. */
  round: CountRound | null;
  hasBegunRound: boolean;
  /** Slices of counts that this transaction writes. */
  readonly writtenSlices: Set<number>;
  /** The mark of open deliveries: no event before it has one. */
  openFrom: number;
  /** The next event's number; see `path/events.ts`. */
  nextEventSeq: number;
  /** Events that this transaction has accepted, and whether it has moved the mark behind them. */
  accepted: number;
  hasMovedMark: boolean;
  /** Keys against repeats that `event_keys` does not have yet. */
  readonly keys: RecentKeys;
  /** Deliveries that have no row yet. */
  readonly open: OpenDeliveries;
  /** By how many the pending deliveries grow when this commits. */
  waitingChange: number;
  /** The latest instant of a claim, with those of this transaction. */
  newestTurnMs: number;
  /** Nothing to wait for: one transaction has the whole file. */
  hold(name: string): void;
}

/**
 * Transactions on SQLite. One that reads sees the file alone, so that it may run on a thread of its own, beside the one
 * that writes (`reader/reader.ts`). That one knows what the event's path keeps in memory, too.
 */
import type { DestinationNow } from "../../domain/destination-now.ts";
import type { SqlTransaction } from "../sql/transaction.ts";
import type { Connection, ReadConnection } from "./connection/connection.ts";
import type { Counts } from "./figures/counts.ts";
import type { InMemoryDeliveries } from "./in-memory-deliveries.ts";

export interface ReadTransaction extends SqlTransaction {
  readonly db: ReadConnection;
  /** Nothing to wait for: one transaction has the whole file. */
  hold(name: string): void;
}

export interface Transaction extends ReadTransaction {
  readonly db: Connection;
  /** As of now in this transaction; see `path/destination-now.ts`. */
  readonly destinations: Map<string, DestinationNow>;
  /** Attempts that were counted and have no deltas yet; see `figures/attempt-counts.ts`. */
  readonly counts: Counts;
  /** The next event's number; see `path/events.ts`. */
  nextEventSeq: number;
  /** Deliveries that have no row yet. */
  readonly inMemory: InMemoryDeliveries;
  /** By how many the pending deliveries grow when this commits. */
  waitingChange: number;
  /** The latest instant of a claim, with those of this transaction. */
  newestServedMs: number;
}

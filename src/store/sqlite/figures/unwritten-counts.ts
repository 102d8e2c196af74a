/**
 * Counts that a later commit writes (`count-epochs.ts`), for readers, who add them to what they read. If readers wrote
 * them down, each look at a chart would be a commit with the counts of all accounts, for which all calls wait. So would
 * each look at a log that is filtered by answers, which a page repeats every second.
 */
import type { CountAttempts } from "../../contract/log.ts";
import type { LogWay } from "../../sql/log/log-ways.ts";
import { flushCounts } from "./attempt-counts.ts";
import type { Addition } from "./counters.ts";
import type { Transaction } from "../transaction.ts";

export interface Wanted extends Pick<CountAttempts, "accountId" | "destinationId"> {
  /** Both kinds, where it is left out. */
  readonly kind?: NonNullable<LogWay["looksFor"]>;
  /** Inclusive. */
  readonly fromMs?: number;
  /** Exclusive. */
  readonly toMs?: number;
}

/**
 * Additions to counters of destinations, several to the same one maybe. Writes down first what the transaction has
 * counted for its own commit.
 */
export function listUnwritten(tx: Transaction, wanted: Wanted): Addition[] {
  flushCounts(tx);
  const { accountId, destinationId, kind, fromMs = -Infinity, toMs = Infinity } = wanted;
  const isWanted = (addition: Addition): boolean =>
    addition.accountId === accountId &&
    (destinationId === undefined || addition.id === destinationId) &&
    (kind === undefined || addition.kind === kind) &&
    addition.atMs >= fromMs &&
    addition.atMs < toMs;
  return [...tx.db.countsLater.valuesBut(tx.writtenSlices), ...tx.countsLater.values()].filter(isWanted);
}

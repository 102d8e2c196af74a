/** One transaction: begun, worked in, committed, or left open for `rollBack` to undo. */
import { flushCounts } from "./figures/attempt-counts.ts";
import { keepCounts, writeCountsIfDue } from "./figures/count-epochs.ts";
import { Counts } from "./figures/counters.ts";
import type { Connection } from "./connection/connection.ts";
import type { Transaction } from "./transaction.ts";

/**
 * Runs `work` and commits, or rejects and leaves the transaction open for `rollBack`. `work` waits for its connection
 * alone, whose answers are there at once. The caller starts the next transaction after this one's promise has settled.
 */
export async function commit<Value>(db: Connection, work: (tx: Transaction) => Value | Promise<Value>): Promise<Value> {
  const tx = begin(db);
  const value = await work(tx);
  end(tx);
  return value;
}

/** The same for work that waits for nothing, as at the start. */
export function commitAtOnce<Value>(db: Connection, work: (tx: Transaction) => Value): Value {
  const tx = begin(db);
  const value = work(tx);
  end(tx);
  return value;
}

function begin(db: Connection): Transaction {
  db.run("begin immediate");
  db.open.begin();
  db.keys.begin();
  return {
    db,
    configVersions: new Map(),
    destinations: new Map(),
    counts: new Counts(),
    countsLater: new Counts(),
    countedAtMs: null,
    epoch: db.epoch,
    writtenSlices: new Set(),
    round: db.round,
    hasBegunRound: false,
    openFrom: db.openFrom,
    nextEventSeq: db.nextEventSeq,
    accepted: 0,
    hasMovedMark: false,
    open: db.open,
    keys: db.keys,
    waitingChange: 0,
    newestTurnMs: db.newestTurnMs,
    hold: () => {},
    inBucket: () => db,
  };
}

function end(tx: Transaction): void {
  writeCountsIfDue(tx);
  flushCounts(tx);
  tx.db.run("commit");
  tx.open.commit();
  tx.keys.commit();
  keepCounts(tx);
  tx.db.waiting += tx.waitingChange;
  tx.db.newestTurnMs = tx.newestTurnMs;
  tx.db.nextEventSeq = tx.nextEventSeq;
}

/** SQLite has rolled back by itself after some failures. */
export function rollBack(db: Connection): void {
  if (db.inTransaction()) db.run("rollback");
}

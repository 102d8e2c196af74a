/** One transaction: begun, worked in, committed, or left open for `rollBack` to undo. */
import { flushCounts } from "./attempt-counts.ts";
import type { Connection } from "./connection.ts";
import type { Transaction } from "./transaction.ts";

/** Runs `work` and commits, or throws and leaves the transaction open for `rollBack`. */
export function commit<Value>(db: Connection, work: (tx: Transaction) => Value): Value {
  const { newestTurnMs } = db;
  const tx: Transaction = {
    db,
    configVersions: new Map(),
    destinations: new Map(),
    counts: new Map(),
    waitingChange: 0,
    newestTurnMs,
  };
  db.run("begin immediate");
  const value = work(tx);
  flushCounts(tx);
  db.run("commit");
  db.waiting += tx.waitingChange;
  db.newestTurnMs = tx.newestTurnMs;
  return value;
}

/** SQLite has rolled back by itself after some failures. */
export function rollBack(db: Connection): void {
  if (db.inTransaction()) db.run("rollback");
}

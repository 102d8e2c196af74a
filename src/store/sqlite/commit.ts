/**
 * Transactions on SQLite. Calls share one: begin, every verb in order, one commit, one sync (`../calls.ts` says what
 * each is answered). A transaction that fails stays open for `rollBack` to undo.
 */
import { type Answer, answerCalls, type Call, type Failure, type Run, toFault, toUnavailable } from "../calls.ts";
import type { AttemptColumns } from "./attempts.ts";
import type { Connection } from "./connection/connection.ts";
import { scrub } from "./erase.ts";
import { describeFailure, isStorageFailure } from "./failures.ts";
import { rollUpIfMany, writeDeltas } from "./figures/attempt-counts.ts";
import { Counts } from "./figures/counts.ts";
import { moveLowWaterMarkIfDue } from "./path/pending-rows.ts";
import type { Transaction } from "./transaction.ts";
import { DIALECT, VERBS } from "./verbs.ts";

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
  db.inMemory.begin();
  return {
    db,
    types: db.types,
    configVersions: new Map(),
    destinations: new Map(),
    counts: new Counts(),
    nextEventSeq: db.nextEventSeq,
    inMemory: db.inMemory,
    waitingChange: 0,
    newestServedMs: db.newestServedMs,
    hold: () => {},
  };
}

function end(tx: Transaction): void {
  moveLowWaterMarkIfDue(tx);
  writeDeltas(tx);
  rollUpIfMany(tx);
  tx.db.run("commit");
  tx.inMemory.commit();
  tx.db.waiting += tx.waitingChange;
  tx.db.newestServedMs = tx.newestServedMs;
  tx.db.nextEventSeq = tx.nextEventSeq;
  if (tx.db.erasing !== "no") scrub(tx.db);
}

/** SQLite has rolled back by itself after some failures. */
export function rollBack(db: Connection): void {
  if (db.inTransaction()) db.run("rollback");
}

type SqliteCall = Call<AttemptColumns>;

export const commitCalls = (db: Connection, calls: readonly SqliteCall[]): Promise<Answer[]> =>
  answerCalls(calls, (batch) => runTogether(db, batch));

async function runTogether(db: Connection, calls: readonly SqliteCall[]): Promise<Run> {
  try {
    // Only open here when an earlier roll-back failed too; without this the store would never recover.
    rollBack(db);
    return { kind: "committed", values: await commit(db, (tx) => runAll(tx, calls)) };
  } catch (error) {
    const described = { text: describeFailure(error), cause: error };
    return undo(db) ?? (isStorageFailure(error) ? toUnavailable(described) : toFault(calls, described));
  }
}

/** In the order of the calls: what one has written, the next one reads. */
async function runAll(tx: Transaction, calls: readonly SqliteCall[]): Promise<unknown[]> {
  const values: unknown[] = [];
  for (const call of calls) {
    const value = runVerb(tx, call);
    // Verbs of the path answer at once, and should not wait for a turn of the queue each.
    values.push(value instanceof Promise ? await value : value);
  }
  return values;
}

function runVerb(tx: Transaction, { verb, params }: SqliteCall): unknown {
  // The compiler cannot see that the params are this verb's own; `storeOver`, which makes every call, made sure of it.
  const run = VERBS[verb] as (tx: Transaction, params: unknown, dialect: typeof DIALECT) => unknown;
  return run(tx, params, DIALECT);
}

/** Gives the locks back at once. A roll-back fails only with its disk, which is then what the callers are told. */
function undo(db: Connection): Failure | null {
  try {
    rollBack(db);
    return null;
  } catch (error) {
    return toUnavailable({ text: describeFailure(error), cause: error });
  }
}

/** Calls on SQLite (see `../commit-calls.ts`): begin, every verb in order, one commit, one sync. */
import type { Answer, Call, Failure } from "../calls.ts";
import { answerCalls, type Run, toFault, toUnavailable } from "../commit-calls.ts";
import type { AttemptColumns } from "./attempts.ts";
import type { Connection } from "./connection/connection.ts";
import { describeFailure, isStorageFailure } from "./failures.ts";
import { commit, rollBack } from "./commit.ts";
import type { Transaction } from "./transaction.ts";
import { DIALECT, VERBS } from "./verbs.ts";

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
  // It may have read counts that are undone now.
  db.keptHours.clear();
  try {
    rollBack(db);
    return null;
  } catch (error) {
    return toUnavailable({ text: describeFailure(error), cause: error });
  }
}

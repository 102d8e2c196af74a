/**
 * Runs many calls in one transaction: begin, every verb in order, one commit, one sync.
 *
 * Invariant: what is answered as done is committed. When the storage fails, nothing of the batch happened and every
 * call is answered `unavailable`. When one call fails for a fault of ours, the batch is undone and run again one by
 * one, so that only the guilty call pays for it.
 */
import type { Answer, Failure } from "../calls.ts";
import type { Connection } from "./connection.ts";
import { describeFailure, isStorageFailure } from "./failures.ts";
import { commit, rollBack } from "./commit.ts";
import type { Transaction } from "./transaction.ts";
import type { Call } from "./call.ts";
import { VERBS } from "./verbs.ts";

export function commitCalls(db: Connection, calls: readonly Call[]): Answer[] {
  const run = runTogether(db, calls);
  switch (run.kind) {
    case "committed":
      return run.values.map((value) => ({ kind: "done", value }));
    case "unavailable":
      return calls.map(() => run);
    case "fault":
      return calls.length === 1 ? [run] : calls.flatMap((call) => commitCalls(db, [call]));
  }
}

function runTogether(db: Connection, calls: readonly Call[]): { kind: "committed"; values: unknown[] } | Failure {
  try {
    // Only open here when an earlier roll-back failed too; without this the store would never recover.
    rollBack(db);
    const values = commit(db, (tx) => calls.map((call) => runVerb(tx, call)));
    return { kind: "committed", values };
  } catch (error) {
    return undo(db) ?? failureOf(error, calls);
  }
}

function runVerb(tx: Transaction, { verb, params }: Call): unknown {
  // The compiler cannot see that the params are this verb's own; `storeOver`, which makes every call, made sure of it.
  const run = VERBS[verb] as (tx: Transaction, params: unknown) => unknown;
  return run(tx, params);
}

/** Gives the locks back at once. A roll-back fails only with its disk, which is then what the callers are told. */
function undo(db: Connection): Failure | null {
  try {
    rollBack(db);
    return null;
  } catch (error) {
    return { kind: "unavailable", error: new Error(unavailableMessage(error), { cause: error }) };
  }
}

function failureOf(error: unknown, calls: readonly Call[]): Failure {
  if (isStorageFailure(error)) {
    return { kind: "unavailable", error: new Error(unavailableMessage(error), { cause: error }) };
  }
  const verbs = [...new Set(calls.map(({ verb }) => verb))].join(", ");
  return {
    kind: "fault",
    error: new Error(`${verbs} failed in the store: ${describeFailure(error)}`, { cause: error }),
  };
}

const unavailableMessage = (error: unknown): string => `the database cannot commit now: ${describeFailure(error)}`;

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

export async function commitCalls(db: Connection, calls: readonly Call[]): Promise<Answer[]> {
  const run = await runTogether(db, calls);
  switch (run.kind) {
    case "committed":
      return run.values.map((value) => ({ kind: "done", value }));
    case "unavailable":
      return calls.map(() => run);
    case "fault":
      return calls.length === 1 ? [run] : await oneByOne(db, calls);
  }
}

async function oneByOne(db: Connection, calls: readonly Call[]): Promise<Answer[]> {
  const answers: Answer[] = [];
  for (const call of calls) answers.push(...(await commitCalls(db, [call])));
  return answers;
}

type Run = { readonly kind: "committed"; readonly values: readonly unknown[] } | Failure;

async function runTogether(db: Connection, calls: readonly Call[]): Promise<Run> {
  try {
    // Only open here when an earlier roll-back failed too; without this the store would never recover.
    rollBack(db);
    return { kind: "committed", values: await commit(db, (tx) => runAll(tx, calls)) };
  } catch (error) {
    return undo(db) ?? failureOf(error, calls);
  }
}

/** In the order of the calls: what one has written, the next one reads. */
async function runAll(tx: Transaction, calls: readonly Call[]): Promise<unknown[]> {
  const values: unknown[] = [];
  for (const call of calls) {
    const value = runVerb(tx, call);
    // Verbs of the path answer at once, and should not wait for a turn of the queue each.
    values.push(value instanceof Promise ? await value : value);
  }
  return values;
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

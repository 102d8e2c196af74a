/**
 * Runs calls of one verb in one transaction, with one commit for all.
 *
 * Invariant: what is answered as done is committed. When the storage fails, nothing of the batch happened (or, when the
 * connection broke during the commit, its outcome is unknown), and every call is answered `unavailable`. When one call
 * fails for a fault of ours, the batch is run again one by one, so that only the guilty call pays for it.
 */
import type { Answer, Failure } from "../calls.ts";
import { StoreUnavailable } from "../contract/store.ts";
import { causeOf, describeFailure, isCollision, isStorageFailure } from "./failures.ts";
import { commit, type Database, type Transaction } from "./transaction.ts";
import type { Call } from "./call.ts";
import { JOINED_VERBS, type JoinedVerb, VERBS } from "./verbs.ts";

/** Nodes lock in one order, so collisions are rare; this number in a row is a fault of ours. */
const COLLISIONS_MAX = 5;

export async function commitCalls(database: Database, calls: readonly Call[]): Promise<Answer[]> {
  const run = await runTogether(database, calls);
  switch (run.kind) {
    case "committed":
      return run.values.map((value) => ({ kind: "done", value }));
    case "unavailable":
      return calls.map(() => run);
    case "fault":
      return calls.length === 1 ? [run] : await oneByOne(database, calls);
  }
}

async function oneByOne(database: Database, calls: readonly Call[]): Promise<Answer[]> {
  const answers: Answer[] = [];
  for (const call of calls) answers.push(...(await commitCalls(database, [call])));
  return answers;
}

type Run = { readonly kind: "committed"; readonly values: readonly unknown[] } | Failure;

async function runTogether(database: Database, calls: readonly Call[]): Promise<Run> {
  for (let collisions = 0; ; collisions += 1) {
    try {
      return { kind: "committed", values: await commit(database, (tx) => runVerb(tx, calls)) };
    } catch (error) {
      if (!isCollision(error) || collisions === COLLISIONS_MAX) return failureOf(error, calls);
    }
  }
}

async function runVerb(tx: Transaction, calls: readonly Call[]): Promise<readonly unknown[]> {
  const [first] = calls;
  if (first === undefined) return [];
  // The compiler cannot see that the params are this verb's own; `storeOver`, which makes every call, made sure of it.
  if (first.verb in JOINED_VERBS) {
    const run = JOINED_VERBS[first.verb as JoinedVerb] as (tx: Transaction, params: unknown) => Promise<unknown[]>;
    return await run(
      tx,
      calls.map(({ params }) => params),
    );
  }
  const values: unknown[] = [];
  const run = VERBS[first.verb as keyof typeof VERBS] as (tx: Transaction, params: unknown) => Promise<unknown>;
  for (const { params } of calls) values.push(await run(tx, params));
  return values;
}

function failureOf(error: unknown, calls: readonly Call[]): Failure {
  if (error instanceof StoreUnavailable || isStorageFailure(error)) {
    const message = `the database cannot commit now: ${describeFailure(error)}`;
    return { kind: "unavailable", error: new Error(message, { cause: causeOf(error) }) };
  }
  const verbs = [...new Set(calls.map(({ verb }) => verb))].join(", ");
  return {
    kind: "fault",
    error: new Error(`${verbs} failed in the store: ${describeFailure(error)}`, { cause: causeOf(error) }),
  };
}

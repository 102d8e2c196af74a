/**
 * A store behind a queue: each verb of the contract as a call that can wait, travel and share a transaction with
 * others. Each store runs a call in its own way; how it gets there and how it is answered is the same for all.
 *
 * `Columns` is an attempt as that store takes it: packed on the caller's side, before it waits.
 *
 * Invariant: what is answered as done is committed. When the storage fails, every call of a shared transaction is
 * answered `unavailable`: nothing of it happened or, after a connection lost during the commit, all of it may have.
 * When one call fails for a fault of ours, the calls are run again one by one, or without those that it is known to be
 * of, so that only the failing call is rejected.
 */
import type { AttemptRecord } from "../domain/attempt.ts";
import { assert } from "../lib/assert.ts";
import type { RecordTestDelivery } from "./contract/log.ts";
import type { SettleAttempts, Settlement } from "./contract/path.ts";
import { type Store, StoreUnavailable, VERB_NAMES, type VerbName } from "./contract/store.ts";

export type PackedSettlement<Columns> = Omit<Settlement, "attempt"> & { readonly attempt: Columns };

/** Verbs with params that are packed before they travel. */
interface PackedParams<Columns> {
  settleAttemptsIfClaimed: Omit<SettleAttempts, "settlements"> & {
    readonly settlements: readonly PackedSettlement<Columns>[];
  };
  recordTestDelivery: Omit<RecordTestDelivery, "attempt"> & { readonly attempt: Columns };
}

export type VerbParams<Name extends VerbName, Columns> = Name extends keyof PackedParams<Columns>
  ? PackedParams<Columns>[Name]
  : Parameters<Store[Name]>[0];

export type VerbAnswer<Name extends VerbName> = Awaited<ReturnType<Store[Name]>>;

/** A verb to run. */
export interface Call<Columns> {
  readonly verb: VerbName;
  readonly params: VerbParams<VerbName, Columns>;
}

export const toCall = <Name extends VerbName, Columns>(
  verb: Name,
  params: VerbParams<Name, Columns>,
): Call<Columns> => ({ verb, params });

/** The end of a call; `error` is a plain one, because an error's own class is lost on its way to another thread. */
export type Answer = { readonly kind: "done"; readonly value: unknown } | Failure;

export interface Failure {
  readonly kind: "unavailable" | "fault";
  readonly error: Error;
}

/** `failedCalls`: those that a fault is of, where that is known. */
export type FailedRun = Failure & { readonly failedCalls?: ReadonlySet<unknown> };

export interface Waiter {
  readonly resolve: (value: VerbAnswer<VerbName>) => void;
  readonly reject: (error: Error) => void;
}

/** Hands one caller its answer. */
export function settle(waiter: Waiter, answer: Answer | undefined): void {
  assert(answer !== undefined, "the store answered fewer calls than it was sent");
  switch (answer.kind) {
    case "done":
      return waiter.resolve(answer.value as VerbAnswer<VerbName>);
    case "unavailable":
      return waiter.reject(new StoreUnavailable(answer.error.message, { cause: answer.error.cause }));
    case "fault":
      return waiter.reject(answer.error);
  }
}

export interface CallAccess<Columns> {
  call(call: Call<Columns>): Promise<VerbAnswer<VerbName>>;
  /** Finishes what was called, then closes. */
  close(): Promise<void>;
  packAttempt(attempt: AttemptRecord): Columns;
}

interface PackedGiven {
  readonly deliveryId: string;
  readonly attempt: AttemptRecord;
}

/** The contract over calls. Once it closes, every verb rejects with `StoreUnavailable`. */
export function storeOver<Columns>({ call, close, packAttempt }: CallAccess<Columns>): Store {
  let closing: Promise<void> | null = null;

  function run<Name extends VerbName>(verb: Name, params: VerbParams<Name, Columns>): Promise<VerbAnswer<Name>> {
    if (closing !== null) return Promise.reject(new StoreUnavailable(`${verb}: the store is closed`));
    // An answer belongs to the verb of its call.
    return call(toCall(verb, params)) as Promise<VerbAnswer<Name>>;
  }

  const pack = <Given extends PackedGiven>(given: Given) => ({
    ...given,
    attempt: packAttempt(given.attempt),
  });

  const packed: Pick<Store, "settleAttemptsIfClaimed" | "recordTestDelivery"> = {
    settleAttemptsIfClaimed: ({ settlements, ...rest }) =>
      run("settleAttemptsIfClaimed", { ...rest, settlements: settlements.map(pack) }),
    recordTestDelivery: (params) => run("recordTestDelivery", pack(params)),
  };
  // Every other verb travels as it was called. The table has a row for each verb of the contract.
  const plain = VERB_NAMES.map((verb) => [verb, (params: VerbParams<VerbName, Columns>) => run(verb, params)]);
  return {
    ...(Object.fromEntries(plain) as unknown as Store),
    ...packed,
    [Symbol.asyncDispose]: () => (closing ??= close()),
  };
}

/** How a batch has ended. */
export type Run = { readonly kind: "committed"; readonly values: readonly unknown[] } | FailedRun;

type RunTogether<Columns> = (calls: readonly Call<Columns>[]) => Promise<Run>;

export async function answerCalls<Columns>(
  calls: readonly Call<Columns>[],
  runTogether: RunTogether<Columns>,
): Promise<Answer[]> {
  const run = await runTogether(calls);
  switch (run.kind) {
    case "committed":
      return run.values.map((value) => ({ kind: "done", value }));
    case "unavailable":
      return calls.map(() => run);
    case "fault":
      if (calls.length === 1) return [run];
      if (run.failedCalls === undefined) return await oneByOne(calls, runTogether);
      return await withoutFailed(calls, { failedCalls: run.failedCalls, failure: run }, runTogether);
  }
}

async function oneByOne<Columns>(
  calls: readonly Call<Columns>[],
  runTogether: RunTogether<Columns>,
): Promise<Answer[]> {
  const answers: Answer[] = [];
  for (const call of calls) answers.push(...(await answerCalls([call], runTogether)));
  return answers;
}

async function withoutFailed<Columns>(
  calls: readonly Call<Columns>[],
  { failedCalls, failure }: { failedCalls: ReadonlySet<unknown>; failure: Failure },
  runTogether: RunTogether<Columns>,
): Promise<Answer[]> {
  const others = calls.filter((call) => !failedCalls.has(call));
  const answers = others.length === 0 ? [] : await answerCalls(others, runTogether);
  return calls.map((call) => (failedCalls.has(call) ? failure : (answers.shift() ?? failure)));
}

/** `text` is the failure as its database says it, without values; `cause` goes to the log. */
interface Described {
  readonly text: string;
  readonly cause: unknown;
}

export const toUnavailable = ({ text, cause }: Described): Failure => ({
  kind: "unavailable",
  error: new Error(`the database cannot commit now: ${text}`, { cause }),
});

export function toFault<Columns>(calls: readonly Call<Columns>[], { text, cause }: Described): Failure {
  const verbs = [...new Set(calls.map(({ verb }) => verb))].join(", ");
  return { kind: "fault", error: new Error(`${verbs} failed in the store: ${text}`, { cause }) };
}

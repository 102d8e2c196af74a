/**
 * Calls that share a transaction, and what each one is answered.
 *
 * Invariant: what is answered as done is committed. When the storage fails, nothing of the batch happened and every
 * call is answered `unavailable`. When one call fails for a fault of ours, the batch is run again one by one, so that
 * only the guilty call pays for it.
 */
import type { Answer, Call, Failure } from "./calls.ts";

/** How a batch has ended. */
export type Run = { readonly kind: "committed"; readonly values: readonly unknown[] } | Failure;

export async function answerCalls<Columns>(
  calls: readonly Call<Columns>[],
  runTogether: (calls: readonly Call<Columns>[]) => Promise<Run>,
): Promise<Answer[]> {
  const run = await runTogether(calls);
  switch (run.kind) {
    case "committed":
      return run.values.map((value) => ({ kind: "done", value }));
    case "unavailable":
      return calls.map(() => run);
    case "fault":
      return calls.length === 1 ? [run] : await oneByOne(calls, runTogether);
  }
}

async function oneByOne<Columns>(
  calls: readonly Call<Columns>[],
  runTogether: (calls: readonly Call<Columns>[]) => Promise<Run>,
): Promise<Answer[]> {
  const answers: Answer[] = [];
  for (const call of calls) answers.push(...(await answerCalls([call], runTogether)));
  return answers;
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

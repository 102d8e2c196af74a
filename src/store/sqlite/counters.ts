/** Counters of attempts: where they are kept, and what a transaction adds to them. */
import type { AttemptCount } from "../contract/log.ts";

/** The two counter tables and their key columns. */
export const COUNTERS = {
  destination: { table: "attempt_counts", column: "destination_id" },
  account: { table: "account_attempt_counts", column: "account_id" },
} as const;

export type CountScope = keyof typeof COUNTERS;

/** A counter as it is kept. */
export interface Counter extends Pick<AttemptCount, "atMs" | "kind" | "result" | "code"> {
  /** The destination's or account's. */
  readonly id: string;
}

/** A transaction's addition to a counter. */
export interface Addition extends Counter {
  readonly scope: CountScope;
  /** The account that is still to get the same; `null` when it has it. */
  readonly accountId: string | null;
  readonly bins: Map<number, number>;
}

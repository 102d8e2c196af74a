/** Additions of a transaction to the counters of attempts. */
import type { AttemptCount } from "../../contract/log.ts";
import type { CountScope } from "../../sql/figures/count-tiers.ts";

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

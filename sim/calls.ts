/** Calls on their way from a node to a shard of the store and back. */
import type { Verb } from "./ledger/books.ts";

/** It is not packed before it is there. */
export interface SimCall {
  readonly verb: Verb;
  readonly params: unknown;
  /** Its account is in that shard as the directory says, or in none. */
  readonly mayBeMissing?: boolean;
}

/** Opens a shard, or finds it open. */
export type Open = () => Promise<unknown>;

export type RunCall = (call: SimCall, shard: string) => Promise<unknown>;

export type Arrival =
  | { readonly kind: "answered"; readonly answer: unknown; readonly change: Change | null }
  | { readonly kind: "failed"; readonly error: unknown };

/** The account's version right after a verb that changes what it has set up. */
export interface Change {
  readonly accountId: string;
  readonly configVersion: number;
}

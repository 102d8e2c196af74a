/**
 * Asks the store which versions accounts have, for views that were not confirmed lately. One statement for all that are
 * asked about while the one before it runs, and for all that will be soon, so that a node with a thousand lanes asks
 * hardly more often than one with one.
 */
import type { Clock } from "../lib/clock.ts";
import type { Store } from "../store/contract/store.ts";
import type { Confirmation } from "./held-views.ts";

export interface VersionAskerOptions {
  readonly store: Pick<Store, "loadConfigVersions">;
  readonly clock: Pick<Clock, "monotonicMs">;
  readonly confirm: (accountId: string, confirmation: Confirmation) => void;
  /** What is in use, and worth asking about with the others. */
  readonly along: (askedMs: number) => readonly string[];
}

/** Resolves when the account's version was confirmed or found out; rejects with `StoreUnavailable`. */
export type AskVersion = (accountId: string) => Promise<void>;

export function createVersionAsker({ store, clock, confirm, along }: VersionAskerOptions): AskVersion {
  /** As many as have something in hand at most. */
  let wanted = new Set<string>();
  let next: Promise<void> | null = null;
  let last: Promise<unknown> = Promise.resolve();

  async function askAll(): Promise<void> {
    // Before the question: what is changed while it is on its way may not be in the answer.
    const askedMs = clock.monotonicMs();
    const accountIds = [...wanted.union(new Set(along(askedMs)))];
    wanted = new Set();
    next = null;
    const versions = await store.loadConfigVersions({ accountIds });
    for (const { accountId, configVersion } of versions) confirm(accountId, { configVersion, askedMs });
  }

  return (accountId) => {
    wanted.add(accountId);
    if (next === null) {
      next = last.then(askAll);
      last = next.catch(() => {});
    }
    return next;
  };
}

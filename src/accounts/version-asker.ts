/**
 * Asks the store for the versions of accounts without a lately confirmed view. One statement covers every account
 * that was asked about while the previous statement ran, and every account that will be soon. So a node with a thousand
 * lanes asks hardly more often than a node with one.
 */
import type { Clock } from "../lib/clock.ts";
import type { Store } from "../store/contract/store.ts";
import type { Confirmation } from "./held-views.ts";

export interface VersionAskerOptions {
  readonly store: Pick<Store, "loadConfigVersions">;
  readonly clock: Pick<Clock, "monotonicMs">;
  readonly confirm: (accountId: string, confirmation: Confirmation) => void;
  /** Accounts in use that are worth asking about with the others. */
  readonly along: (askedMs: number) => readonly string[];
}

/** Resolves when the account's version was confirmed or read; rejects with `StoreUnavailable`. */
export type AskVersion = (accountId: string) => Promise<void>;

export function createVersionAsker({ store, clock, confirm, along }: VersionAskerOptions): AskVersion {
  /** At most the accounts with deliveries in this node. */
  let wanted = new Set<string>();
  let next: Promise<void> | null = null;
  let last: Promise<unknown> = Promise.resolve();

  async function askAll(): Promise<void> {
    // Before the question: a change that is made while the question is under way may be missing in the answer.
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

/**
 * Asks the store for the versions of accounts without a lately confirmed view. One statement covers every account
 * that was asked about while the previous statement ran, and every account that will be soon. So a node with a thousand
 * lanes asks hardly more often than a node with one.
 */
import type { Clock } from "../lib/clock.ts";
import { AccountAway, type Store } from "../store/contract/store.ts";
import type { Confirmation } from "./held-views.ts";

export interface VersionAskerOptions {
  readonly store: Pick<Store, "loadConfigVersions">;
  readonly clock: Pick<Clock, "monotonicMs">;
  readonly confirm: (accountId: string, confirmation: Confirmation) => void;
  /** Accounts in use that are worth asking about with the others. */
  readonly along: (askedMs: number) => readonly string[];
}

/**
 * Resolves when the account's version was confirmed or read; rejects with `StoreUnavailable`, also when only the server
 * that has this account is away.
 */
export type AskVersion = (accountId: string) => Promise<void>;

export function createVersionAsker({ store, clock, confirm, along }: VersionAskerOptions): AskVersion {
  /** At most the accounts with deliveries in this node. */
  let wanted = new Set<string>();
  let next: Promise<ReadonlySet<string>> | null = null;
  let last: Promise<unknown> = Promise.resolve();

  /** Gives the accounts that could not be asked about. */
  async function askAll(): Promise<ReadonlySet<string>> {
    // Before the question: a change that is made while the question is under way may be missing in the answer.
    const askedMs = clock.monotonicMs();
    const accountIds = [...wanted.union(new Set(along(askedMs)))];
    wanted = new Set();
    next = null;
    const versions = await store.loadConfigVersions({ accountIds });
    const away = new Set<string>();
    for (const { accountId, configVersion } of versions) {
      if (configVersion === null) away.add(accountId);
      else confirm(accountId, { configVersion, askedMs });
    }
    return away;
  }

  return async (accountId) => {
    wanted.add(accountId);
    if (next === null) {
      next = last.then(askAll);
      last = next.catch(() => {});
    }
    if ((await next).has(accountId)) throw new AccountAway(`the account ${accountId} cannot be asked about now`);
  };
}

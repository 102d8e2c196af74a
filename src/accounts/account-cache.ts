/**
 * Account views by id, loaded when first needed and again when somebody knows of a newer version. Being late is
 * harmless: the store checks the version in the accept itself, and a claim brings the version it was made under.
 */
import type { Sealer } from "../lib/seal.ts";
import type { Store } from "../store/store.ts";
import { type AccountView, openAccount } from "./account-view.ts";

/** Guess: an account with a few alerts takes some kilobytes, so this stays below about 100 MB. */
const ACCOUNTS_MAX = 10_000;

export interface AccountCache {
  /** The account at `versionMin` or newer, or `null` when there is no such account. */
  load(accountId: string, versionMin?: number): Promise<AccountView | null>;
  /** Makes the next `load` read the store again; for whoever has just changed the account. */
  forget(accountId: string): void;
}

export function createAccountCache(store: Pick<Store, "loadAccount">, sealer: Sealer): AccountCache {
  const views = new Map<string, AccountView>();
  const loading = new Map<string, Promise<AccountView | null>>();

  /** Many deliveries of one account may miss at once: they share one read. */
  function read(accountId: string): Promise<AccountView | null> {
    const running = loading.get(accountId);
    if (running !== undefined) return running;
    const fresh = readAfresh(accountId);
    loading.set(accountId, fresh);
    const end = (): void => {
      if (loading.get(accountId) === fresh) loading.delete(accountId);
    };
    fresh.then(end, end);
    return fresh;
  }

  async function readAfresh(accountId: string): Promise<AccountView | null> {
    const stored = await store.loadAccount({ accountId });
    if (stored === null) return null;
    const view = openAccount(stored, sealer);
    keep(view);
    return view;
  }

  /** Reads end in any order: an older one does not take the newer one's place. */
  function keep(view: AccountView): void {
    if ((views.get(view.account.id)?.configVersion ?? 0) > view.configVersion) return;
    views.delete(view.account.id);
    views.set(view.account.id, view);
    const [oldest] = views.keys();
    if (views.size > ACCOUNTS_MAX && oldest !== undefined) views.delete(oldest);
  }

  return {
    async load(accountId, versionMin = 0) {
      const view = views.get(accountId);
      if (view !== undefined && view.configVersion >= versionMin) return view;
      const shared = await read(accountId);
      // A read that was already under way may have started before the version we know of.
      if (shared === null || shared.configVersion >= versionMin) return shared;
      return await readAfresh(accountId);
    },
    forget(accountId) {
      views.delete(accountId);
      // What is being read now may be from before the change.
      loading.delete(accountId);
    },
  };
}

/** Every version of an account's configuration that a run has seen, read from the store behind each change. */
import type { StoredAccount, StoredDestination } from "../../src/store/contract/accounts.ts";
import type { Store } from "../../src/store/contract/store.ts";
import { listDestinations } from "../records.ts";
import type { History } from "../history.ts";

export interface ConfigsParams {
  readonly store: Pick<Store, "loadAccount">;
  /** A function, because the history's listeners ask the ledger. */
  readonly history: () => History;
  readonly nowMs: () => number;
}

export interface ConfigRecord {
  readonly atMs: number;
  readonly account: StoredAccount;
}

export interface Configs {
  /** The account's versions, oldest first. */
  versions(accountId: string): readonly ConfigRecord[];
  latest(accountId: string): StoredAccount | null;
  /** The destination as it is set up now. */
  destination(accountId: string, destinationId: string): StoredDestination | null;
  /** Reads the account from the store again. */
  refresh(accountId: string): Promise<void>;
  /** Reads it again unless that version is known. Seldom needed, because every verb that changes one is noted. */
  refreshTo(accountId: string, versionMin: number): Promise<void>;
}

export function createConfigs({ store, history, nowMs }: ConfigsParams): Configs {
  const byAccount = new Map<string, ConfigRecord[]>();

  const versions = (accountId: string): readonly ConfigRecord[] => byAccount.get(accountId) ?? [];
  const latest = (accountId: string): StoredAccount | null => versions(accountId).at(-1)?.account ?? null;

  async function refresh(accountId: string): Promise<void> {
    const account = await store.loadAccount({ accountId });
    if (account === null || latest(accountId)?.configVersion === account.configVersion) return;
    byAccount.set(accountId, [...versions(accountId), { atMs: nowMs(), account }]);
    history().add({ kind: "configured", accountId, configVersion: account.configVersion });
  }

  return {
    versions,
    latest,
    destination(accountId, destinationId) {
      const account = latest(accountId);
      const all = account === null ? [] : listDestinations(account);
      return all.find(({ id }) => id === destinationId) ?? null;
    },
    refresh,
    async refreshTo(accountId, versionMin) {
      if ((latest(accountId)?.configVersion ?? 0) < versionMin) await refresh(accountId);
    },
  };
}

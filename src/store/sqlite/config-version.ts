/**
 * An account's `config_version`. It grows with every change of what the account owns, so that an accept decided before
 * the change is refused. Each batch reads it once per account: thousands of events can share one read.
 */
import type { ConfigVersion } from "../contract/accounts.ts";
import type { Transaction } from "./transaction.ts";

/** The version as of now in this transaction, or `null` when there is no such account. */
export function configVersionOf(tx: Transaction, accountId: string): number | null {
  const known = tx.configVersions.get(accountId);
  if (known !== undefined) return known;
  const version = tx.db.get<{ configVersion: number }>(FIND_CONFIG_VERSION, accountId)?.configVersion ?? null;
  tx.configVersions.set(accountId, version);
  return version;
}

/** Nothing asks on this store, whose one node makes every change itself; the contract has it for those that share. */
export function loadConfigVersions(
  tx: Transaction,
  { accountIds }: { readonly accountIds: readonly string[] },
): readonly ConfigVersion[] {
  return accountIds.flatMap((accountId) => {
    const configVersion = configVersionOf(tx, accountId);
    return configVersion === null ? [] : { accountId, configVersion };
  });
}

export function bumpConfigVersion(tx: Transaction, accountId: string): void {
  tx.db.run(BUMP_CONFIG_VERSION, accountId);
  // Later calls of this batch must see the new one.
  tx.configVersions.delete(accountId);
}

const FIND_CONFIG_VERSION = `-- name: find config version
  select config_version as "configVersion"
  from accounts
  where id = ?`;

const BUMP_CONFIG_VERSION = `-- name: bump config version
  update accounts
  set config_version = config_version + 1
  where id = ?`;

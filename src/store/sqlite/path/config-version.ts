/** Config versions as the event's path reads them: at once, and once for each account of a batch. */
import type { ConfigVersion } from "../../contract/accounts.ts";
import { BUMP_CONFIG_VERSION, FIND_CONFIG_VERSION } from "../../sql/config-version.ts";
import type { Transaction } from "../transaction.ts";

/** The version as of now in this transaction, or `null` when there is no such account. */
export function configVersionNow(tx: Transaction, accountId: string): number | null {
  const known = tx.configVersions.get(accountId);
  if (known !== undefined) return known;
  const version = tx.db.get<{ configVersion: number }>(FIND_CONFIG_VERSION, accountId)?.configVersion ?? null;
  tx.configVersions.set(accountId, version);
  return version;
}

/** Only nodes that share a database ask. This store's one node makes every change itself. */
export function loadConfigVersions(
  tx: Transaction,
  { accountIds }: { readonly accountIds: readonly string[] },
): readonly ConfigVersion[] {
  return accountIds.flatMap((accountId) => {
    const configVersion = configVersionNow(tx, accountId);
    return configVersion === null ? [] : { accountId, configVersion };
  });
}

export function bumpNow(tx: Transaction, accountId: string): void {
  tx.db.run(BUMP_CONFIG_VERSION, accountId);
  // Later calls of this batch must see the new one.
  tx.configVersions.delete(accountId);
}

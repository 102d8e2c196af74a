/** Config versions of many accounts at once, as the event's path and a node's old views need them. */
import type { ConfigVersion } from "../../contract/accounts.ts";
import { bumpConfigVersion } from "../../sql/set-up/config-version.ts";
import type { Transaction } from "../transaction.ts";

/** Lets a node find out which of its views of accounts are old. A node asks a few times in a second at most. */
export async function loadConfigVersions(
  tx: Transaction,
  { accountIds }: { readonly accountIds: readonly string[] },
): Promise<readonly ConfigVersion[]> {
  const rows = await tx.db.all<VersionRow>(FIND_CONFIG_VERSIONS, accountIds);
  return rows.map(({ id, configVersion }) => ({ accountId: id, configVersion }));
}

/** Reads those that this transaction does not know yet, all at once. */
export async function noteConfigVersions(tx: Transaction, accountIds: Iterable<string>): Promise<void> {
  const unknown = [...new Set(accountIds)].filter((id) => !tx.configVersions.has(id));
  if (unknown.length === 0) return;
  const rows = await tx.db.all<VersionRow>(FIND_CONFIG_VERSIONS, unknown);
  for (const id of unknown) tx.configVersions.set(id, null);
  for (const { id, configVersion } of rows) tx.configVersions.set(id, configVersion);
}

/** In one order of locks, and last in a transaction, behind the locks of destinations. */
export async function bumpConfigVersions(tx: Transaction, accountIds: readonly string[]): Promise<void> {
  for (const id of [...new Set(accountIds)].toSorted()) await bumpConfigVersion(tx, id);
}

interface VersionRow {
  readonly id: string;
  readonly configVersion: number;
}

const FIND_CONFIG_VERSIONS = `-- name: find config versions
  select id, config_version as "configVersion"
  from accounts a
  where a.id = any ($1::text[]) and a.bucket = any ($buckets)`;

/**
 * An account's `config_version`. It grows with every change of what the account owns, so that an accept decided before
 * the change is refused, on whichever node. Each batch reads it once per account.
 *
 * Nothing is locked for reading it: an accept and a change that run at the same moment may be taken in either order,
 * but an accept that is called after a change was answered always sees it.
 */
import type { ConfigVersion } from "../contract/accounts.ts";
import type { Transaction } from "./transaction.ts";

/** The version, or `null` when there is no such account. */
export async function configVersionOf(tx: Transaction, accountId: string): Promise<number | null> {
  await noteConfigVersions(tx, [accountId]);
  return tx.configVersions.get(accountId) ?? null;
}

/** For views that other nodes may have made old: a question of a node's, a few times in a second at most. */
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

export async function bumpConfigVersion(tx: Transaction, accountId: string): Promise<void> {
  await bumpConfigVersions(tx, [accountId]);
}

/** Locks accounts, so it comes last in a transaction: whoever locks destinations too has done so before. */
export async function bumpConfigVersions(tx: Transaction, accountIds: readonly string[]): Promise<void> {
  for (const id of [...new Set(accountIds)].toSorted()) {
    await tx.db.run(BUMP_CONFIG_VERSION, id);
    tx.configVersions.delete(id);
  }
}

/**
 * Changes of one account's set-up wait for each other, on every node: what they check stays true until they commit. An
 * advisory lock and not the account's row, which is locked last. Gives the version, or `null`: no such account.
 */
export async function lockSetUp(tx: Transaction, accountId: string): Promise<number | null> {
  const [, version] = await Promise.all([tx.db.run(LOCK_SET_UP, accountId), configVersionOf(tx, accountId)]);
  return version;
}

interface VersionRow {
  readonly id: string;
  readonly configVersion: number;
}

const FIND_CONFIG_VERSIONS = `-- name: find config versions
  select id, config_version as "configVersion"
  from accounts
  where id = any ($1::text[])`;

const BUMP_CONFIG_VERSION = `-- name: bump config version
  update accounts
  set config_version = config_version + 1
  where id = $1`;

const LOCK_SET_UP = `-- name: lock set-up of account
  select pg_advisory_xact_lock(hashtextextended('bellwire set-up ' || $1, 0))`;

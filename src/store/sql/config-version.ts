/**
 * An account's `config_version`. It grows with every change of what the account owns, so that an accept decided before
 * the change is refused, on each node.
 *
 * No lock is taken for reading it. An accept and a change that run at the same moment may be taken in either order, but
 * an accept that is called after a change was answered always sees it.
 */
import type { SqlTransaction } from "./transaction.ts";

/** The version as of now in this transaction, or `null` when there is no such account, or it was deleted. */
export async function findConfigVersion(tx: SqlTransaction, accountId: string): Promise<number | null> {
  const version = await findVersion(tx, accountId);
  return version === null || (await isDeleted(tx, accountId)) ? null : version;
}

export const isDeleted = async ({ db }: SqlTransaction, accountId: string): Promise<boolean> =>
  (await db.get(FIND_DELETED, accountId)) !== undefined;

async function findVersion(tx: SqlTransaction, accountId: string): Promise<number | null> {
  const known = tx.configVersions.get(accountId);
  if (known !== undefined) return known;
  const found = await tx.db.get<{ configVersion: number }>(FIND_CONFIG_VERSION, accountId);
  const version = found?.configVersion ?? null;
  tx.configVersions.set(accountId, version);
  return version;
}

/** Locks the account's row, so it comes last in a transaction, behind the locks of destinations. */
export async function bumpConfigVersion(tx: SqlTransaction, accountId: string): Promise<void> {
  await tx.db.run(BUMP_CONFIG_VERSION, accountId);
  // Later calls of this batch must see the new one.
  tx.configVersions.delete(accountId);
}

/**
 * Changes of one account's set-up wait for each other, on every node: what they check stays true until they commit. A
 * held name and not the account's row, which is locked last. Gives the version, or `null`: no such account.
 */
export async function lockSetUp(tx: SqlTransaction, accountId: string): Promise<number | null> {
  const [, version] = await Promise.all([tx.hold(`set-up ${accountId}`), findConfigVersion(tx, accountId)]);
  return version;
}

/** The event's path uses both statements too, in its own way on each store. */
export const FIND_CONFIG_VERSION = `-- name: find config version
  select config_version as "configVersion"
  from accounts
  where id = $1`;

export const BUMP_CONFIG_VERSION = `-- name: bump config version
  update accounts
  set config_version = config_version + 1
  where id = $1`;

const FIND_DELETED = `-- name: find out whether account was deleted
  select 1 as one
  from account_states
  where account_id = $1 and state = 'deleted'`;

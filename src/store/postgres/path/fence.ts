/**
 * What stands between transactions and the move of an account to another shard (`../shards/move/`). Every transaction
 * takes it before anything else, in one place (`../transaction.ts`), and holds it until its commit:
 *
 *     about accounts     each one's row, `for key share`; it tells the account's version, or that it is not here
 *     about the shard    the shard's own row, `for key share`: what is searched for belongs to any account
 *     a move             both rows, `for update`
 *
 * So nothing of an account is written while it moves, and nothing of it afterwards where it was.
 */
import type { Connection } from "../connection/connection.ts";
import { AccountElsewhere } from "../failures.ts";

/**
 * `shard`: a transaction that searches, whichever accounts it finds. `nothing`: it writes nothing of any account.
 * `mayBeMissing`: the transaction looks itself whether they are here. `reads`: nothing is locked, because nothing is
 * written.
 */
export type Fence =
  | { readonly accountIds: readonly string[]; readonly mayBeMissing: boolean; readonly reads?: boolean }
  | "shard"
  | "nothing";

interface Fenced {
  readonly db: Connection;
  readonly configVersions: Map<string, number | null>;
  readonly moves: Map<string, number>;
}

/** Notes each account's version, and how often it has moved. Rejects with `AccountElsewhere`. */
export async function takeFence(tx: Fenced, fence: Fence): Promise<void> {
  if (fence === "nothing") return;
  if (fence === "shard") return void (await tx.db.get(HOLD_SHARD));
  const accountIds = [...new Set(fence.accountIds)];
  const found = await note(tx, accountIds, fence.reads === true ? FIND_ACCOUNTS : HOLD_ACCOUNTS);
  if (!fence.mayBeMissing && found < accountIds.length) throw new AccountElsewhere(accountIds);
}

/** The same without a lock, of those that this transaction does not know: it holds the shard, or decides nothing. */
export async function noteAccounts(tx: Fenced, ids: readonly string[]): Promise<void> {
  await note(
    tx,
    [...new Set(ids)].filter((id) => !tx.configVersions.has(id)),
    FIND_ACCOUNTS,
  );
}

async function note(
  { db, configVersions, moves }: Fenced,
  accountIds: readonly string[],
  sql: string,
): Promise<number> {
  if (accountIds.length === 0) return 0;
  const found = await db.all<FencedRow>(sql, accountIds);
  for (const id of accountIds) configVersions.set(id, null);
  for (const row of found) {
    configVersions.set(row.id, row.configVersion);
    moves.set(row.id, row.moves);
  }
  return found.length;
}

interface FencedRow {
  readonly id: string;
  readonly configVersion: number;
  readonly moves: number;
}

const HOLD_ACCOUNTS = `-- name: hold accounts
  select id, config_version as "configVersion", moves
  from accounts
  where id = any ($1::text[])
  for key share`;

const FIND_ACCOUNTS = `-- name: find accounts
  select id, config_version as "configVersion", moves
  from accounts
  where id = any ($1::text[])`;

const HOLD_SHARD = `-- name: hold shard
  select 1
  from fences
  where id = 1
  for key share`;

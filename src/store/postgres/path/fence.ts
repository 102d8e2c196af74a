/**
 * What stands between transactions and the move of an account to another shard (`../shards/move/`). Every transaction
 * takes it before anything else, in one place (`../transaction.ts`), and holds it until its commit:
 *
 *     about accounts     each one's row, `for key share`; it tells the account's version, or that it is not here
 *     about the shard    the shard's own row, `for key share`: what is searched for belongs to any account
 *     a move             both rows, `for update`
 *
 * So nothing of an account is written while it moves, and nothing of it afterwards where it was.
 *
 * Nobody waits for an account's move in a transaction: its row is passed over, is seen to be there all the same, and
 * all is rolled back at once. A commit that several accounts share goes again without that one, whose calls wait apart
 * (`../apart.ts`). The same holds from shortly before, while the account is closed: a lock for a move waits for those
 * who hold the row, and new ones would pass it.
 */
import type { Connection } from "../connection/connection.ts";
import { AccountElsewhere, AccountsMoving } from "../failures.ts";

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

/** Notes each account's version, and how often it has moved. Rejects with `AccountElsewhere` or `AccountsMoving`. */
export async function takeFence(tx: Fenced, fence: Fence): Promise<void> {
  if (fence === "nothing") return;
  if (fence === "shard") return void (await tx.db.get(HOLD_SHARD));
  const accountIds = [...new Set(fence.accountIds)];
  const found = await note(tx, accountIds, fence.reads === true ? FIND_ACCOUNTS : HOLD_ACCOUNTS);
  if (found === accountIds.length) return;
  if (fence.reads !== true) await refuseMoving(tx, accountIds);
  if (!fence.mayBeMissing) throw new AccountElsewhere(accountIds);
}

/** What was passed over is there all the same. What is not has left, or was never here. */
async function refuseMoving({ db, configVersions }: Fenced, accountIds: readonly string[]): Promise<void> {
  const passedOver = accountIds.filter((id) => configVersions.get(id) === null);
  const moving = await db.all<FencedRow>(FIND_ACCOUNTS, passedOver);
  if (moving.length > 0) throw new AccountsMoving(moving.map(({ id }) => id));
}

/**
 * The same without a lock, of those that it does not know yet: it holds the shard, or decides nothing. One that was not
 * here when it was looked for may have come since: nothing that is held keeps an account from coming.
 */
export async function noteAccounts(tx: Fenced, ids: readonly string[]): Promise<void> {
  const unknown = [...new Set(ids)].filter((id) => (tx.configVersions.get(id) ?? null) === null);
  await note(tx, unknown, FIND_ACCOUNTS);
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

const findAccounts = (name: string, more = ""): string => `-- name: ${name}
  select id, config_version as "configVersion", moves
  from accounts
  where id = any ($1::text[])${more}`;

const FIND_ACCOUNTS = findAccounts("find accounts");

const HOLD_ACCOUNTS = findAccounts(
  "hold accounts that are not being moved",
  `
    and (closed_until is null or closed_until < extract(epoch from clock_timestamp()) * 1000)
  for key share skip locked`,
);

const HOLD_SHARD = `-- name: hold shard
  select 1
  from fences
  where id = 1
  for key share`;

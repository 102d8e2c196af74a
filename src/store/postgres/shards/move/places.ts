/** Where an account is, as a move reads and writes it in the directory. */
import type { Transaction } from "../../transaction.ts";
import { HOME_SHARD } from "../directory.ts";
import type { ChangePlace, FoundPlace } from "./over.ts";

export async function findPlace({ db }: Pick<Transaction, "db">, accountId: string): Promise<FoundPlace> {
  const place = await db.get<FoundPlace>(FIND_PLACE, accountId);
  return place ?? { shard: HOME_SHARD, movingTo: null, leaving: null, changes: 0 };
}

export async function changePlace(
  { db }: Pick<Transaction, "db">,
  accountId: string,
  { before, after }: ChangePlace,
): Promise<boolean> {
  const { shard, movingTo, leaving } = after;
  await db.run(INSERT_PLACE, accountId, HOME_SHARD);
  return (await db.run(CHANGE_PLACE, accountId, before.changes, shard, movingTo, leaving)) === 1;
}

const FIND_PLACE = `-- name: find place of account
  select shard, moving_to as "movingTo", leaving, changes
  from accounts_at
  where account_id = $1`;

const INSERT_PLACE = `-- name: insert place of account at home
  insert into accounts_at (account_id, shard)
  values ($1, $2)
  on conflict (account_id) do nothing`;

const CHANGE_PLACE = `-- name: change place of account
  update accounts_at
  set shard = $3, moving_to = $4, leaving = $5, changes = changes + 1
  where account_id = $1 and changes = $2`;

/** Where an account is, as a move reads and writes it in the directory. */
import type { Transaction } from "../../transaction.ts";
import { HOME_SHARD } from "../directory.ts";
import type { ChangePlace, Place } from "./over.ts";

export async function findPlace({ db }: Pick<Transaction, "db">, accountId: string): Promise<Place> {
  const place = await db.get<Place>(FIND_PLACE, accountId);
  return place ?? { shard: HOME_SHARD, movingTo: null, leaving: null };
}

export async function changePlace(
  { db }: Pick<Transaction, "db">,
  accountId: string,
  { before, after }: ChangePlace,
): Promise<boolean> {
  const [from, to] = [before, after].map(({ shard, movingTo, leaving }) => [shard, movingTo, leaving] as const);
  await db.run(INSERT_PLACE, accountId, HOME_SHARD);
  return (await db.run(CHANGE_PLACE, accountId, ...(from ?? []), ...(to ?? []))) === 1;
}

const FIND_PLACE = `-- name: find place of account
  select shard, moving_to as "movingTo", leaving
  from accounts_at
  where account_id = $1`;

const INSERT_PLACE = `-- name: insert place of account at home
  insert into accounts_at (account_id, shard)
  values ($1, $2)
  on conflict (account_id) do nothing`;

const CHANGE_PLACE = `-- name: change place of account
  update accounts_at
  set shard = $5, moving_to = $6, leaving = $7
  where account_id = $1 and shard = $2 and moving_to is not distinct from $3 and leaving is not distinct from $4`;

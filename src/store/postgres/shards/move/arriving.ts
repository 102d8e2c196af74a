/**
 * What stands on a shard about accounts that are on their way to it (`arriving_accounts`) or have gone from it
 * (`departed_accounts`).
 *
 * Invariant: copies are written only by who holds the account's row in `arriving_accounts` with the `run` that it
 * knows, and deleted only by who holds the row in `departed_accounts` that it knows. So a process that was given up for
 * dead and goes on later writes and deletes nothing.
 */
import type { Transaction } from "../../transaction.ts";
import type { Owners } from "./copy.ts";
import type { Arriving, Departed, SetArriving } from "./over.ts";

type In = Pick<Transaction, "db">;

/** Held until the commit. */
export const holdArriving = (tx: In, accountId: string): Promise<Arriving | null> =>
  findOne(tx, HOLD_ARRIVING, accountId);

export const findArriving = (tx: In, accountId: string): Promise<Arriving | null> =>
  findOne(tx, FIND_ARRIVING, accountId);

async function findOne({ db }: In, sql: string, accountId: string): Promise<Arriving | null> {
  const row = await db.get<Omit<Arriving, "owners"> & { owners: Partial<Owners> }>(sql, accountId);
  return row === undefined ? null : { ...row, owners: { ...NO_OWNERS, ...row.owners } };
}

export async function setArriving(
  { db }: In,
  accountId: string,
  { before, owners, rows }: SetArriving,
): Promise<string | null> {
  const values = [accountId, JSON.stringify(owners), rows] as const;
  const row = await (before === null
    ? db.get<{ run: string }>(INSERT_ARRIVING, ...values)
    : db.get<{ run: string }>(CHANGE_ARRIVING, ...values, before));
  return row?.run ?? null;
}

export const deleteArriving = ({ db }: In, accountId: string): Promise<number> => db.run(DELETE_ARRIVING, accountId);

export const isDeparted = async ({ db }: In, accountId: string): Promise<boolean> =>
  (await db.get(FIND_DEPARTED, accountId)) !== undefined;

export const noteDeparted = ({ db }: In, accountId: string, owners: Owners): Promise<number> =>
  db.run(NOTE_DEPARTED, accountId, JSON.stringify(owners));

/** Held until the commit; `null`: it has not departed, or all of it is gone. */
export async function holdDeparted({ db }: In, accountId: string): Promise<Departed | null> {
  const row = await db.get<{ run: string; owners: Partial<Owners> }>(HOLD_DEPARTED, accountId);
  return row === undefined ? null : { run: row.run, owners: { ...NO_OWNERS, ...row.owners } };
}

export const deleteDeparted = ({ db }: In, accountId: string): Promise<number> => db.run(DELETE_DEPARTED, accountId);

/** As they are in the shard where the account lives. */
export async function loadOwners({ db }: In, accountId: string): Promise<Owners> {
  const row = await db.get<Owners>(LOAD_OWNERS, accountId);
  return row ?? NO_OWNERS;
}

export const hasAccount = async ({ db }: In, accountId: string): Promise<boolean> =>
  (await db.get(FIND_ACCOUNT, accountId)) !== undefined;

/** In a transaction of its own, before the lock. It ends by itself, like the time that a lock is waited for. */
export const closeAccount = ({ db }: In, accountId: string): Promise<number> => db.run(CLOSE_ACCOUNT, accountId);

/** As writers do: keeps movers out until the commit. */
export const holdAccount = async ({ db }: In, accountId: string): Promise<boolean> =>
  (await db.get(HOLD_ACCOUNT, accountId)) !== undefined;

/** Waits for whoever writes anything of the account, and keeps everybody out until the commit. */
export const lockAccount = async ({ db }: In, accountId: string): Promise<boolean> =>
  (await db.get(LOCK_ACCOUNT, accountId)) !== undefined;

/** The same of what is about the whole shard. */
export async function lockShard({ db }: In): Promise<void> {
  await db.exec(LOCK_TIMEOUT);
  await db.get(LOCK_SHARD);
}

/** Everybody waits behind a move that waits. */
const LOCK_TIMEOUT = "set local lock_timeout = '2s'";

export const NO_OWNERS: Owners = { destinations: [], replays: [], addresses: [] };

const FIND_ARRIVING = `-- name: find arriving account
  select run, owners, rows is not null as "isComplete"
  from arriving_accounts
  where account_id = $1`;

const HOLD_ARRIVING = `-- name: hold arriving account
  select run, owners, rows is not null as "isComplete"
  from arriving_accounts
  where account_id = $1
  for update`;

const INSERT_ARRIVING = `-- name: note arriving account
  insert into arriving_accounts (account_id, owners, rows, run)
  values ($1, $2, $3::json, gen_random_uuid()::text)
  on conflict (account_id) do nothing
  returning run`;

const CHANGE_ARRIVING = `-- name: change arriving account
  update arriving_accounts
  set owners = $2, rows = $3::json, run = md5(run)
  where account_id = $1 and run = $4
  returning run`;

const DELETE_ARRIVING = `-- name: delete arriving account
  delete from arriving_accounts
  where account_id = $1`;

const FIND_DEPARTED = `-- name: find departed account
  select 1
  from departed_accounts
  where account_id = $1`;

const NOTE_DEPARTED = `-- name: note departed account
  insert into departed_accounts (account_id, owners)
  values ($1, $2)
  on conflict (account_id) do nothing`;

const HOLD_DEPARTED = `-- name: hold departed account
  select run, owners
  from departed_accounts
  where account_id = $1
  for update`;

const DELETE_DEPARTED = `-- name: delete departed account
  delete from departed_accounts
  where account_id = $1`;

const LOAD_OWNERS = `-- name: load ids that lead to rows of account
  select
    array(select d.id from destinations d where d.account_id = $1 order by d.id) as destinations,
    array(select r.id from replays r where r.account_id = $1 order by r.id) as replays,
    array(select m.id from mail_addresses m where m.account_id = $1 order by m.id) as addresses`;

const FIND_ACCOUNT = `-- name: find account that moves
  select 1
  from accounts
  where id = $1`;

const CLOSE_ACCOUNT = `-- name: close account that moves
  update accounts
  set closed_until = extract(epoch from statement_timestamp()) * 1000 + 2000
  where id = $1`;

const HOLD_ACCOUNT = `-- name: hold account that is to move
  select 1
  from accounts
  where id = $1
  for key share`;

const LOCK_ACCOUNT = `-- name: lock account that moves
  select 1
  from accounts
  where id = $1
  for update`;

const LOCK_SHARD = `-- name: lock shard for move
  select 1
  from fences
  where id = 1
  for update`;

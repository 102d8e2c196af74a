/**
 * Where accounts are: two small tables of the home shard. An account without a row is at home, so an installation of
 * one shard has no row at all.
 */
import { secondsMs } from "../../../lib/duration.ts";
import type { Connection } from "../connection/connection.ts";
import { withStoreError } from "../failures.ts";
import { commit, type Database, readOnce } from "../transaction.ts";

/** What a shard's address is sealed for (`lib/seal.ts`). */
export const SHARD_ADDRESS = "shards|sealed_address";

/** The shard that `BELLWIRE_DATABASE` names. */
export const HOME_SHARD = "0";

export interface ShardRow {
  /** `1`, `2` … */
  readonly name: string;
  /** Where it is, without a password: such as `app@db-2:5432/bellwire`. */
  readonly place: string;
  /** `null`: another schema of the home database. */
  readonly sealedAddress: string | null;
  readonly schema: string;
  readonly takesAccounts: boolean;
}

export interface AccountPlace {
  readonly shard: string;
  /** A move to there has begun. */
  readonly movingTo: string | null;
  /** It has moved away from there, where its history is not deleted yet. */
  readonly leaving?: string | null;
}

export interface Directory {
  /** Those beside the home shard. */
  listShards(): Promise<readonly ShardRow[]>;
  find(accountIds: readonly string[]): Promise<ReadonlyMap<string, AccountPlace>>;
  /** Says where a new account is to be, unless somebody has said it. */
  choose(chosen: ChooseShard): Promise<string>;
}

export interface ChooseShard {
  readonly accountId: string;
  /** Those that can be reached: it begins in the one with the fewest accounts that takes any. */
  readonly among: readonly string[];
  readonly nowMs: number;
}

/** By then each node knows of a new shard (`shards.ts`), so that no two of them place one account in two. */
const KNOWN_AFTER_MS = secondsMs(60);

/** Its calls reject with `StoreUnavailable` while the home shard is away. */
export function openDirectory(home: Database): Directory {
  return {
    listShards: () => withStoreError(readOnce(home, ({ db }) => listShards(db))),
    async find(accountIds) {
      const rows = await withStoreError(
        readOnce(home, ({ db }) => db.all<AccountPlace & { accountId: string }>(FIND_ACCOUNTS, accountIds)),
      );
      const found = new Map(rows.map(({ accountId, ...place }) => [accountId, place]));
      return new Map(accountIds.map((id) => [id, found.get(id) ?? { shard: HOME_SHARD, movingTo: null }]));
    },
    choose: ({ accountId, among, nowMs }) =>
      withStoreError(
        commit(home, "nothing", async ({ db }) => {
          await db.run(PLACE_ACCOUNT, accountId, nowMs - KNOWN_AFTER_MS, among);
          return (await db.get<{ shard: string }>(FIND_PLACE, accountId))?.shard ?? HOME_SHARD;
        }),
      ),
  };
}

/** Accounts whose moves have begun and have not ended, so many at most. */
export async function listMoving(db: Connection, accountsMax: number): Promise<readonly string[]> {
  return (await db.all<{ accountId: string }>(LIST_MOVING, accountsMax)).map(({ accountId }) => accountId);
}

/** Those beside the home shard. */
export const listShards = (db: Connection): Promise<readonly ShardRow[]> => db.all<ShardRow>(LIST_SHARDS);

export interface InsertShard extends Omit<ShardRow, "name"> {
  /** The name that it had before; `null`: it gets the next one. */
  readonly name: string | null;
  readonly nowMs: number;
}

/** Returns its name. */
export async function insertShard(db: Connection, { name: known, nowMs, ...row }: InsertShard): Promise<string> {
  const next = await db.get<{ name: string }>(NAME_SHARD, known);
  const name = known ?? next?.name ?? "";
  await db.run(INSERT_SHARD, name, row.place, row.sealedAddress, row.schema, row.takesAccounts, nowMs);
  return name;
}

export type ChangeShard = Partial<Pick<ShardRow, "place" | "sealedAddress" | "takesAccounts">> & {
  readonly nowMs: number;
};

/** What is left out stays. False: there is no such shard. */
export async function changeShard(db: Connection, name: string, change: ChangeShard): Promise<boolean> {
  const { place = null, sealedAddress = null, takesAccounts = null, nowMs } = change;
  return (await db.run(CHANGE_SHARD, name, place, sealedAddress, takesAccounts, nowMs)) === 1;
}

/** With what the directory says of accounts there. */
export async function deleteShard(db: Connection, name: string): Promise<void> {
  await db.run(FORGET_MOVES, name);
  await db.run(FORGET_PLACES, name);
  await db.run(DELETE_SHARD, name);
}

const LIST_SHARDS = `-- name: list shards
  select name, place, sealed_address as "sealedAddress", schema, takes_accounts as "takesAccounts"
  from shards
  order by added_at, name`;

const FIND_ACCOUNTS = `-- name: find shards of accounts
  select account_id as "accountId", shard, moving_to as "movingTo", leaving
  from accounts_at
  where account_id = any ($1::text[])`;

/** By an index of moves alone. */
const LIST_MOVING = `-- name: list moving accounts
  select account_id as "accountId"
  from accounts_at
  where moving_to is not null
  order by account_id
  limit $1`;

const FIND_PLACE = `-- name: find shard of account
  select shard
  from accounts_at
  where account_id = $1`;

/** Those at home are counted where they are: most of them have no row. */
const PLACE_ACCOUNT = `-- name: place account
  insert into accounts_at (account_id, shard)
  select $1, s.name
  from (
    select '${HOME_SHARD}' as name, (select count(1) from accounts) as accounts
    union all
    select name, (select count(1) from accounts_at a where a.shard = s.name)
    from shards s
    where takes_accounts and added_at < $2 and name = any ($3::text[])
  ) s
  order by s.accounts, s.name
  limit 1
  on conflict (account_id) do nothing`;

/** A name is never used again: nodes may still know of a shard that was removed. */
const NAME_SHARD = `-- name: name shard
  insert into settings as s (name, value)
  values ('newest_shard', coalesce($1::text, '1'))
  on conflict (name) do update
  set value = greatest(s.value::integer + ($1::text is null)::integer, $1::text::integer)::text
  returning value as name`;

const INSERT_SHARD = `-- name: insert shard
  insert into shards (name, place, sealed_address, schema, takes_accounts, added_at)
  values ($1, $2, $3, $4, $5, $6)`;

const CHANGE_SHARD = `-- name: change shard
  update shards
  set place = coalesce($2, place), sealed_address = coalesce($3, sealed_address),
    takes_accounts = coalesce($4, takes_accounts),
    added_at = case when $4 and not takes_accounts then $5 else added_at end
  where name = $1`;

const FORGET_MOVES = `-- name: forget moves of shard
  update accounts_at
  set moving_to = nullif(moving_to, $1), leaving = nullif(leaving, $1), changes = changes + 1
  where moving_to = $1 or leaving = $1`;

const FORGET_PLACES = `-- name: forget accounts of shard
  delete from accounts_at
  where shard = $1`;

const DELETE_SHARD = `-- name: delete shard
  delete from shards
  where name = $1`;

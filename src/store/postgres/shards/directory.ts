/**
 * Where accounts are: two small tables of the home shard. An account without a row is at home, so an installation of
 * one shard has no row at all.
 */
import { secondsMs } from "../../../lib/duration.ts";
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
}

export interface Directory {
  /** Those beside the home shard. */
  listShards(): Promise<readonly ShardRow[]>;
  find(accountIds: readonly string[]): Promise<ReadonlyMap<string, AccountPlace>>;
  /** Says where a new account is to be: in the shard with the fewest that takes any, unless somebody has said it. */
  choose(accountId: string, nowMs: number): Promise<string>;
}

/** By then each node knows of a new shard (`shards.ts`), so that no two of them place one account in two. */
const KNOWN_AFTER_MS = secondsMs(60);

export function openDirectory(home: Database): Directory {
  return {
    listShards: () => readOnce(home, ({ db }) => db.all<ShardRow>(LIST_SHARDS)),
    async find(accountIds) {
      const rows = await readOnce(home, ({ db }) =>
        db.all<AccountPlace & { accountId: string }>(FIND_ACCOUNTS, accountIds),
      );
      const found = new Map(rows.map(({ accountId, ...place }) => [accountId, place]));
      return new Map(accountIds.map((id) => [id, found.get(id) ?? { shard: HOME_SHARD, movingTo: null }]));
    },
    choose: (accountId, nowMs) =>
      commit(home, "nothing", async ({ db }) => {
        await db.run(PLACE_ACCOUNT, accountId, nowMs - KNOWN_AFTER_MS);
        return (await db.get<{ shard: string }>(FIND_PLACE, accountId))?.shard ?? HOME_SHARD;
      }),
  };
}

export const LIST_SHARDS = `-- name: list shards
  select name, place, sealed_address as "sealedAddress", schema, takes_accounts as "takesAccounts"
  from shards
  order by added_at, name`;

const FIND_ACCOUNTS = `-- name: find shards of accounts
  select account_id as "accountId", shard, moving_to as "movingTo"
  from accounts_at
  where account_id = any ($1::text[])`;

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
    where takes_accounts and added_at < $2
  ) s
  order by s.accounts, s.name
  limit 1
  on conflict (account_id) do nothing`;

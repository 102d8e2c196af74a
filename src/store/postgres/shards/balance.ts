/** Which account moves next, so that shards come to have as many as each other. */
import { HOME_SHARD, LIST_SHARDS, type ShardRow } from "./directory.ts";
import type { MovesOver } from "./move/over.ts";

export interface NextMove {
  readonly accountId: string;
  readonly to: string;
}

interface Counted {
  readonly name: string;
  readonly accounts: number;
  readonly takesAccounts: boolean;
}

/** From the fullest shard to the emptiest that takes accounts; `null`: they differ by one at most. */
export async function findNextMove(over: MovesOver): Promise<NextMove | null> {
  const rows = await over.directory.read(({ db }) => db.all<ShardRow>(LIST_SHARDS));
  const shards = [{ name: HOME_SHARD, takesAccounts: true }, ...rows];
  const counted = await Promise.all(
    shards.map(async ({ name, takesAccounts }): Promise<Counted> => {
      const shard = await over.shard(name);
      const row = await shard.read(({ db }) => db.get<{ accounts: number }>(COUNT_ACCOUNTS));
      return { name, takesAccounts, accounts: row?.accounts ?? 0 };
    }),
  );
  const byCount = counted.toSorted((one, other) => one.accounts - other.accounts);
  const emptiest = byCount.find(({ takesAccounts }) => takesAccounts);
  const fullest = byCount.at(-1);
  if (emptiest === undefined || fullest === undefined || fullest.accounts - emptiest.accounts <= 1) return null;
  const row = await (await over.shard(fullest.name)).read(({ db }) => db.get<{ id: string }>(FIND_ACCOUNT));
  return row === undefined ? null : { accountId: row.id, to: emptiest.name };
}

const COUNT_ACCOUNTS = `-- name: count accounts of shard
  select count(1) as accounts
  from accounts`;

const FIND_ACCOUNT = `-- name: find account to move
  select id
  from accounts
  order by id desc
  limit 1`;

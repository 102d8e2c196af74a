/** Which account moves next: so that shards come to have as many as each other, or so that one comes to have none. */
import { HOME_SHARD, listShards } from "./directory.ts";
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
  const byCount = (await countAccounts(over)).toSorted((one, other) => one.accounts - other.accounts);
  const emptiest = byCount.find(({ takesAccounts }) => takesAccounts);
  const fullest = byCount.at(-1);
  if (emptiest === undefined || fullest === undefined || fullest.accounts - emptiest.accounts <= 1) return null;
  return await moveFrom(over, fullest.name, emptiest.name);
}

/** From `from` to the emptiest that takes accounts; `null`: it has none, or there is no shard that takes them. */
export async function findNextMoveFrom(over: MovesOver, from: string): Promise<NextMove | null> {
  const others = (await countAccounts(over)).filter(({ name, takesAccounts }) => takesAccounts && name !== from);
  const [emptiest] = others.toSorted((one, other) => one.accounts - other.accounts);
  return emptiest === undefined ? null : await moveFrom(over, from, emptiest.name);
}

export async function moveFrom(over: MovesOver, from: string, to: string): Promise<NextMove | null> {
  const row = await (await over.shard(from)).read(({ db }) => db.get<{ id: string }>(FIND_ACCOUNT));
  return row === undefined ? null : { accountId: row.id, to };
}

async function countAccounts(over: MovesOver): Promise<readonly Counted[]> {
  const rows = await over.directory.read(({ db }) => listShards(db));
  return await Promise.all(
    [{ name: HOME_SHARD, takesAccounts: true }, ...rows].map(async ({ name, takesAccounts }) => {
      const shard = await over.shard(name);
      const row = await shard.read(({ db }) => db.get<{ accounts: number }>(COUNT_ACCOUNTS));
      return { name, takesAccounts, accounts: row?.accounts ?? 0 };
    }),
  );
}

const COUNT_ACCOUNTS = `-- name: count accounts of shard
  select count(1) as accounts
  from accounts`;

const FIND_ACCOUNT = `-- name: find account to move
  select id
  from accounts
  order by id desc
  limit 1`;

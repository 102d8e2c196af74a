/** Where an account is, as a move reads and writes it in the directory, and the databases that it works on. */
import { commit, type Database } from "../../transaction.ts";
import { HOME_SHARD } from "../directory.ts";

/**
 * A move keeps a transaction open in one shard while it works in another and asks the directory: so each of them has
 * connections of its own, home as a shard and home as the directory too. Nothing else uses these.
 */
export interface MovesOver {
  readonly directory: Database;
  /** Rejects when there is no such shard. */
  shard(name: string): Promise<Database>;
}

export interface Place {
  readonly shard: string;
  /** A move to there has begun. */
  readonly movingTo: string | null;
  /** Its history is still there too, or what a move that was taken back had copied. */
  readonly leaving: string | null;
}

export const findPlace = (directory: Database, accountId: string): Promise<Place> =>
  commit(directory, "nothing", async ({ db }) => {
    const place = await db.get<Place>(FIND_PLACE, accountId);
    return place ?? { shard: HOME_SHARD, movingTo: null, leaving: null };
  });

/** False: something else has happened to it meanwhile. */
export async function changePlace(
  directory: Database,
  accountId: string,
  { before, after }: { readonly before: Place; readonly after: Place },
): Promise<boolean> {
  const [from, to] = [before, after].map(({ shard, movingTo, leaving }) => [shard, movingTo, leaving] as const);
  const changed = await commit(directory, "nothing", async ({ db }) => {
    await db.run(INSERT_PLACE, accountId, HOME_SHARD);
    return await db.run(CHANGE_PLACE, accountId, ...(from ?? []), ...(to ?? []));
  });
  return changed === 1;
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

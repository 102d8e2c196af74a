/**
 * Brings the directory into line with the shards after one of them was restored from an older backup. Each shard knows
 * which accounts live in it. An account that lives in one is there. One that lives in two had moved away from the
 * restored shard after its backup was made: the copy there is the older one, and goes.
 *
 * Nodes may run meanwhile: whatever is changed is looked at once more under the account's lock.
 */
import { cleanUp } from "./move/clean-up.ts";
import { type ChangePlace, type FoundPlace, MoveOvertaken, type MovesOver } from "./move/over.ts";
import { HOME_SHARD, listShards } from "./directory.ts";

export interface RepairShards {
  /** The shard that was restored; `null`: none, and of an account in two shards neither copy goes. */
  readonly restored: string | null;
  readonly onRepaired: (repaired: Repaired) => void;
}

export type Repaired =
  /** The directory had it elsewhere. */
  | { readonly kind: "found"; readonly accountId: string; readonly shard: string; readonly before: string }
  /** It was in the restored shard too. */
  | { readonly kind: "let go"; readonly accountId: string; readonly shard: string; readonly before: string }
  /** It lives in several, and nobody has said which of them is the older. */
  | { readonly kind: "several"; readonly accountId: string; readonly shards: readonly string[] };

/** Rejects with `StoreUnavailable` where a shard is away: what it has is not known then. */
export async function repairShards(over: MovesOver, { restored, onRepaired }: RepairShards): Promise<void> {
  const places = await loadPlaces(over);
  for (const [accountId, shards] of await listLiving(over)) {
    const before = places.get(accountId) ?? AT_HOME;
    const others = shards.filter((name) => name !== restored);
    const [shard = HOME_SHARD] = others.length === 0 ? shards : others;
    if (shards.length === 1) {
      if (before.shard === shard) continue;
      if (await changePlace(over, accountId, { before, after: { ...AT_HOME, shard } })) {
        onRepaired({ kind: "found", accountId, shard, before: before.shard });
      }
    } else if (restored !== null && shards.includes(restored) && others.length === 1) {
      await letGo(over, accountId, { before, from: restored, to: shard });
      onRepaired({ kind: "let go", accountId, shard, before: restored });
    } else onRepaired({ kind: "several", accountId, shards });
  }
}

const AT_HOME: FoundPlace = { shard: HOME_SHARD, movingTo: null, leaving: null, changes: 0 };

/** Read before the shards are: an account that moves meanwhile is not where it was, and is left alone. */
async function loadPlaces({ directory }: MovesOver): Promise<ReadonlyMap<string, FoundPlace>> {
  const rows = await directory.read(({ db }) => db.all<FoundPlace & { readonly accountId: string }>(LIST_PLACES));
  return new Map(rows.map(({ accountId, ...place }) => [accountId, place]));
}

async function listLiving(over: MovesOver): Promise<ReadonlyMap<string, readonly string[]>> {
  const rows = await over.directory.read(({ db }) => listShards(db));
  const living = new Map<string, string[]>();
  for (const name of [HOME_SHARD, ...rows.map((row) => row.name)]) {
    const shard = await over.shard(name);
    for (const { id } of await shard.read(({ db }) => db.all<{ readonly id: string }>(LIST_ACCOUNTS))) {
      living.set(id, [...(living.get(id) ?? []), name]);
    }
  }
  return living;
}

const changePlace = ({ directory, steps }: MovesOver, accountId: string, change: ChangePlace): Promise<boolean> =>
  directory.commit((tx) => steps.changePlace(tx, accountId, change));

interface LetGo {
  readonly before: FoundPlace;
  readonly from: string;
  readonly to: string;
}

/** As a move does at its point of no return: the rows that make it live go, then its history. */
async function letGo(over: MovesOver, accountId: string, { before, from, to }: LetGo): Promise<void> {
  const { steps } = over;
  const [older, newer] = [await over.shard(from), await over.shard(to)];
  await older.commit(async (tx) => {
    await steps.lockShard(tx);
    const isInBoth =
      (await steps.lockAccount(tx, accountId)) && (await newer.read((there) => steps.hasAccount(there, accountId)));
    if (!isInBoth) throw new MoveOvertaken(accountId);
    await steps.settleMemory(tx, accountId);
    const owners = await steps.loadOwners(tx, accountId);
    await steps.letGo(tx, accountId, owners);
    await steps.noteDeparted(tx, accountId, owners);
    const after = { shard: to, movingTo: null, leaving: from };
    if (!(await changePlace(over, accountId, { before, after }))) throw new MoveOvertaken(accountId);
  });
  await cleanUp(over, accountId, () => {});
}

const LIST_PLACES = `-- name: list places of accounts
  select account_id as "accountId", shard, moving_to as "movingTo", leaving, changes
  from accounts_at`;

const LIST_ACCOUNTS = `-- name: list accounts of shard
  select id
  from accounts
  order by id`;

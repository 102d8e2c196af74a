/**
 * The statements of a move under the fence: nobody writes anything of the account. What nodes have in memory gets rows,
 * counts that wait are added up, the last rows are copied and everything is compared, and the account leaves its
 * shard.
 */
import { firstIdAt } from "../../../../domain/id.ts";
import { Counts, type Delta } from "../../figures/attempt-deltas.ts";
import { listInMemory, listLeases } from "../../path/in-memory.ts";
import { insertPending } from "../../path/settle-in-memory.ts";
import type { Transaction } from "../../transaction.ts";
import { copyHistory, type Copying, type Owners } from "./copy.ts";
import { deleteLiveRows, readLiveRows } from "./live-rows.ts";
import type { MoveSteps } from "./over.ts";
import { copySearch } from "./search-copy.ts";

/** In the shard that it leaves: whatever is not a row of the account's becomes one. */
export async function settleMemory(tx: Transaction, accountId: string): Promise<void> {
  const inMemory = await listInMemory(tx, { leases: await listLeases(tx), accountId });
  await insertPending(
    tx,
    inMemory.map((delivery) => ({ ...delivery, claimToken: delivery.claim.token, dueAtMs: delivery.claim.untilMs })),
  );
  const taken = await tx.db.all<{ counts: readonly Delta[] }>(TAKE_DELTAS, accountId);
  const counts = new Counts();
  for (const [destinationId, ofAccount, atMs, kind, result, code, bin, count] of taken.flatMap((row) => row.counts)) {
    const figure = { atMs, kind, result, code, bin, count };
    counts.addCount({ ...figure, scope: "destination", id: destinationId });
    counts.addCount({ ...figure, scope: "account", id: ofAccount });
  }
  await counts.write(tx);
}

/** History, search, and where the other shard's index of search begins again. */
export const copyRest: MoveSteps<Transaction>["copyRest"] = async ({ from, to }, copied) => {
  const write: Copying["write"] = (work) => work(to.db);
  const copying = { ...copied, from: from.db, to: to.db, write, beforeMs: null, isUnderFence: true };
  await copyHistory(copying);
  await copySearch({ ...copying, onlySealed: false });
  await setCursorBack(from, to.db);
  return await readLiveRows(from.db, { ...copied, owners: copied.left });
};

/** In the shard that it leaves: the rows that made it live, and what would be taken for somebody's in memory. */
export async function letGo({ db }: Transaction, accountId: string, owners: Owners): Promise<void> {
  // Nothing would lead to them any more.
  await db.run(DELETE_ATTEMPTS_OF_PENDING, owners.destinations);
  await db.run(DELETE_PENDING, owners.destinations);
  const since = await db.get<{ lowWaterMs: number | null }>(FIND_LOW_WATER);
  if (since !== undefined && since.lowWaterMs !== null) {
    await db.run(FORGET_LEASES, accountId, since.lowWaterMs, firstIdAt("evt", since.lowWaterMs - SLACK_MS));
  }
  await deleteLiveRows(db, accountId, owners);
}

/** Ids and the instants beside them were taken within this of each other. */
const SLACK_MS = 3_600_000;

/**
 * The other shard's index of search does not look back for ever for events that it has passed. It begins again where
 * this shard's is, and a little before that: events that it has are passed over.
 */
async function setCursorBack(from: Transaction, to: Transaction["db"]): Promise<void> {
  const cursor = await from.db.get<{ acceptedAtMs: number }>(FIND_CURSOR);
  if (cursor !== undefined) await to.run(SET_CURSOR_BACK, cursor.acceptedAtMs - LATE_MS);
}

/** What this shard's index may have passed too. */
const LATE_MS = 60_000;

/** They count for other accounts too, which are added up with it. */
const TAKE_DELTAS = `-- name: take deltas of account
  delete from attempt_deltas d
  where d.account_ids @> array[$1::text]
  returning d.counts::json`;

const DELETE_ATTEMPTS_OF_PENDING = `-- name: delete attempts of what waits of account
  delete from attempts a
  using deliveries d
  where d.destination_id = any ($1::text[]) and d.state = 'pending' and not d.is_ended and a.delivery_id = d.id`;

const DELETE_PENDING = `-- name: delete what waits of account that moves
  delete from deliveries d
  where d.destination_id = any ($1::text[]) and d.state = 'pending' and not d.is_ended`;

const FIND_LOW_WATER = `-- name: find low water of leases
  select min(low_water_at) as "lowWaterMs"
  from leases`;

const FORGET_LEASES = `-- name: forget leases of account that moves
  update events e
  set lease_id = null
  where e.account_id = $1 and e.source_id is not null and e.lease_id is not null and e.accepted_at >= $2
    and e.id >= $3`;

const FIND_CURSOR = `-- name: find cursor of search for move
  select accepted_at as "acceptedAtMs"
  from search_cursors
  where id = 1`;

const SET_CURSOR_BACK = `-- name: set cursor of search back
  update search_cursors
  set accepted_at = $1, event_id = ''
  where id = 1 and accepted_at > $1`;

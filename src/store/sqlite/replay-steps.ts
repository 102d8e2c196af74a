/**
 * A replay's steps: each moves as many of its deliveries to pending as its rate has allowed since the last one.
 *
 * Invariant: an item goes in the transaction that makes its delivery pending, so each is sent once more, whatever
 * crashes, and the counts are exact.
 */
import type { SteppedReplays } from "../contract/replays.ts";
import { resendDelivery } from "./resends.ts";
import type { Transaction } from "./transaction.ts";

export function stepReplays(
  tx: Transaction,
  { nowMs, deliveriesMax }: { nowMs: number; deliveriesMax: number },
): SteppedReplays {
  const replays: SteppedReplays["replays"][number][] = [];
  let left = deliveriesMax;
  let moved = 0;
  for (const replay of tx.db.all<RunningRow>(LIST_RUNNING)) {
    const credit = creditOf(replay, nowMs);
    const items = tx.db.all<ItemRow>(LIST_ITEMS, replay.id, Math.min(Math.floor(credit), left));
    // A rate below one a second must not lose the time it has waited; a clock set back must not stop it.
    if (items.length === 0 && nowMs >= replay.steppedAtMs) continue;
    const movedNow = moveItems(tx, replay, { items, nowMs });
    tx.db.run(NOTE_STEP, credit - items.length, nowMs, movedNow, items.length - movedNow, replay.id);
    finishIfDone(tx, replay.id, nowMs);
    left -= items.length;
    moved += movedNow;
    replays.push({ accountId: replay.accountId, replayId: replay.id });
  }
  return { moved, replays };
}

/** In deliveries. At most what one second allows: a node that was down for an hour does not make up for it at once. */
function creditOf({ credit, ratePerSecond, steppedAtMs }: RunningRow, nowMs: number): number {
  const elapsedMs = Math.max(nowMs - steppedAtMs, 0);
  return Math.min(credit + (elapsedMs / 1000) * ratePerSecond, Math.max(ratePerSecond, 1));
}

/** How many became pending; the rest could not any more, or was pending already. */
function moveItems(
  tx: Transaction,
  { id, accountId, actor }: RunningRow,
  { items, nowMs }: { items: readonly ItemRow[]; nowMs: number },
): number {
  let moved = 0;
  for (const { deliveryId } of items) {
    tx.db.run(DELETE_ITEM, id, deliveryId);
    if (resendDelivery(tx, { accountId, deliveryId, person: actor, nowMs }) === "queued") moved += 1;
  }
  return moved;
}

function finishIfDone(tx: Transaction, replayId: string, nowMs: number): void {
  if (tx.db.get(FIND_ANY_ITEM, replayId) === undefined) tx.db.run(FINISH, nowMs, replayId);
}

interface RunningRow {
  readonly id: string;
  readonly accountId: string;
  readonly ratePerSecond: number;
  readonly credit: number;
  readonly steppedAtMs: number;
  readonly actor: string;
}

interface ItemRow {
  readonly deliveryId: string;
}

/** Those that were stepped longest ago first, so that all get their turn when there is more than a step may move. */
export const LIST_RUNNING = `-- name: list running replays
  select id, account_id as "accountId", rate_per_second as "ratePerSecond", credit, stepped_at as "steppedAtMs", actor
  from replays
  where state = 'running'
  order by stepped_at`;

const LIST_ITEMS = `-- name: list next items of replay
  select delivery_id as "deliveryId"
  from replay_items
  where replay_id = ?
  order by delivery_id
  limit ?`;

const DELETE_ITEM = `-- name: delete item of replay
  delete from replay_items
  where replay_id = ? and delivery_id = ?`;

const FIND_ANY_ITEM = `-- name: find any item of replay
  select 1
  from replay_items
  where replay_id = ?
  limit 1`;

const NOTE_STEP = `-- name: note step of replay
  update replays
  set credit = ?, stepped_at = ?, moved = moved + ?, skipped = skipped + ?
  where id = ?`;

const FINISH = `-- name: finish replay
  update replays
  set state = 'finished', ended_at = ?
  where id = ?`;

/**
 * A replay's steps: each moves as many of its deliveries to pending as its rate has allowed since the last one.
 *
 * Invariant: an item goes in the transaction that makes its delivery pending, so each is sent once more, whatever
 * crashes, and the counts are exact. One node at a time steps a replay; others pass it over.
 */
import type { ReplayFilter } from "../../../domain/replay.ts";
import type { SteppedReplays } from "../../contract/replays.ts";
import type { Dialect } from "../dialect.ts";
import { type SqlTransaction, ofAccount } from "../transaction.ts";

export async function stepReplays<Tx extends SqlTransaction>(
  tx: Tx,
  { nowMs, deliveriesMax }: { nowMs: number; deliveriesMax: number },
  { resendDeliveries }: Pick<Dialect<Tx>, "resendDeliveries">,
): Promise<SteppedReplays> {
  const replays: SteppedReplays["replays"][number][] = [];
  let left = deliveriesMax;
  let moved = 0;
  const running = await tx.db.all<RunningRow>(LOCK_RUNNING);
  for (const replay of running) {
    const own = ofAccount(tx, replay.accountId);
    const credit = computeCredit(replay, nowMs);
    const items = await own.db.all<ItemRow>(TAKE_ITEMS, replay.id, Math.min(Math.floor(credit), left));
    // A rate below one a second must not lose the time it has waited; a clock set back must not stop it.
    if (items.length === 0 && nowMs >= replay.steppedAtMs) continue;
    const deliveryIds = items.map(({ deliveryId }) => deliveryId);
    const { accountId, actor } = replay;
    const withWaiting = (JSON.parse(replay.filter) as ReplayFilter).states.includes("pending");
    const resend = { accountId, deliveryIds, person: actor, withWaiting, isFirst: false, nowMs };
    const results = await resendDeliveries(own, resend);
    // The rest could not be sent any more, or is pending already.
    const movedNow = [...results.values()].filter(({ result }) => result === "queued").length;
    await own.db.run(NOTE_STEP, credit - items.length, nowMs, movedNow, items.length - movedNow, replay.id);
    await finishIfDone(own, replay.id, nowMs);
    left -= items.length;
    moved += movedNow;
    replays.push({ accountId, replayId: replay.id });
  }
  return { running: running.length, moved, replays };
}

/** In deliveries. At most what one second allows: a node that was down for an hour does not make up for it at once. */
function computeCredit({ credit, ratePerSecond, steppedAtMs }: RunningRow, nowMs: number): number {
  const elapsedMs = Math.max(nowMs - steppedAtMs, 0);
  return Math.min(credit + (elapsedMs / 1000) * ratePerSecond, Math.max(ratePerSecond, 1));
}

async function finishIfDone(tx: SqlTransaction, replayId: string, nowMs: number): Promise<void> {
  if ((await tx.db.get(FIND_ANY_ITEM, replayId)) === undefined) await tx.db.run(FINISH, nowMs, replayId);
}

interface RunningRow {
  readonly id: string;
  readonly accountId: string;
  readonly ratePerSecond: number;
  readonly credit: number;
  readonly steppedAtMs: number;
  readonly actor: string;
  readonly filter: string;
}

interface ItemRow {
  readonly deliveryId: string;
}

/** Those that were stepped longest ago first, so that all get their turn when there is more than a step may move. */
export const LOCK_RUNNING = `-- name: lock running replays
  select id, account_id as "accountId", rate_per_second as "ratePerSecond", credit, stepped_at as "steppedAtMs", actor,
    filter
  from replays
  where state = 'running' and bucket = any ($buckets)
  order by stepped_at, id
  for no key update skip locked`;

const TAKE_ITEMS = `-- name: take next items of replay
  with next as materialized (
    select delivery_id
    from replay_items
    where replay_id = $1 and bucket = any ($buckets)
    order by delivery_id
    limit $2
  )
  delete from replay_items
  where replay_id = $1 and bucket = any ($buckets) and delivery_id in (select delivery_id from next)
  returning delivery_id as "deliveryId"`;

const FIND_ANY_ITEM = `-- name: find any item of replay
  select 1 as found
  from replay_items
  where replay_id = $1 and bucket = any ($buckets)
  limit 1`;

const NOTE_STEP = `-- name: note step of replay
  update replays
  set credit = $1, stepped_at = $2, moved = moved + $3, skipped = skipped + $4
  where id = $5 and bucket = any ($buckets)`;

const FINISH = `-- name: finish replay
  update replays
  set state = 'finished', ended_at = $1
  where id = $2 and bucket = any ($buckets)`;

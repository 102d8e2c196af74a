/**
 * Bulk replays (see `domain/replay.ts`): their deliveries, frozen when the replay is created; its state; its steps. A
 * step moves as many deliveries to pending as the replay's rate has allowed since the last one.
 *
 * Invariant: an item goes in the transaction that makes its delivery pending, so each is sent once more, whatever
 * crashes, and the counts are exact. One node at a time steps a replay; others pass it over.
 */
import type { ReplayFilter } from "../../../domain/replay.ts";
import { assert } from "../../../lib/assert.ts";
import { daysMs } from "../../../lib/duration.ts";
import type {
  CreateReplay,
  SetReplayState,
  SteppedReplays,
  ListReplays,
  StoredReplay,
} from "../../contract/replays.ts";
import { writeAudit } from "../audit.ts";
import type { Dialect } from "../dialect.ts";
import type { Flag, SqlTransaction } from "../transaction.ts";

/** A repeat with the same id (its answer was lost) answers what the first one did. */
export async function createReplay<Tx extends SqlTransaction>(
  tx: Tx,
  params: CreateReplay,
  { freezeItems }: Pick<Dialect<Tx>, "freezeItems">,
): Promise<{ deliveries: number } | { refused: "too_many" }> {
  const { accountId, id, filter, deliveriesMax, ratePerSecond, startPaused, by, nowMs } = params;
  assert(ratePerSecond > 0, `a replay's rate is above 0 a second, not ${ratePerSecond}`);
  // A repeat that runs beside the first one must find it.
  await tx.hold(`replay ${id}`);
  const known = await findReplay(tx, accountId, id);
  if (known !== null) return { deliveries: known.deliveries };
  const deliveries = await freezeItems(tx, params);
  if (deliveries > deliveriesMax) {
    await tx.db.run(DELETE_ITEMS, id);
    return { refused: "too_many" };
  }
  const isEmpty = deliveries === 0;
  const state = isEmpty ? "finished" : startPaused ? "paused" : "running";
  const filterJson = JSON.stringify(filter);
  await tx.db.run(
    INSERT_REPLAY,
    accountId,
    id,
    filterJson,
    ratePerSecond,
    state,
    deliveries,
    nowMs,
    by.person,
    by.person,
    nowMs,
    isEmpty ? nowMs : null,
    startPaused && !isEmpty,
  );
  const action = startPaused ? "replay_prepared" : "replay_started";
  await writeAudit(tx, { accountId, nowMs, by, action, subject: id });
  return { deliveries };
}

/** `unchanged`: it is so already, or it has ended. */
export async function setReplayState(
  tx: SqlTransaction,
  { accountId, replayId, state, by, nowMs }: SetReplayState,
): Promise<"changed" | "unchanged" | "missing"> {
  await tx.db.get(LOCK_REPLAY, replayId);
  const replay = await findReplay(tx, accountId, replayId);
  if (replay === null) return "missing";
  if (replay.state === state || replay.endedAtMs !== null) return "unchanged";
  const isCancelled = state === "cancelled";
  // The rate counts from now: what it would have allowed during a pause is not made up for.
  await tx.db.run(SET_REPLAY_STATE, state, by.person, nowMs, isCancelled ? nowMs : null, replayId);
  if (isCancelled) await tx.db.run(DELETE_ITEMS, replayId);
  await writeAudit(tx, { accountId, nowMs, by, action: ACTIONS[state], subject: replayId });
  return "changed";
}

const ACTIONS = { running: "replay_started", paused: "replay_paused", cancelled: "replay_cancelled" } as const;

/** Replays that were not confirmed within a day are cancelled, at most `limit`; returns how many. */
export async function cancelForgottenReplays(
  tx: SqlTransaction,
  { nowMs, limit }: { nowMs: number; limit: number },
): Promise<number> {
  const forgotten = await tx.db.all<{ id: string; accountId: string }>(LIST_FORGOTTEN, nowMs - PREPARED_MS_MAX, limit);
  const by = { person: "system", role: "system" } as const;
  for (const { id, accountId } of forgotten) {
    await setReplayState(tx, { accountId, replayId: id, state: "cancelled", by, nowMs });
  }
  return forgotten.length;
}

const PREPARED_MS_MAX = daysMs(1);

async function findReplay(tx: SqlTransaction, accountId: string, replayId: string): Promise<StoredReplay | null> {
  const row = await tx.db.get<ReplayRow>(FIND_REPLAY, replayId, accountId);
  return row === undefined ? null : toStoredReplay(row);
}

export function toStoredReplay(row: ReplayRow): StoredReplay {
  return { ...row, filter: JSON.parse(row.filter) as ReplayFilter, isPrepared: Boolean(row.isPrepared) };
}

export type ReplayRow = Omit<StoredReplay, "filter" | "isPrepared"> & {
  readonly filter: string;
  readonly isPrepared: Flag;
};

const INSERT_REPLAY = `-- name: insert replay
  insert into replays
    (account_id, id, filter, rate_per_second, state, deliveries, stepped_at, actor, state_actor, created_at,
    ended_at, is_prepared)
  values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12)`;

/** Against a step that another node makes meanwhile. */
const LOCK_REPLAY = `-- name: lock replay
  select 1
  from replays
  where id = $1
  for no key update`;

const SET_REPLAY_STATE = `-- name: set state of replay
  update replays
  set state = $1, state_actor = $2, stepped_at = $3, credit = 0, ended_at = $4, is_prepared = false
  where id = $5`;

const DELETE_ITEMS = `-- name: delete items of replay
  delete from replay_items
  where replay_id = $1`;

/** Exported for the test that reads its plan. */
export const LIST_FORGOTTEN = `-- name: list replays that nobody has confirmed
  select id, account_id as "accountId"
  from replays
  where is_prepared and ended_at is null and created_at < $1
  order by created_at
  limit $2`;

/** The columns of `ReplayRow`. */
export const REPLAY_COLUMNS = `id, filter, rate_per_second as "ratePerSecond", state, deliveries, moved, skipped, actor,
    state_actor as "stateActor", created_at as "createdAtMs", ended_at as "endedAtMs", is_prepared as "isPrepared"`;

const FIND_REPLAY = `-- name: find replay of account
  select ${REPLAY_COLUMNS}
  from replays
  where id = $1 and account_id = $2`;

export async function stepReplays<Tx extends SqlTransaction>(
  tx: Tx,
  { nowMs, deliveriesMax }: { nowMs: number; deliveriesMax: number },
  { resendDeliveries }: Pick<Dialect<Tx>, "resendDeliveries">,
): Promise<SteppedReplays> {
  const replays: SteppedReplays["replays"][number][] = [];
  /** An account gets half of a step at most, however many replays it has running. */
  const leftOf = new Map<string, number>();
  let left = deliveriesMax;
  let moved = 0;
  const running = await tx.db.all<RunningRow>(LOCK_RUNNING);
  for (const replay of running) {
    const { accountId, actor } = replay;
    const credit = computeCredit(replay, nowMs);
    const ofAccount = leftOf.get(accountId) ?? Math.ceil(deliveriesMax / 2);
    const items = await tx.db.all<ItemRow>(TAKE_ITEMS, replay.id, Math.min(Math.floor(credit), left, ofAccount));
    // A rate below one a second must not lose the time it has waited; a clock set back must not stop it.
    if (items.length === 0 && nowMs >= replay.steppedAtMs) continue;
    const deliveryIds = items.map(({ deliveryId }) => deliveryId);
    const withWaiting = (JSON.parse(replay.filter) as ReplayFilter).states.includes("pending");
    const resend = { accountId, deliveryIds, person: actor, withWaiting, isFirst: false, nowMs };
    const results = await resendDeliveries(tx, resend);
    // The rest could not be sent any more, or is pending already.
    const movedNow = [...results.values()].filter(({ result }) => result === "queued").length;
    await tx.db.run(NOTE_STEP, credit - items.length, nowMs, movedNow, items.length - movedNow, replay.id);
    await finishIfDone(tx, replay.id, nowMs);
    left -= items.length;
    leftOf.set(accountId, ofAccount - items.length);
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
  where state = 'running'
  order by stepped_at, id
  for no key update skip locked`;

const TAKE_ITEMS = `-- name: take next items of replay
  with next as materialized (
    select delivery_id
    from replay_items
    where replay_id = $1
    order by delivery_id
    limit $2
  )
  delete from replay_items
  where replay_id = $1 and delivery_id in (select delivery_id from next)
  returning delivery_id as "deliveryId"`;

const FIND_ANY_ITEM = `-- name: find any item of replay
  select 1 as found
  from replay_items
  where replay_id = $1
  limit 1`;

const NOTE_STEP = `-- name: note step of replay
  update replays
  set credit = $1, stepped_at = $2, moved = moved + $3, skipped = skipped + $4
  where id = $5`;

const FINISH = `-- name: finish replay
  update replays
  set state = 'finished', ended_at = $1
  where id = $2`;

/** More than anybody looks through. */
const REPLAYS_MAX = 100;

export async function listReplays(
  tx: SqlTransaction,
  { accountId, replayId }: ListReplays,
): Promise<readonly StoredReplay[]> {
  if (replayId !== undefined) return [(await findReplay(tx, accountId, replayId)) ?? []].flat();
  return (await tx.db.all<ReplayRow>(LIST_REPLAYS, accountId, REPLAYS_MAX)).map(toStoredReplay);
}

/** Exported for the test that reads its plan. Ids are ordered by time. */
export const LIST_REPLAYS = `-- name: list newest replays of account
  select ${REPLAY_COLUMNS}
  from replays
  where account_id = $1
  order by id desc
  limit $2`;

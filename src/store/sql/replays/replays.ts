/**
 * Bulk replays (see `domain/replay.ts`): which deliveries, frozen when it is created; its state; how far it is. The
 * moving itself is in `replay-steps.ts`.
 */
import type { ReplayFilter } from "../../../domain/replay.ts";
import { assert } from "../../../lib/assert.ts";
import { daysMs } from "../../../lib/duration.ts";
import type { CreateReplay, SetReplayState, StoredReplay } from "../../contract/replays.ts";
import { writeAudit } from "../audit.ts";
import type { Dialect } from "../dialect.ts";
import { type Flag, type SqlTransaction, ofAccount } from "../transaction.ts";

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
  const known = await loadReplay(tx, { accountId, replayId: id });
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
  const replay = await loadReplay(tx, { accountId, replayId });
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
    await setReplayState(ofAccount(tx, accountId), { accountId, replayId: id, state: "cancelled", by, nowMs });
  }
  return forgotten.length;
}

const PREPARED_MS_MAX = daysMs(1);

export async function loadReplay(
  tx: SqlTransaction,
  { accountId, replayId }: { accountId: string; replayId: string },
): Promise<StoredReplay | null> {
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
    (bucket, account_id, id, filter, rate_per_second, state, deliveries, stepped_at, actor, state_actor, created_at,
    ended_at, is_prepared)
  values ($bucket, $1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12)`;

/** Against a step that another node makes meanwhile. */
const LOCK_REPLAY = `-- name: lock replay
  select 1
  from replays
  where id = $1 and bucket = any ($buckets)
  for no key update`;

const SET_REPLAY_STATE = `-- name: set state of replay
  update replays
  set state = $1, state_actor = $2, stepped_at = $3, credit = 0, ended_at = $4, is_prepared = false
  where id = $5 and bucket = any ($buckets)`;

const DELETE_ITEMS = `-- name: delete items of replay
  delete from replay_items
  where replay_id = $1 and bucket = any ($buckets)`;

/** Exported for the test that reads its plan. */
export const LIST_FORGOTTEN = `-- name: list replays that nobody has confirmed
  select id, account_id as "accountId"
  from replays
  where is_prepared and ended_at is null and created_at < $1 and bucket = any ($buckets)
  order by created_at
  limit $2`;

/** The columns of `ReplayRow`. */
export const REPLAY_COLUMNS = `id, filter, rate_per_second as "ratePerSecond", state, deliveries, moved, skipped, actor,
    state_actor as "stateActor", created_at as "createdAtMs", ended_at as "endedAtMs", is_prepared as "isPrepared"`;

const FIND_REPLAY = `-- name: find replay of account
  select ${REPLAY_COLUMNS}
  from replays
  where id = $1 and account_id = $2 and bucket = any ($buckets)`;

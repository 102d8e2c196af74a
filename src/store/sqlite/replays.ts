/**
 * Bulk replays (see `domain/replay.ts`): which deliveries, frozen when it is created; its state; how far it is. The
 * moving itself is in `replay-steps.ts`.
 */
import type { ReplayFilter } from "../../domain/replay.ts";
import { assert } from "../../lib/assert.ts";
import { daysMs } from "../../lib/duration.ts";
import type { CreateReplay, SetReplayState, StoredReplay } from "../contract/replays.ts";
import { writeAudit } from "./audit.ts";
import type { Transaction } from "./transaction.ts";

/** A repeat with the same id (its answer was lost) answers what the first one did. */
export function createReplay(tx: Transaction, params: CreateReplay): { deliveries: number } | { refused: "too_many" } {
  const { accountId, id, filter, deliveriesMax, ratePerSecond, startPaused, by, nowMs } = params;
  assert(ratePerSecond > 0, `a replay's rate is above 0 a second, not ${ratePerSecond}`);
  const known = loadReplay(tx, { accountId, replayId: id });
  if (known !== null) return { deliveries: known.deliveries };
  const deliveries = freezeItems(tx, params);
  if (deliveries > deliveriesMax) {
    // Not undone by a roll-back: other calls share the transaction.
    tx.db.run(DELETE_ITEMS, id);
    return { refused: "too_many" };
  }
  const isEmpty = deliveries === 0;
  const state = isEmpty ? "finished" : startPaused ? "paused" : "running";
  const filterJson = JSON.stringify(filter);
  tx.db.run(
    INSERT_REPLAY,
    id,
    accountId,
    filterJson,
    ratePerSecond,
    state,
    deliveries,
    nowMs,
    by.person,
    by.person,
    nowMs,
    isEmpty ? nowMs : null,
    Number(startPaused && !isEmpty),
  );
  const action = startPaused ? "replay_prepared" : "replay_started";
  writeAudit(tx, { accountId, nowMs, by, action, subject: id });
  return { deliveries };
}

/**
 * What could not be sent anyway (tests, purged payloads) is left out of the count. One more than the maximum is enough
 * to know that there are too many.
 */
function freezeItems(tx: Transaction, { accountId, id, filter, deliveriesMax, nowMs }: CreateReplay): number {
  const { destinationId = null, type = null, states, createdFromMs = 0, createdToMs = nowMs } = filter;
  const toMs = Math.min(createdToMs, nowMs);
  const statesJson = JSON.stringify(states);
  const limits = [createdFromMs, toMs, statesJson, destinationId, type, deliveriesMax + 1] as const;
  return tx.db.run(FREEZE_ITEMS, id, accountId, ...limits);
}

/** `unchanged`: it is so already, or it has ended. */
export function setReplayState(
  tx: Transaction,
  { accountId, replayId, state, by, nowMs }: SetReplayState,
): "changed" | "unchanged" | "missing" {
  const replay = loadReplay(tx, { accountId, replayId });
  if (replay === null) return "missing";
  if (replay.state === state || replay.endedAtMs !== null) return "unchanged";
  const isCancelled = state === "cancelled";
  // The rate counts from now: what it would have allowed during a pause is not made up for.
  tx.db.run(SET_REPLAY_STATE, state, by.person, nowMs, isCancelled ? nowMs : null, replayId);
  if (isCancelled) tx.db.run(DELETE_ITEMS, replayId);
  writeAudit(tx, { accountId, nowMs, by, action: ACTIONS[state], subject: replayId });
  return "changed";
}

const ACTIONS = { running: "replay_started", paused: "replay_paused", cancelled: "replay_cancelled" } as const;

/** Those that nobody has confirmed for a day are cancelled, at most `limit`; returns how many. */
export function cancelForgottenReplays(tx: Transaction, { nowMs, limit }: { nowMs: number; limit: number }): number {
  const forgotten = tx.db.all<{ id: string; accountId: string }>(LIST_FORGOTTEN, nowMs - PREPARED_MS_MAX, limit);
  const by = { person: "system", role: "system" } as const;
  for (const { id, accountId } of forgotten) {
    setReplayState(tx, { accountId, replayId: id, state: "cancelled", by, nowMs });
  }
  return forgotten.length;
}

const PREPARED_MS_MAX = daysMs(1);

export function loadReplay(
  tx: Transaction,
  { accountId, replayId }: { accountId: string; replayId: string },
): StoredReplay | null {
  const row = tx.db.get<ReplayRow>(FIND_REPLAY, replayId, accountId);
  return row === undefined ? null : replayOf(row);
}

export function replayOf(row: ReplayRow): StoredReplay {
  const isPrepared = row.isPrepared === 1;
  return { ...row, filter: JSON.parse(row.filter) as ReplayFilter, isPrepared };
}

export type ReplayRow = Omit<StoredReplay, "filter" | "isPrepared"> & {
  readonly filter: string;
  readonly isPrepared: number;
};

const INSERT_REPLAY = `-- name: insert replay
  insert into replays
    (id, account_id, filter, rate_per_second, state, deliveries, stepped_at, actor, state_actor, created_at, ended_at,
    is_prepared)
  values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`;

/**
 * Exported for the test that reads its plan: it may read the account's own deliveries only. Those to a destination that
 * was deleted could not be sent.
 */
export const FREEZE_ITEMS = `-- name: freeze items of replay
  insert into replay_items (replay_id, delivery_id)
  select ?1, d.id
  from destinations t
  cross join deliveries d indexed by deliveries_of_destination on d.destination_id = t.id
  cross join events e on e.seq = d.event_seq
  where t.account_id = ?2 and t.deleted_at is null and (?6 is null or t.id = ?6)
    and d.created_at >= ?3 and d.created_at < ?4
    and d.state <> 'pending' and d.state in (select value from json_each(?5)) and d.is_test = 0
    and (?7 is null or e.type = ?7) and octet_length(e.body) > 0
  limit ?8`;

const SET_REPLAY_STATE = `-- name: set state of replay
  update replays
  set state = ?, state_actor = ?, stepped_at = ?, credit = 0, ended_at = ?, is_prepared = 0
  where id = ?`;

const DELETE_ITEMS = `-- name: delete items of replay
  delete from replay_items
  where replay_id = ?`;

/** Exported for the test that reads its plan. */
export const LIST_FORGOTTEN = `-- name: list replays that nobody has confirmed
  select id, account_id as "accountId"
  from replays
  where is_prepared = 1 and ended_at is null and created_at < ?
  order by created_at
  limit ?`;

/** What is read of a replay, wherever. */
export const REPLAY_COLUMNS = `id, filter, rate_per_second as "ratePerSecond", state, deliveries, moved, skipped, actor,
    state_actor as "stateActor", created_at as "createdAtMs", ended_at as "endedAtMs", is_prepared as "isPrepared"`;

const FIND_REPLAY = `-- name: find replay of account
  select ${REPLAY_COLUMNS}
  from replays
  where id = ? and account_id = ?`;

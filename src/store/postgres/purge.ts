/**
 * Retention: what is old goes in small steps, each of at most `rowsMax` rows, so that none stands in an accept's way.
 * First payloads, then what receivers answered, at last whole events with their deliveries and attempts.
 *
 * Invariant: nothing pending is touched, and the keys against repeats stay for ever. Each list follows an index that
 * holds only what is still to do, so a step that finds nothing costs a few searches. Events are locked first and looked
 * at in a later statement, so that a resend that came before is seen and one that comes after waits; nodes pass over
 * each other's.
 */
import type { Purge } from "../store.ts";
import { tidyCounts } from "./attempt-count-tiers.ts";
import { deleteEvents } from "./purge-event.ts";
import { purgeLeftBehind } from "./purge-left-behind.ts";
import type { SweepPlace, Transaction } from "./transaction.ts";

export async function purge(tx: Transaction, params: Purge): Promise<{ purged: number }> {
  const { rowsBeforeMs, rowsMax } = params;
  // A row can only go when its payload has gone.
  const payloadsBeforeMs = Math.max(params.payloadsBeforeMs, rowsBeforeMs);
  let left = rowsMax;
  left -= await purgePayloads(tx, payloadsBeforeMs, left);
  left -= await tx.db.run(PURGE_ANSWERS, params.attemptBodiesBeforeMs, left);
  left -= await purgeEvents(tx, rowsBeforeMs, left);
  left -= await tx.db.run(DELETE_CHANGES, left, rowsBeforeMs);
  left -= await tx.db.run(DELETE_REPLAYS, rowsBeforeMs, left);
  left -= await purgeLeftBehind(tx, params, left);
  left -= await tidyCounts(tx, { nowMs: params.nowMs, limit: left });
  return { purged: rowsMax - left };
}

function purgePayloads(tx: Transaction, beforeMs: number, rowsMax: number): Promise<number> {
  const work = (seqs: readonly number[]) => tx.db.run(PURGE_PAYLOADS, seqs);
  return sweep(tx, { name: "payloads", list: LIST_WITH_BODY, beforeMs, rowsMax, work });
}

function purgeEvents(tx: Transaction, beforeMs: number, rowsMax: number): Promise<number> {
  const work = (seqs: readonly number[]) => deleteEvents(tx, seqs, rowsMax);
  return sweep(tx, { name: "events", list: LIST_WITHOUT_BODY, beforeMs, rowsMax, work });
}

interface Sweep {
  readonly name: string;
  readonly list: string;
  readonly beforeMs: number;
  readonly rowsMax: number;
  /** Changes at most `rowsMax` rows of these events and returns how many. */
  readonly work: (seqs: readonly number[]) => Promise<number>;
}

/**
 * Works on the next events with nothing pending. Those that still wait stay in the index, so the place is remembered
 * and a step starts behind it: a million of them at its head would otherwise be read in every step.
 */
async function sweep(tx: Transaction, { name, list, beforeMs, rowsMax, work }: Sweep): Promise<number> {
  if (rowsMax === 0) return 0;
  const { sweeps } = tx.node;
  const place = sweeps.get(name) ?? START;
  const events = await tx.db.all<SweepPlace>(list, place.acceptedAtMs, place.seq, beforeMs, rowsMax);
  const seqs = events.map(({ seq }) => seq);
  const waiting = new Set((await tx.db.all<{ seq: number }>(LIST_WAITING, seqs)).map(({ seq }) => seq));
  const ended = seqs.filter((seq) => !waiting.has(seq));
  const changed = ended.length === 0 ? 0 : await work(ended);
  // With all of it used up they may not be done yet: the next step begins at the same place.
  if (changed === rowsMax) return changed;
  // At the end it begins again, with those that it passed over.
  const isAtEnd = events.length < rowsMax;
  sweeps.set(name, isAtEnd ? START : (events.at(-1) ?? START));
  return changed;
}

const START: SweepPlace = { acceptedAtMs: Number.MIN_SAFE_INTEGER, seq: 0 };

/** Exported for the test that reads its plan, like the next ones. */
export const LIST_WITH_BODY = `-- name: list old events with a body
  select seq, accepted_at as "acceptedAtMs"
  from events
  where body <> '' and (accepted_at, seq) > ($1, $2) and accepted_at < $3
  order by accepted_at, seq
  limit $4
  for update skip locked`;

export const LIST_WITHOUT_BODY = `-- name: list old events without a body
  select seq, accepted_at as "acceptedAtMs"
  from events
  where body = '' and (accepted_at, seq) > ($1, $2) and accepted_at < $3
  order by accepted_at, seq
  limit $4
  for update skip locked`;

const LIST_WAITING = `-- name: list events that still wait
  select distinct event_seq as seq
  from deliveries
  where event_seq = any ($1::bigint[]) and state = 'pending'`;

const PURGE_PAYLOADS = `-- name: purge payloads of events
  update events
  set body = ''
  where seq = any ($1::bigint[])`;

/** Whatever became of the delivery: an answer goes by its own age. */
export const PURGE_ANSWERS = `-- name: purge old answers of receivers
  with old as materialized (
    select seq
    from attempts
    where response_headers is not null and started_at < $1
    order by started_at
    limit $2
    for no key update skip locked
  )
  update attempts a
  set response_headers = null, response_body = null
  from old
  where a.seq = old.seq`;

/** Looks at the oldest rows only: they stand in the order in which they were written. */
const DELETE_CHANGES = `-- name: delete old changes of destinations
  with oldest as materialized (
    select seq
    from destination_changes
    order by seq
    limit $1
  )
  delete from destination_changes c
  using oldest
  where c.seq = oldest.seq and c.at < $2`;

export const DELETE_REPLAYS = `-- name: delete old replays that have ended
  with old as materialized (
    select id
    from replays
    where ended_at < $1
    order by ended_at
    limit $2
  )
  delete from replays r
  using old
  where r.id = old.id`;

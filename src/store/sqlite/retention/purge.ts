/**
 * Retention on SQLite, event by event: `../../sql/retention/retention.ts` says in which order, and what it keeps true.
 */
import type { Purge, Purged } from "../../contract/log.ts";
import { type Pass, purgeBesideLog } from "../../sql/retention/retention.ts";
import { forgetAccounts } from "../../sql/retention/forget-accounts.ts";
import { forgetEntries } from "../../sql/log/search-blocks.ts";
import { dropCounts, joinCounts, rollUp } from "../figures/attempt-counts.ts";
import { ERASE_STEPS } from "../erase.ts";
import type { SweepPlace } from "../connection/connection.ts";
import { writeAcceptedBefore } from "../path/pending-rows.ts";
import { purgeOnlyAnswers, deleteEvent } from "./purge-payload.ts";
import { SEARCH_STEPS } from "../log/search.ts";
import type { Transaction } from "../transaction.ts";

export async function purge(tx: Transaction, params: Purge): Promise<Purged> {
  const { rowsBeforeMs, rowsMax } = params;
  // A row can only go when its payload has gone.
  const payloadsBeforeMs = Math.max(params.payloadsBeforeMs, rowsBeforeMs);
  rollUp(tx, rowsMax);
  writeAcceptedBefore(tx, Math.max(payloadsBeforeMs, params.attemptBodiesBeforeMs));
  let left = rowsMax;
  const payloads = purgePayloads(tx, payloadsBeforeMs, left);
  left -= payloads.changed;
  left -= tx.db.run(PURGE_ANSWERS, params.attemptBodiesBeforeMs, left);
  const answers = purgeOnlyAnswers(tx, params.attemptBodiesBeforeMs, left);
  left -= answers.changed;
  const events = purgeEvents(tx, rowsBeforeMs, left);
  left -= events.changed;
  left -= await forgetEntries(tx, { payloadsBeforeMs, limit: left }, SEARCH_STEPS);
  left -= await forgetAccounts(tx, { nowMs: params.nowMs, limit: left }, FORGET_STEPS);
  const steps = { forgetDeleted, findOldestEvent, joinCounts, dropCounts };
  left -= await purgeBesideLog(tx, { ...params, limit: left }, steps);
  return {
    purged: rowsMax - left,
    hasMore: left < rowsMax || ![payloads, answers, events].every(({ isAtEnd }) => isAtEnd),
  };
}

/** Of deleted accounts. */
const FORGET_STEPS = {
  isWritten(tx: Transaction, beforeMs: number): boolean {
    writeAcceptedBefore(tx, beforeMs);
    return true;
  },
  deleteEvents(tx: Transaction, eventIds: readonly string[], limit: number): number {
    let left = limit;
    for (const id of eventIds) {
      const seq = tx.db.get<{ seq: number }>(FIND_SEQ, id)?.seq;
      if (seq !== undefined && left > 0) left -= deleteEvent(tx, seq, left);
    }
    return limit - left;
  },
  deleteBlock: SEARCH_STEPS.deleteBlock,
  listTests: ERASE_STEPS.listTests,
  ownTables: [],
};

const FIND_SEQ = `-- name: find number of event to delete
  select seq
  from events
  where id = ?`;

function purgePayloads(tx: Transaction, beforeMs: number, rowsMax: number): Pass {
  const purgeOne = (seq: number) => tx.db.run(PURGE_PAYLOAD, seq);
  return sweep(tx, { name: "payloads", list: LIST_WITH_BODY, beforeMs, rowsMax, work: purgeOne });
}

function purgeEvents(tx: Transaction, beforeMs: number, rowsMax: number): Pass {
  const deleteOne = (seq: number, left: number) => deleteEvent(tx, seq, left);
  return sweep(tx, { name: "events", list: LIST_WITHOUT_BODY, beforeMs, rowsMax, work: deleteOne });
}

interface Sweep {
  readonly name: string;
  readonly list: string;
  readonly beforeMs: number;
  readonly rowsMax: number;
  /** Changes at most `left` rows and returns how many. */
  readonly work: (seq: number, left: number) => number;
}

/**
 * Works on the next events with nothing pending. Those that still wait stay in the index, so the place is remembered
 * and a step starts behind it: a million of them at its head would otherwise be read in every step.
 */
function sweep(tx: Transaction, { name, list, beforeMs, rowsMax, work }: Sweep): Pass {
  let place = tx.db.sweeps.get(name) ?? START;
  const events = tx.db.all<OldEvent>(list, place.acceptedAtMs, place.seq, beforeMs, rowsMax);
  let left = rowsMax;
  for (const { seq, acceptedAtMs, isWaiting } of events) {
    if (isWaiting === 0) left -= work(seq, left);
    // Not behind this one: it may not be done yet.
    if (left === 0) break;
    place = { seq, acceptedAtMs };
  }
  // At the end it begins again, with those that it passed over.
  const isAtEnd = left > 0 && events.length < rowsMax;
  tx.db.sweeps.set(name, isAtEnd ? START : place);
  return { changed: rowsMax - left, isAtEnd };
}

const START: SweepPlace = { acceptedAtMs: Number.MIN_SAFE_INTEGER, seq: 0 };

interface OldEvent extends SweepPlace {
  readonly isWaiting: number;
}

/** Exported for the test that reads its plan, like the next ones. */
export const LIST_WITH_BODY = `-- name: list old events with a body
  select seq, accepted_at as "acceptedAtMs", exists (
    select 1
    from json_each(events.deliveries) n
    join deliveries d on d.id = n.key
    where d.state = 'pending'
  ) as "isWaiting"
  from events
  where octet_length(body) > 0 and (accepted_at, seq) > (?, ?) and accepted_at < ?
  order by accepted_at, seq
  limit ?`;

export const LIST_WITHOUT_BODY = `-- name: list old events without a body
  select seq, accepted_at as "acceptedAtMs", exists (
    select 1
    from json_each(events.deliveries) n
    join deliveries d on d.id = n.key
    where d.state = 'pending'
  ) as "isWaiting"
  from events
  where octet_length(body) = 0 and (accepted_at, seq) > (?, ?) and accepted_at < ?
  order by accepted_at, seq
  limit ?`;

const PURGE_PAYLOAD = `-- name: purge payload of event
  update events
  set body = ''
  where seq = ?`;

/** Whatever became of the delivery: an answer goes by its own age. */
export const PURGE_ANSWERS = `-- name: purge old answers of receivers
  update attempts
  set response_headers = null, response_body = null
  where seq in (
    select seq from attempts where response_headers is not null and started_at < ? order by started_at limit ?
  )`;

const findOldestEvent = (tx: Transaction): number | null =>
  tx.db.get<{ atMs: number | null }>(FIND_OLDEST_EVENT)?.atMs ?? null;

/** Exported for the test that reads its plan. */
export const FIND_OLDEST_EVENT = `-- name: find oldest event
  select min(accepted_at) as "atMs"
  from (
    select min(accepted_at) as accepted_at from events where octet_length(body) > 0
    union all
    select min(accepted_at) from events where octet_length(body) = 0
  )`;

/* The end of deleted destinations, alerts and webhooks: each destination is looked for in the log by itself. */

export function forgetDeleted(tx: Transaction, { rowsBeforeMs }: Purge, limit: number): number {
  let left = limit;
  for (const statement of [FORGET_DESTINATIONS, FORGET_ALERTS, FORGET_WEBHOOKS]) {
    left -= tx.db.run(statement, rowsBeforeMs, left);
  }
  return limit - left;
}

/** Exported for the test that reads its plan, like the next ones. */
export const FORGET_DESTINATIONS = `-- name: forget deleted destinations that nothing names
  delete from destinations
  where rowid in (
    select rowid from destinations t
    where deleted_at < ? and not exists (select 1 from deliveries where destination_id = t.id and is_test = 0)
    order by deleted_at
    limit ?
  )`;

const forgetOwners = (table: "alerts" | "webhooks"): string => `-- name: forget deleted ${table} that nothing names
  with nameless as materialized (
    select a.account_id, a.id
    from ${table} a
    where a.deleted_at < ? and not exists (select 1 from destinations where id = a.destination_id)
    order by a.deleted_at
    limit ?
  )
  delete from ${table}
  where (account_id, id) in (select account_id, id from nameless)`;

export const FORGET_ALERTS = forgetOwners("alerts");
export const FORGET_WEBHOOKS = forgetOwners("webhooks");

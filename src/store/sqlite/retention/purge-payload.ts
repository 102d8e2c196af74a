/**
 * Answers that stand in the rows of deliveries, which ended with their first attempt: they are found by their events,
 * in the order of acceptance, from where the last step stopped. An index would cost every webhook an entry.
 */
import type { Pass } from "../../sql/retention/retention.ts";
import { loadLowWaterMarks } from "../path/pending-rows.ts";
import type { Transaction } from "../transaction.ts";

/** Changes at most `rowsMax` rows. An answer goes by its own age, so the walk stops before one that is too young. */
export function purgeOnlyAnswers(tx: Transaction, beforeMs: number, rowsMax: number): Pass {
  const { answersFrom } = loadLowWaterMarks(tx);
  let from = answersFrom;
  let changed = 0;
  const events = tx.db.all<{ seq: number; isYoung: 0 | 1 }>(LIST_EVENTS, beforeMs, from, rowsMax);
  for (const { seq, isYoung } of events) {
    if (isYoung === 1 || changed >= rowsMax) break;
    changed += tx.db.run(PURGE_ANSWERS, seq);
    from = seq + 1;
  }
  if (from !== answersFrom) tx.db.run(SAVE_ANSWERS_FROM, from);
  return { changed, isAtEnd: from === answersFrom };
}

const LIST_EVENTS = `-- name: list events with answers that may be old
  select e.seq, e.accepted_at >= ?1 or exists (
    select 1
    from json_each(e.deliveries) n
    join deliveries d on d.id = n.key
    where d.attempted_at >= ?1 and d.answer_headers is not null
  ) as "isYoung"
  from events e
  where e.seq >= ?2
  order by e.seq
  limit ?3`;

const PURGE_ANSWERS = `-- name: purge old answers in deliveries of event
  update deliveries
  set answer_headers = null, answer_body = null
  where id in (select n.key from events e cross join json_each(e.deliveries) n where e.seq = ?)
    and answer_headers is not null`;

const SAVE_ANSWERS_FROM = `-- name: save low-water mark of answers
  update low_water_marks
  set answers_from = ?`;

/*
 * Deleting an event with its deliveries and their attempts. Rows that belong to others go first, so that a step which
 * ends in the middle leaves something whole, and the next one finds the event again and goes on.
 */

/** Deletes at most `rowsMax` rows and returns how many. */
export function deleteEvent(tx: Transaction, eventSeq: number, rowsMax: number): number {
  let left = rowsMax;
  for (const { id } of tx.db.all<{ id: string }>(LIST_DELIVERIES, eventSeq, left)) {
    left -= tx.db.run(DELETE_ATTEMPTS, id, left);
    // With nothing left its attempts may not all be gone.
    if (left > 0) left -= tx.db.run(DELETE_DELIVERY, id);
  }
  // Not all rows were needed: nothing of it is left but itself.
  if (left > 0) left -= tx.db.run(DELETE_EVENT, eventSeq);
  return rowsMax - left;
}

const LIST_DELIVERIES = `-- name: list deliveries of event
  select d.id
  from events e
  cross join json_each(e.deliveries) n
  join deliveries d on d.id = n.key
  where e.seq = ?
  limit ?`;

const DELETE_ATTEMPTS = `-- name: delete attempts of delivery
  delete from attempts
  where seq in (select seq from attempts where delivery_id = ? limit ?)`;

const DELETE_DELIVERY = `-- name: delete delivery
  delete from deliveries
  where id = ?`;

const DELETE_EVENT = `-- name: delete event
  delete from events
  where seq = ?`;

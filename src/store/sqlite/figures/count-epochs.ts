/**
 * Counting off the path: deliveries that end with their first attempt are counted in memory, and their counts are
 * written about once a second, when a commit happens anyway, and before somebody reads counts.
 *
 * Invariant: each of them is counted once, whatever crashes. Its row has the epoch in which it was counted. The commit
 * that writes an epoch's counts begins the next epoch, so a start counts the rows of the epoch that is still open, and
 * no others. Such a row belongs to an event that was open when the epoch began, or to a newer one.
 */
import { secondsMs } from "../../../lib/duration.ts";
import type { AttemptGist, SettledAttempt } from "../../sql/path/settled-rows.ts";
import { addCounts, flushCounts, noteCounts } from "./attempt-counts.ts";
import type { Transaction } from "../transaction.ts";

/** What a crash makes the next start count again; a chart is read at once, so no reader waits for it. */
const EPOCH_MS = secondsMs(1);

export interface PathMarks {
  readonly openFrom: number;
  readonly epoch: number;
  readonly answersFrom: number;
  readonly keysFrom: number;
}

export function loadPathMarks(tx: Transaction): PathMarks {
  const marks = tx.db.get<PathMarks>(FIND_MARKS);
  if (marks === undefined) throw new Error("the row of path_marks is missing");
  return marks;
}

export function noteLater(tx: Transaction, settled: SettledAttempt, nowMs: number): void {
  noteCounts(tx.countsLater, settled);
  tx.countedAtMs = nowMs;
}

/** A start looks through this many events more than it has to. */
const MARK_EVENTS = 5_000;

/** Moves the mark on when many events have come in, also where none of them is counted: all may wait. */
export function moveMarkIfDue(tx: Transaction): void {
  if (tx.db.acceptedSinceMark + tx.accepted >= MARK_EVENTS) moveMark(tx);
}

function moveMark(tx: Transaction): void {
  if (hasCounts(tx)) endEpoch(tx);
  else saveMarks(tx);
}

/** Ends the epoch when its time has come: by the instants of settlements, which may also jump back. */
export function endEpochIfDue(tx: Transaction): void {
  const { countedAtMs } = tx;
  if (countedAtMs === null) return;
  if (Math.abs(countedAtMs - (tx.db.countedFromMs ?? countedAtMs)) >= EPOCH_MS) endEpoch(tx);
}

/** Hands the counts of the epoch to this transaction, and begins the next one. */
export function endEpoch(tx: Transaction): void {
  if (!hasCounts(tx)) return;
  if (!tx.hasEndedEpoch) addCounts(tx.counts, tx.db.countsLater.values());
  addCounts(tx.counts, tx.countsLater.values());
  tx.countsLater.clear();
  tx.hasEndedEpoch = true;
  tx.epoch += 1;
  saveMarks(tx);
}

const hasCounts = (tx: Transaction): boolean =>
  !tx.countsLater.isEmpty() || (!tx.db.countsLater.isEmpty() && !tx.hasEndedEpoch);

function saveMarks(tx: Transaction): void {
  tx.db.run(SAVE_MARKS, tx.open.first()?.eventSeq ?? tx.nextEventSeq, tx.epoch);
  tx.hasMovedMark = true;
}

/** Before counts are read: those of the epoch, and those of other calls of this transaction. */
export function writeAllCounts(tx: Transaction): void {
  endEpoch(tx);
  flushCounts(tx);
}

/** For the start: behind every event that there was, also behind those that are purged. */
export function findNextEventSeq(tx: Transaction, { openFrom, answersFrom, keysFrom }: PathMarks): number {
  const newest = tx.db.get<{ seq: number | null }>(FIND_NEWEST_EVENT)?.seq ?? 0;
  return Math.max(newest + 1, openFrom, answersFrom, keysFrom);
}

/** For the start: counts the rows of the epoch that the dead process had open. */
export function recount(tx: Transaction, { openFrom, epoch }: PathMarks): void {
  for (const { atMs, outcome, status, totalMs, ...row } of tx.db.all<UncountedRow>(LIST_UNCOUNTED, openFrom, epoch)) {
    const gist = { number: 1, startedAtMs: atMs, outcome, status, totalMs };
    noteCounts(tx.countsLater, { ...row, gist, next: { state: row.state } });
  }
  moveMark(tx);
}

/** After the commit. */
export function keepCounts(tx: Transaction): void {
  const { db } = tx;
  if (tx.hasEndedEpoch) db.countsLater.clear();
  addCounts(db.countsLater, tx.countsLater.values());
  db.countedFromMs = db.countsLater.isEmpty() ? null : (db.countedFromMs ?? tx.countedAtMs);
  db.epoch = tx.epoch;
  db.acceptedSinceMark = tx.hasMovedMark ? 0 : db.acceptedSinceMark + tx.accepted;
}

interface UncountedRow
  extends
    Pick<SettledAttempt, "accountId" | "destinationId" | "acceptedAtMs">,
    Pick<AttemptGist, "outcome" | "status" | "totalMs"> {
  readonly atMs: number;
  readonly state: "delivered" | "failed" | "cancelled";
}

const FIND_MARKS = `-- name: find marks of the path
  select open_from as "openFrom", epoch, answers_from as "answersFrom", keys_from as "keysFrom"
  from path_marks`;

const SAVE_MARKS = `-- name: save marks of the path
  update path_marks
  set open_from = ?, epoch = ?`;

const FIND_NEWEST_EVENT = `-- name: find newest event
  select max(seq) as seq
  from events`;

const LIST_UNCOUNTED = `-- name: list deliveries that were counted in memory only
  select d.account_id as "accountId", d.destination_id as "destinationId", d.created_at as "acceptedAtMs",
    d.attempted_at as "atMs", d.last_outcome as outcome, d.last_status as status, d.last_ms as "totalMs", d.state
  from events e
  cross join json_each(e.deliveries) n
  join deliveries d on d.id = n.key
  where e.seq >= ? and d.epoch = ?`;

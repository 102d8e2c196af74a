/**
 * Counting off the path: deliveries that end with their first attempt are counted in memory, and their counts are
 * written about once a second, by commits that happen anyway. Readers add what is not written yet
 * (`unwritten-counts.ts`).
 *
 * They are written in rounds, a few slices of the destinations in each commit (`count-slices.ts`). Each slice ends an
 * epoch.
 *
 * Invariant: each of them is counted once, also over a crash. Its row has the epoch in which it was counted, and the
 * commit that writes a slice begins the next epoch. So a start counts the rows whose slice was not written since, and
 * no others. Such a row belongs to an event that was open when the last whole round began, or to a newer one.
 */
import { secondsMs } from "../../../lib/duration.ts";
import type { AttemptGist, SettledAttempt } from "../../sql/path/settled-rows.ts";
import { flushCounts, noteCounts } from "./attempt-counts.ts";
import { type CountRound, type Epochs, isWritten, sliceOf, SLICES } from "./count-slices.ts";
import { addCounts } from "./counters.ts";
import type { Transaction } from "../transaction.ts";

/** What a crash makes the next start count again. No reader waits for it. */
const ROUND_MS = secondsMs(1);

/** A commit writes at most so many counters of a round, or a 64th of them: it takes about 10 µs for each. */
const WRITES_MAX = 64;
const COMMITS_A_ROUND = 64;

export interface PathMarks extends Epochs {
  readonly openFrom: number;
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

/**
 * At the end of each transaction. A round begins when its time has come, by the instants of settlements, which may also
 * jump back; and when many events have come in. Without counts the mark of open deliveries moves by itself: all may
 * wait.
 */
export function writeCountsIfDue(tx: Transaction): void {
  const isDue = isTimeForRound(tx) || isTimeForMark(tx);
  const round = tx.round ?? (isDue && hasCounts(tx) ? beginRound(tx, WRITES_MAX) : null);
  if (round !== null) goOn(tx, round);
  else if (isTimeForMark(tx)) moveMark(tx, findOpenFrom(tx));
}

function isTimeForRound({ db, countedAtMs }: Transaction): boolean {
  return countedAtMs !== null && Math.abs(countedAtMs - (db.countedFromMs ?? countedAtMs)) >= ROUND_MS;
}

const isTimeForMark = ({ db, accepted, hasMovedMark }: Transaction): boolean =>
  !hasMovedMark && db.acceptedSinceMark + accepted >= MARK_EVENTS;

/** Hands all counts to this transaction. */
export function endEpochs(tx: Transaction): void {
  if (hasCounts(tx)) writeWholeRound(tx);
}

const writeWholeRound = (tx: Transaction): void => goOn(tx, beginRound(tx, Infinity));

const hasCounts = (tx: Transaction): boolean =>
  tx.countsLater.size > 0 || tx.db.countsLater.countBut(tx.writtenSlices) > 0;

function beginRound(tx: Transaction, writesMax: number): CountRound {
  const share = Math.ceil(tx.db.countsLater.countBut(tx.writtenSlices) / COMMITS_A_ROUND);
  const untilEpoch = tx.epoch + SLICES;
  const round = { untilEpoch, writesMax: Math.max(writesMax, share), openFrom: findOpenFrom(tx) };
  tx.round = round;
  tx.hasBegunRound = true;
  return round;
}

/** The mark moves with the round's end: until then counts that are not written yet may belong to events before it. */
function goOn(tx: Transaction, round: CountRound): void {
  writeSlices(tx, round);
  if (tx.epoch < round.untilEpoch) return saveMarks(tx);
  tx.round = null;
  moveMark(tx, round.openFrom);
}

/** One at least, and then as many as the commit may write. */
function writeSlices(tx: Transaction, { untilEpoch, writesMax }: CountRound): void {
  const slices = new Set<number>();
  for (let writes = 0; tx.epoch < untilEpoch; tx.epoch += 1) {
    const slice = tx.epoch % SLICES;
    const size = tx.writtenSlices.has(slice) ? 0 : tx.db.countsLater.of(slice).size;
    writes += size;
    if (size > 0 && slices.size > 0 && writes > writesMax) break;
    slices.add(slice);
  }
  for (const slice of slices) {
    if (!tx.writtenSlices.has(slice)) addCounts(tx.counts, tx.db.countsLater.of(slice).values());
    tx.writtenSlices.add(slice);
  }
  addCounts(
    tx.counts,
    tx.countsLater.take((id) => slices.has(sliceOf(id))),
  );
}

const findOpenFrom = (tx: Transaction): number => tx.open.first()?.eventSeq ?? tx.nextEventSeq;

function moveMark(tx: Transaction, openFrom: number): void {
  tx.openFrom = openFrom;
  tx.hasMovedMark = true;
  saveMarks(tx);
}

const saveMarks = ({ db, openFrom, epoch }: Transaction): void => void db.run(SAVE_MARKS, openFrom, epoch);

/** Before old counts are joined and dropped: those of open epochs, and those of other calls of this transaction. */
export function writeAllCounts(tx: Transaction): void {
  endEpochs(tx);
  flushCounts(tx);
}

/** For the start: behind every event that there was, also behind those that are purged. */
export function findNextEventSeq(tx: Transaction, { openFrom, answersFrom, keysFrom }: PathMarks): number {
  const newest = tx.db.get<{ seq: number | null }>(FIND_NEWEST_EVENT)?.seq ?? 0;
  return Math.max(newest + 1, openFrom, answersFrom, keysFrom);
}

/** For the start: counts the rows whose slice the dead process had not written. */
export function recount(tx: Transaction, marks: PathMarks): void {
  const { openFrom, epoch, slices } = marks;
  for (const found of tx.db.all<UncountedRow>(LIST_NEWLY_COUNTED, openFrom, epoch - slices)) {
    if (isWritten(found, marks)) continue;
    const { atMs, outcome, status, totalMs, ...row } = found;
    const gist = { number: 1, startedAtMs: atMs, outcome, status, totalMs };
    noteCounts(tx.countsLater, { ...row, gist, next: { state: row.state } });
  }
  // Also where nothing is to be counted: the epochs go by another number of slices, maybe.
  writeWholeRound(tx);
}

/** After the commit. */
export function keepCounts(tx: Transaction): void {
  const { db } = tx;
  for (const slice of tx.writtenSlices) db.countsLater.of(slice).clear();
  db.countsLater.add(tx.countsLater.values());
  const countedFromMs = tx.hasBegunRound ? null : db.countedFromMs;
  db.countedFromMs = countedFromMs ?? (tx.countsLater.size > 0 ? tx.countedAtMs : null);
  db.epoch = tx.epoch;
  db.round = tx.round;
  db.openFrom = tx.openFrom;
  db.acceptedSinceMark = tx.hasMovedMark ? 0 : db.acceptedSinceMark + tx.accepted;
}

interface UncountedRow
  extends
    Pick<SettledAttempt, "accountId" | "destinationId" | "acceptedAtMs">,
    Pick<AttemptGist, "outcome" | "status" | "totalMs"> {
  readonly atMs: number;
  readonly state: "delivered" | "failed" | "cancelled";
  readonly epoch: number;
}

const FIND_MARKS = `-- name: find marks of the path
  select open_from as "openFrom", epoch, slices, answers_from as "answersFrom", keys_from as "keysFrom"
  from path_marks`;

const SAVE_MARKS = `-- name: save marks of the path
  update path_marks
  set open_from = ?, epoch = ?, slices = ${SLICES}`;

const FIND_NEWEST_EVENT = `-- name: find newest event
  select max(seq) as seq
  from events`;

const LIST_NEWLY_COUNTED = `-- name: list deliveries that may have been counted in memory only
  select d.account_id as "accountId", d.destination_id as "destinationId", d.created_at as "acceptedAtMs",
    d.attempted_at as "atMs", d.last_outcome as outcome, d.last_status as status, d.last_ms as "totalMs", d.state,
    d.epoch
  from events e
  cross join json_each(e.deliveries) n
  join deliveries d on d.id = n.key
  where e.seq >= ? and d.epoch > ?`;

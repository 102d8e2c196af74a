/** The steps of erasing a person (`../sql/people/erase.ts`) that SQLite takes in its own way. */
import type { AttemptRecord } from "../../domain/attempt.ts";
import type { ErasePerson } from "../contract/people.ts";
import type { AttemptOfEvent, EraseSteps } from "../sql/dialect.ts";
import { loadAttempts, packAttempt } from "./attempts.ts";
import { BUSY_TIMEOUT_MS, type Connection } from "./connection/connection.ts";
import { isStorageFailure } from "./failures.ts";
import { writeExpired } from "./path/pending-rows.ts";
import type { Transaction } from "./transaction.ts";

/** Expired claims are nobody's: their deliveries get rows, and are cancelled like others that wait. */
function beginErasing(tx: Transaction, { nowMs }: ErasePerson): void {
  // Otherwise only bytes within pages that are written anyway become zeros, and not pages that become free.
  tx.db.exec("pragma secure_delete = on");
  tx.db.erasing = "step";
  writeExpired(tx, nowMs);
}

/** What is left of it in the file is as large as others' events make it, and goes in steps that their commits share. */
function endErasing(tx: Transaction, step: number): boolean {
  if (!mergeWords(tx.db, step) || !fillFree(tx.db)) return false;
  tx.db.erasing = "end";
  return true;
}

/** Each page takes 0.2 ms (measured), and is written at the commit. */
const PAGES_OF_STEP = 64;
const PAGES_AT_ONCE = 32;

/**
 * Deleted words of search stay in the segments that had them until these are merged. The first step begins with all
 * segments; what comes later has none of them. False: there is more to merge.
 */
function mergeWords(db: Connection, step: number): boolean {
  for (let pages = 0; pages < PAGES_OF_STEP; pages += PAGES_AT_ONCE) {
    const before = countChanges(db);
    db.run(MERGE_WORDS, step === 0 && pages === 0 ? -PAGES_AT_ONCE : PAGES_AT_ONCE);
    // SQLite's documents: less than two is a merge that found nothing to do.
    if (countChanges(db) - before < 2) return true;
  }
  return false;
}

const countChanges = (db: Connection): number => db.get<{ changes: number }>(COUNT_CHANGES)?.changes ?? 0;

/** Those that became free last come first. */
const FILLERS_MAX = 64;
const FILLERS_OF_STEP = 2;
const FILLER_BYTES = 1024 * 1024;

/**
 * Pages that became free before, as where an answer moved from one row to another, are filled with zeros, 64 MiB of
 * them. The table that holds them stays between the steps; one that a crash left is filled on. False: there are more.
 */
function fillFree(db: Connection): boolean {
  const free = db.get<{ bytes: number }>(FIND_FREE)?.bytes ?? 0;
  if (free > 0) {
    db.exec(MAKE_FILLER);
    const made = db.get<{ count: number }>(COUNT_FILLERS)?.count ?? 0;
    const most = Math.min(FILLERS_OF_STEP, FILLERS_MAX - made) * FILLER_BYTES;
    for (let left = Math.min(free, most); left > 0; left -= FILLER_BYTES) db.run(FILL, Math.min(left, FILLER_BYTES));
    if (free > most && most > 0) return false;
  }
  // It has nothing but zeros.
  db.exec("pragma secure_delete = fast");
  db.exec(DROP_FILLER);
  return true;
}

/** Once a step is committed. At the end the log is cut off, which has bytes of all steps. */
export function scrub(db: Connection): void {
  const isEnd = db.erasing === "end";
  db.erasing = "no";
  db.exec("pragma secure_delete = fast");
  if (isEnd) cutOffLog(db);
}

/**
 * Waits for nobody, as a program that copies the log reads nearly always. Where somebody reads or copies it just now,
 * it is left to the next try.
 */
export function cutOffLog(db: Connection): void {
  db.exec("pragma busy_timeout = 0");
  try {
    db.cutsOffLog = db.get<{ busy: number }>("pragma wal_checkpoint(truncate)")?.busy !== 0;
  } catch (error) {
    // The other program copies the log at this moment, or the disk fails. The erasure is committed.
    db.cutsOffLog = true;
    if (!isStorageFailure(error)) throw error;
  } finally {
    db.exec(`pragma busy_timeout = ${BUSY_TIMEOUT_MS}`);
  }
}

interface Row {
  readonly id: string;
  readonly destinationId: string | null;
  readonly isWaiting: 0 | 1 | null;
  readonly isClaimed: 0 | 1 | null;
}

function holdDeliveriesOf(tx: Transaction, eventId: string, nowMs: number): readonly Row[] | null {
  const rows = tx.db.all<Row>(LIST_DELIVERIES, nowMs, eventId);
  const isInHand = rows.some(({ id, isClaimed }) => isClaimed === 1 || tx.inMemory.find(id) !== null);
  return isInHand ? null : rows.filter(({ isWaiting }) => isWaiting !== null);
}

const listAttempts = (tx: Transaction, eventIds: readonly string[]): AttemptOfEvent[] =>
  tx.db
    .all<Omit<AttemptOfEvent, "attempt">>(LIST_NAMES, JSON.stringify(eventIds))
    .flatMap((names) => loadAttempts(tx, names.deliveryId).map((attempt) => ({ ...names, attempt })));

function emptyAttempt(tx: Transaction, deliveryId: string, attempt: AttemptRecord): void {
  const [number, , , , , detail] = packAttempt(attempt);
  const isInRow = tx.db.run(EMPTY_FIRST_ATTEMPT, detail, deliveryId) > 0;
  if (!isInRow) tx.db.run(EMPTY_ATTEMPT, detail, deliveryId, number);
}

/** Events of tests are in no list, and so in no index: their deliveries lead to them. */
const LIST_TESTS = `-- name: list next events of tests to erase from
  select e.id, octet_length(e.body) as bytes
  from events e
  where e.source_id is null and e.id > $2
    and e.seq in (select d.event_seq from deliveries d where d.account_id = $1 and d.is_test = 1)
  order by e.id
  limit $3`;

export const ERASE_STEPS: EraseSteps<Transaction> = {
  beginErasing,
  holdDeliveriesOf,
  listAttempts,
  emptyAttempt,
  endErasing,
  listTests: LIST_TESTS,
};

const MERGE_WORDS = `-- name: merge words of search without deleted ones
  insert into search_words (search_words, rank) values ('merge', ?)`;

const COUNT_CHANGES = `-- name: count changes of connection
  select total_changes() as changes`;

const FIND_FREE = `-- name: measure free pages
  select f.freelist_count * p.page_size as bytes
  from pragma_freelist_count f, pragma_page_size p`;

const MAKE_FILLER = `-- name: make table of zeros
  create table if not exists erasing_filler (zeros blob) strict`;

const COUNT_FILLERS = `-- name: count rows of zeros
  select count(*) as count
  from erasing_filler`;

const FILL = `-- name: fill free pages with zeros
  insert into erasing_filler (zeros)
  values (zeroblob(?))`;

const DROP_FILLER = `-- name: drop table of zeros
  drop table if exists erasing_filler`;

/** An event names its deliveries; one without a row is in memory, or was deleted. */
const LIST_DELIVERIES = `-- name: list deliveries of event to erase
  select n.key as id, d.destination_id as "destinationId", d.state = 'pending' as "isWaiting",
    d.state = 'pending' and d.claim_token is not null and d.due_at > ? as "isClaimed"
  from events e
  cross join json_each(e.deliveries) n
  left join deliveries d on d.id = n.key
  where e.id = ?`;

const LIST_NAMES = `-- name: list names of deliveries to erase from
  select e.id as "eventId", n.key as "deliveryId"
  from json_each(?) given
  cross join events e on e.id = given.value
  cross join json_each(e.deliveries) n`;

const EMPTY_FIRST_ATTEMPT = `-- name: empty attempt in delivery
  update deliveries
  set attempt_detail = ?, answer_headers = null, answer_body = null
  where id = ? and attempted_at is not null`;

const EMPTY_ATTEMPT = `-- name: empty attempt
  update attempts
  set detail = ?, response_headers = null, response_body = null
  where delivery_id = ? and number = ?`;

/** The steps of erasing a person (`../sql/people/erase.ts`) that SQLite takes in its own way. */
import type { AttemptRecord } from "../../domain/attempt.ts";
import type { ErasePerson } from "../contract/people.ts";
import type { AttemptOfEvent, EraseSteps } from "../sql/dialect.ts";
import { loadAttempts, packAttempt } from "./attempts.ts";
import { BUSY_TIMEOUT_MS, type Connection } from "./connection/connection.ts";
import { isBusy } from "./failures.ts";
import { writeExpired } from "./path/pending-rows.ts";
import type { Transaction } from "./transaction.ts";

/** Expired claims are nobody's: their deliveries get rows, and are cancelled like others that wait. */
function beginErasing(tx: Transaction, { nowMs }: ErasePerson): void {
  // Otherwise only bytes within pages that are written anyway become zeros, and not pages that become free.
  tx.db.exec("pragma secure_delete = on");
  tx.db.isErasing = true;
  writeExpired(tx, nowMs);
}

/** Pages that became free before, as where an answer moved from one row to another, and deleted words of search. */
function endErasing(tx: Transaction): void {
  tx.db.exec(MERGE_WORDS);
  const free = tx.db.get<{ bytes: number }>(FIND_FREE)?.bytes ?? 0;
  if (free === 0) return;
  tx.db.exec(MAKE_FILLER);
  for (let left = Math.min(free, FREE_BYTES_MAX); left > 0; left -= FILLER_BYTES) {
    tx.db.run(FILL, Math.min(left, FILLER_BYTES));
  }
  tx.db.exec(DROP_FILLER);
}

/** They are filled with zeros in one transaction; those that became free last come first. */
const FREE_BYTES_MAX = 64 * 1024 * 1024;
const FILLER_BYTES = 1024 * 1024;

/**
 * Once it is committed: waits for nobody, as a program that copies the log reads nearly always. Where somebody reads
 * just now, a later one cuts the log off.
 */
export function scrub(db: Connection): void {
  db.isErasing = false;
  db.exec("pragma secure_delete = fast");
  db.exec("pragma busy_timeout = 0");
  try {
    db.exec("pragma wal_checkpoint(truncate)");
  } catch (error) {
    // The other program copies the log at this moment. The erasure is committed.
    if (!isBusy(error)) throw error;
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
  insert into search_words (search_words) values ('optimize')`;

const FIND_FREE = `-- name: measure free pages
  select f.freelist_count * p.page_size as bytes
  from pragma_freelist_count f, pragma_page_size p`;

const MAKE_FILLER = `-- name: make table of zeros
  create table erasing_filler (zeros blob) strict`;

const FILL = `-- name: fill free pages with zeros
  insert into erasing_filler (zeros)
  values (zeroblob(?))`;

const DROP_FILLER = `-- name: drop table of zeros
  drop table erasing_filler`;

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

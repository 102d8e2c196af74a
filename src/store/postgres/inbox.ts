/**
 * The inbox, which the product fills inside its own transactions (see `schema/0001-schema.sql`). A claim is a
 * visibility time, as it is for deliveries: what a node took and did not finish becomes due again by itself. Records
 * that could not become events are stored with their reason until retention takes them.
 *
 * Invariant: a row goes only in the transaction that accepts its event, that finds the event accepted already, that
 * stores it as refused, or that erases the person it is about (`erase.ts`).
 */
import { type Problem, problem, type ProblemCode } from "../../domain/problem.ts";
import type {
  ClaimedInboxRecords,
  ClaimInboxRecords,
  InboxCounts,
  InboxRecord,
  ListRefusedRecords,
  RefuseInboxRecords,
  ReleaseInboxRecords,
  StoredRefusedRecord,
} from "../contract/inbox.ts";
import type { Purge } from "../contract/log.ts";
import type { NewEvent } from "../contract/path.ts";
import { COUNTED_MAX } from "./path/statistics.ts";
import { commit, type Database, type Transaction } from "./transaction.ts";

/** Asked before each claim: most polls find nothing, and a claim is a whole transaction. A kept plan will do. */
export const hasDueRecords = async ({ db }: Pick<Transaction, "db">, nowMs: number): Promise<boolean> =>
  (await db.get(FIND_DUE_RECORD, nowMs)) !== undefined;

export async function claimInboxRecords(tx: Transaction, params: ClaimInboxRecords): Promise<ClaimedInboxRecords> {
  const { nowMs, claim, recordsMax, bytesMax } = params;
  const rows = await tx.db.all<ClaimedRow>(CLAIM_RECORDS, nowMs, recordsMax, bytesMax, claim.untilMs, claim.token);
  const records = rows.map(toInboxRecord).toSorted((one, other) => one.seq - other.seq);
  const dueCount = rows[0]?.dueCount ?? 0;
  return { records, hasMore: dueCount > records.length || dueCount === recordsMax };
}

interface ClaimedRow extends InboxRecord {
  /** How many were due, up to `recordsMax`. */
  readonly dueCount: number;
}

const toInboxRecord = ({ seq, accountId, type, record, emittedAtMs, tries }: ClaimedRow): InboxRecord => ({
  seq,
  accountId,
  type,
  record,
  emittedAtMs,
  tries,
});

export async function releaseInboxRecordsIfClaimed(
  tx: Transaction,
  { claimToken, records, isTry }: ReleaseInboxRecords,
): Promise<{ released: number }> {
  if (records.length === 0) return { released: 0 };
  const seqs = records.map(({ seq }) => seq);
  const dueTimes = records.map(({ dueAtMs }) => dueAtMs);
  return { released: await tx.db.run(RELEASE_RECORDS, seqs, dueTimes, claimToken, isTry ? 0 : 1) };
}

export async function refuseInboxRecordsIfClaimed(
  tx: Transaction,
  { claimToken, nowMs, refusals }: RefuseInboxRecords,
): Promise<{ refused: number }> {
  if (refusals.length === 0) return { refused: 0 };
  const refused = await tx.db.run(
    REFUSE_RECORDS,
    refusals.map(({ seq }) => seq),
    refusals.map(({ problem: { code } }) => code),
    refusals.map(({ problem: { detail } }) => detail),
    refusals.map(({ problem: { errors = [] } }) => JSON.stringify(errors)),
    claimToken,
    nowMs,
  );
  return { refused };
}

/**
 * Holds the records of these events until the commit, and returns the numbers of those that are not there any more:
 * another node has accepted them, or their person was erased. A claim is not asked for: one that another node has
 * refused meanwhile becomes an event all the same, as long as it says what it was.
 */
export async function findGone(tx: Pick<Transaction, "db">, seqs: readonly number[]): Promise<ReadonlySet<number>> {
  const gone = new Set(seqs);
  for (const sql of [HOLD_RECORDS, HOLD_REFUSED]) {
    if (gone.size === 0) break;
    for (const { seq } of await tx.db.all<{ seq: number }>(sql, [...gone])) gone.delete(seq);
  }
  return gone;
}

export const seqsOf = (events: readonly Pick<NewEvent, "inboxSeq">[]): number[] =>
  events.flatMap(({ inboxSeq }) => inboxSeq ?? []);

/** The end of the inbox's rows whose records have become these events, now or before. */
export function removeAccepted(tx: Transaction, events: readonly NewEvent[]): void {
  const seqs = seqsOf(events);
  if (seqs.length === 0) return;
  tx.planAnew();
  tx.later(tx.db.run(REMOVE_ACCEPTED, seqs));
}

export interface FromInbox<Value> {
  readonly value: Value;
  /** Records that have become events. */
  readonly accepted: readonly number[];
}

/** Of events that are accepted in another shard: their records are held here meanwhile. */
export const acceptElsewhere = <Value>(
  database: Database,
  seqs: readonly number[],
  work: (gone: ReadonlySet<number>) => Promise<FromInbox<Value>>,
): Promise<Value> =>
  commit(database, "nothing", async (tx) => {
    const { value, accepted } = await work(await findGone(tx, seqs));
    await tx.db.run(REMOVE_ACCEPTED, accepted);
    return value;
  });

export async function countInbox(
  tx: Transaction,
  { refusedFromMs }: { readonly refusedFromMs: number },
): Promise<InboxCounts> {
  const counts = await tx.db.get<InboxCounts & { estimate: number }>(COUNT_INBOX, refusedFromMs, COUNTED_MAX);
  if (counts === undefined) return { waiting: 0, oldestEmittedAtMs: null, refused: 0 };
  const { estimate, ...exact } = counts;
  return exact.waiting < COUNTED_MAX ? exact : { ...exact, waiting: Math.max(exact.waiting, estimate) };
}

const FIND_DUE_RECORD = `-- name: find due record of inbox
  select 1
  from inbox
  where due_at <= $1
  limit 1`;

/**
 * Exported for the test that reads its plan. Rows that another node is just claiming are skipped, so that nodes share
 * the work. The first row is always taken; others only beside one that is, like them, claimed for the first time.
 */
export const CLAIM_RECORDS = `-- name: claim due records of inbox
  with due as materialized (
    select seq, due_at, tries, octet_length(record) as bytes
    from inbox
    where due_at <= $1
    order by due_at, seq
    limit $2
    for update skip locked
  ), ranked as (
    select seq, tries, row_number() over walk as place, first_value(tries) over walk as first_tries,
      sum(bytes) over walk as bytes_so_far
    from due
    window walk as (order by due_at, seq)
  )
  update inbox i
  set due_at = $4, claim_token = $5, tries = i.tries + 1
  from ranked r
  where i.seq = r.seq and (r.place = 1 or r.first_tries = 0 and r.tries = 0 and r.bytes_so_far <= $3)
  returning i.seq, i.account_id as "accountId", i.type, i.record, i.emitted_at as "emittedAtMs", i.tries,
    (select count(1) from due) as "dueCount"`;

const RELEASE_RECORDS = `-- name: give back records of inbox if claimed
  update inbox i
  set due_at = given.due_at, claim_token = null, tries = i.tries - $4
  from unnest($1::bigint[], $2::bigint[]) as given (seq, due_at)
  where i.seq = given.seq and i.claim_token = $3`;

const REFUSE_RECORDS = `-- name: keep records of inbox as refused if claimed
  with gone as (
    delete from inbox i
    using unnest($1::bigint[], $2::text[], $3::text[], $4::text[]) as given (seq, code, detail, errors)
    where i.seq = given.seq and i.claim_token = $5
    returning i.seq, i.account_id, i.type, i.record, i.emitted_at, given.code, given.detail, given.errors
  )
  insert into refused_records (seq, account_id, type, record, emitted_at, refused_at, code, detail, errors)
  select seq, account_id, type, record, emitted_at, $6, code, detail, errors
  from gone`;

const HOLD_RECORDS = `-- name: hold records of inbox that are accepted
  select seq
  from inbox
  where seq = any ($1::bigint[])
  order by seq
  for update`;

const HOLD_REFUSED = `-- name: hold refused records that are accepted
  select seq
  from refused_records
  where seq = any ($1::bigint[]) and record <> ''
  order by seq
  for update`;

const REMOVE_ACCEPTED = `-- name: remove accepted records from inbox
  with gone as (
    delete from inbox
    where seq = any ($1::bigint[])
  )
  delete from refused_records
  where seq = any ($1::bigint[])`;

/**
 * Up to `COUNTED_MAX` are counted one by one; above it the planner's own figure is near enough. The oldest is the first
 * by its number, to within a transaction that is still open. Exported for the test that reads its plan.
 */
export const COUNT_INBOX = `-- name: count records of inbox
  select counted.waiting, (select emitted_at from inbox order by seq limit 1) as "oldestEmittedAtMs",
    (select count(1) from refused_records where refused_at >= $1) as refused,
    (select reltuples::bigint from pg_class where oid = 'inbox'::regclass) as estimate
  from (select count(1) as waiting from (select 1 from inbox limit $2) first_ones) counted`;

export async function listRefusedRecords(
  tx: Transaction,
  { accountId, before, limit, recordCharsMax }: ListRefusedRecords,
): Promise<StoredRefusedRecord[]> {
  const beforeSeq = before?.seq ?? Number.MAX_SAFE_INTEGER;
  const rows = await tx.db.all<RefusedRow>(LIST_REFUSED, accountId, beforeSeq, limit, recordCharsMax);
  return rows.map(({ code, detail, errors, ...rest }) => ({ ...rest, problem: toProblem(code, detail, errors) }));
}

interface RefusedRow extends Omit<StoredRefusedRecord, "problem"> {
  readonly code: ProblemCode;
  readonly detail: string;
  readonly errors: string;
}

function toProblem(code: ProblemCode, detail: string, errorsText: string): Problem {
  const errors = JSON.parse(errorsText) as NonNullable<Problem["errors"]>;
  return problem(code, detail, errors.length === 0 ? undefined : errors);
}

/** First the records, which are payloads, then the rows. Changes at most `rowsMax` of them and returns how many. */
export async function purgeRefusedRecords(
  tx: Transaction,
  { payloadsBeforeMs, rowsBeforeMs }: Purge,
  rowsMax: number,
): Promise<number> {
  const emptied = await tx.db.run(EMPTY_REFUSED, payloadsBeforeMs, rowsMax);
  return emptied + (await tx.db.run(DELETE_REFUSED, rowsBeforeMs, rowsMax - emptied));
}

/** Exported for the test that reads its plan, like the next ones. */
export const LIST_REFUSED = `-- name: list newest refused records of account
  select seq, type, nullif(left(record, $4), '') as record, length(record) > $4 as "isRecordCut",
    emitted_at as "emittedAtMs", refused_at as "refusedAtMs", code, detail, errors
  from refused_records
  where account_id = $1 and seq < $2
  order by seq desc
  limit $3`;

export const EMPTY_REFUSED = `-- name: purge payloads of refused records
  with old as materialized (
    select seq
    from refused_records
    where record <> '' and refused_at < $1
    order by refused_at
    limit $2
  )
  update refused_records r
  set record = ''
  from old
  where r.seq = old.seq`;

export const DELETE_REFUSED = `-- name: delete old refused records
  with old as materialized (
    select seq
    from refused_records
    where refused_at < $1
    order by refused_at
    limit $2
  )
  delete from refused_records r
  using old
  where r.seq = old.seq`;

/** The steps of erasing a person (`../sql/people/erase.ts`) that PostgreSQL takes in its own way, and its inbox. */
import type { AttemptRecord } from "../../domain/attempt.ts";
import { createMentions } from "../../domain/mentions.ts";
import type { ErasedFromInbox, EraseFromInbox } from "../contract/inbox.ts";
import type { AttemptOfEvent, EraseSteps, HeldDelivery } from "../sql/dialect.ts";
import { packAttempt } from "./attempts.ts";
import { byDay, findDeliveryIds, isInDays, toPlaceholders, toRanges } from "./days.ts";
import { listAllAttempts } from "./path/settle-in-memory.ts";
import type { Transaction } from "./transaction.ts";

/** Waits for a node that is taking events into search: it has read what is to go. */
async function beginErasing(tx: Transaction): Promise<void> {
  await tx.fenced;
  await tx.db.get(LOCK_CURSOR);
}

interface Row extends HeldDelivery {
  readonly isClaimed: boolean;
}

async function holdDeliveriesOf(
  tx: Transaction,
  eventId: string,
  nowMs: number,
): Promise<readonly HeldDelivery[] | null> {
  const days = toPlaceholders(findDeliveryIds(eventId));
  const rows = await tx.db.all<Row>(LIST_DELIVERIES, eventId, nowMs, ...days);
  const names = await tx.db.get<{ inMemory: string | null }>(FIND_IN_MEMORY, eventId);
  const named = (names?.inMemory ?? "").split("\n").map((line) => line.split(" ")[0] ?? "");
  const ids = new Set(rows.map(({ id }) => id));
  if (rows.some(({ isClaimed }) => isClaimed) || named.some((id) => id !== "" && !ids.has(id))) return null;
  const waiting = rows.filter(({ isWaiting }) => isWaiting).map(({ id }) => id);
  // One that is claimed or settled just now is locked, or not there any more.
  const locked = waiting.length === 0 ? [] : await tx.db.all(LOCK_WAITING, waiting, nowMs);
  return locked.length === waiting.length ? rows : null;
}

async function listAttempts(tx: Transaction, eventIds: readonly string[]): Promise<AttemptOfEvent[]> {
  const lists = byDay(eventIds).map(async ({ ids, day }) => {
    const rows = await tx.db.all<Names>(LIST_NAMES, ids, ...toRanges(ids), ...toPlaceholders(day));
    const eventIdBy = new Map(rows.map(({ deliveryId, eventId }) => [deliveryId, eventId]));
    const attempts = eventIdBy.size === 0 ? [] : await listAllAttempts(tx, [...eventIdBy.keys()]);
    return attempts.map((made) => ({ ...made, eventId: eventIdBy.get(made.deliveryId) ?? "" }));
  });
  return (await Promise.all(lists)).flat();
}

type Names = Omit<AttemptOfEvent, "attempt">;

async function emptyAttempt(tx: Transaction, deliveryId: string, attempt: AttemptRecord): Promise<void> {
  const { url, request_headers: headers, error_message: message = null, sent = null, number } = packAttempt(attempt);
  const isInRow = (await tx.db.run(EMPTY_FIRST_ATTEMPT, deliveryId, url, headers, message, sent)) > 0;
  if (!isInRow) await tx.db.run(EMPTY_ATTEMPT, deliveryId, url, headers, message, sent, number);
}

/**
 * Events of tests are in no list, and so in no index: their deliveries lead to each of them. Exported for the test that
 * reads its plan.
 */
export const LIST_TESTS = `-- name: list next events of tests to erase from
  with tested as materialized (
    select distinct d.event_id as id
    from deliveries d
    where d.account_id = $1 and d.is_test and d.event_id > $2
    order by id
    limit $3
  )
  select t.id, coalesce(octet_length(e.body), 0) as bytes
  from tested t
  left join lateral (select body from events where events.id = t.id limit 1) e on true
  order by t.id`;

export const ERASE_STEPS: EraseSteps<Transaction> = {
  beginErasing,
  holdDeliveriesOf,
  listAttempts,
  emptyAttempt,
  listTests: LIST_TESTS,
  // Rows that are dead here go with the server's next vacuum.
  endErasing: () => true,
};

/**
 * Records that wait are taken out: no event comes of them. One that a node has in hand is left, because its event may
 * come in a moment. Of refused ones their row stays, as after retention; they come last, since one that waits may
 * become one meanwhile.
 */
export async function eraseFromInbox(
  tx: Transaction,
  { accountId, email, after, recordsMax, nowMs }: EraseFromInbox,
): Promise<ErasedFromInbox> {
  const mentions = createMentions(email);
  const waiting = await tx.db.all<InboxRow>(LIST_WAITING, after.waiting, recordsMax);
  const own = waiting.filter((row) => row.accountId === accountId && mentions(row.record));
  const deleted = own.length === 0 ? 0 : await tx.db.run(DELETE_WAITING, seqsOf(own), nowMs);
  const part = { waiting: deleted, refused: 0, inFlight: own.length - deleted };
  const next = { ...after, waiting: waiting.at(-1)?.seq ?? after.waiting };
  if (waiting.length === recordsMax) return { ...part, next };
  const refused = await tx.db.all<RefusedRow>(LIST_REFUSED, accountId, after.refused, recordsMax);
  const found = refused.filter(({ record, detail, errors }) => [record, detail, errors].some(mentions));
  if (found.length > 0) part.refused = await tx.db.run(EMPTY_REFUSED, seqsOf(found));
  const isAtEnd = refused.length < recordsMax;
  return { ...part, next: isAtEnd ? null : { ...next, refused: refused.at(-1)?.seq ?? after.refused } };
}

interface InboxRow {
  readonly seq: number;
  readonly accountId: string;
  readonly record: string;
}

interface RefusedRow {
  readonly seq: number;
  readonly record: string;
  readonly detail: string;
  readonly errors: string;
}

const seqsOf = (rows: readonly { readonly seq: number }[]): number[] => rows.map(({ seq }) => seq);

const LOCK_CURSOR = `-- name: lock cursor of search to erase
  select 1
  from search_cursors
  where id = 1
  for update`;

const LIST_DELIVERIES = `-- name: list deliveries of event to erase
  select d.id, d.destination_id as "destinationId", d.state = 'pending' as "isWaiting",
    d.state = 'pending' and d.claim_token is not null and d.due_at > $2 as "isClaimed"
  from deliveries d
  where d.event_id = $1 and ${isInDays("d", 3)}`;

const FIND_IN_MEMORY = `-- name: find names of deliveries in memory
  select in_memory as "inMemory"
  from events
  where id = $1`;

const LOCK_WAITING = `-- name: lock what waits to erase
  select d.id
  from deliveries d
  where d.id = any ($1::text[]) and d.state = 'pending' and not d.is_ended
    and (d.claim_token is null or d.due_at <= $2)
  for no key update skip locked`;

/** Exported for the test that reads its plan. */
export const LIST_NAMES = `-- name: list names of deliveries to erase from
  select named.id as "deliveryId", given.event_id as "eventId"
  from unnest($1::text[], $2::text[], $3::text[]) as given (event_id, first, behind)
  cross join lateral (
    select d.id
    from deliveries d
    where d.event_id = given.event_id and d.id >= given.first and d.id < given.behind and ${isInDays("d", 4)}
    offset 0
  ) named`;

const EMPTIED = `url = $2, request_headers = $3, error_message = $4, sent = $5, response_headers = null,
    response_body = null`;

const EMPTY_FIRST_ATTEMPT = `-- name: empty attempt in delivery
  update deliveries d
  set ${EMPTIED}
  where d.id = $1 and d.is_ended and d.started_at is not null`;

const EMPTY_ATTEMPT = `-- name: empty attempt
  update attempts a
  set ${EMPTIED}
  where a.delivery_id = $1 and a.number = $6`;

const LIST_WAITING = `-- name: list records of inbox to erase from
  select seq, account_id as "accountId", record
  from inbox
  where seq > $1
  order by seq
  limit $2`;

const LIST_REFUSED = `-- name: list refused records to erase from
  select seq, record, detail, errors
  from refused_records
  where account_id = $1 and seq > $2
  order by seq
  limit $3`;

const DELETE_WAITING = `-- name: delete erased records of inbox
  delete from inbox
  where seq = any ($1::bigint[]) and (claim_token is null or due_at <= $2)`;

const EMPTY_REFUSED = `-- name: empty erased refused records
  update refused_records
  set record = '', detail = '', errors = '[]'
  where seq = any ($1::bigint[])`;

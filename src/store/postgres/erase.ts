/** The steps of erasing a person (`../sql/people/erase.ts`) that PostgreSQL takes in its own way, and its inbox. */
import { createMentions } from "../../domain/mentions.ts";
import type { ErasedFromInbox, EraseFromInbox } from "../contract/inbox.ts";
import { listTests } from "../sql/people/erase.ts";
import type { EraseSteps, HeldDelivery } from "../sql/dialect.ts";
import { findDeliveryIds, isInDays, spanOf, toPlaceholders } from "./days.ts";
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

async function eraseAnswers(tx: Transaction, deliveryIds: readonly string[]): Promise<number> {
  const first = await tx.db.run(ERASE_FIRST_ANSWERS, deliveryIds, ...toPlaceholders(spanOf(deliveryIds)));
  return first + (await tx.db.run(ERASE_ANSWERS, deliveryIds));
}

export const ERASE_STEPS: EraseSteps<Transaction> = {
  beginErasing,
  holdDeliveriesOf,
  eraseAnswers,
  listTests: listTests("id", "is_test"),
  // Rows that are dead here go with the server's next vacuum.
  endErasing: () => {},
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

const ERASE_FIRST_ANSWERS = `-- name: erase answers in deliveries
  update deliveries d
  set response_headers = null, response_body = null
  where d.id = any ($1::text[]) and d.response_headers is not null and d.is_ended and ${isInDays("d", 2)}`;

const ERASE_ANSWERS = `-- name: erase answers of attempts
  update attempts a
  set response_headers = null, response_body = null
  where a.delivery_id = any ($1::text[]) and a.response_headers is not null`;

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

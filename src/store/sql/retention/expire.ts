/**
 * The end of waiting: a delivery whose destination is not on, is asked by nobody, or gets one at a time, is cancelled
 * when it has been due for too long. By due time and not by birth: it is the queue's own order, so a step reads only
 * what goes, and one that somebody has resent gets its full time again.
 */
import { SYSTEM_ACTOR } from "../../../domain/destination-now.ts";
import type { CancelWaiting } from "../../contract/destinations.ts";
import type { Dialect } from "../dialect.ts";
import type { ChangeSteps } from "../path/destinations.ts";
import { ORDERED } from "../path/order-rows.ts";
import { changeLeftOver, deleteSome } from "../set-up/account-states.ts";
import type { SqlTransaction } from "../transaction.ts";

type CancelSteps<Tx extends SqlTransaction> = Pick<Dialect<Tx>, "cancelDeliveries" | "shortenQueue">;
type QueueSteps<Tx extends SqlTransaction> = CancelSteps<Tx> & Pick<Dialect<Tx>, "writeExpired">;

interface ExpireWaiting {
  readonly nowMs: number;
  readonly dueBeforeMs: number;
  readonly rowsMax: number;
}

/** Of each kind. Their rows are locked meanwhile: 500 with one delivery each took 1.4 s on PostgreSQL. */
const DESTINATIONS_AT_ONCE = 50;

export async function expireWaiting<Tx extends SqlTransaction>(
  tx: Tx,
  { nowMs, dueBeforeMs, rowsMax }: ExpireWaiting,
  dialect: QueueSteps<Tx> & ChangeSteps<Tx>,
): Promise<{ expired: number }> {
  // A step of its own: nothing is locked behind an account's row.
  if (await changeLeftOver(tx, nowMs, dialect)) return { expired: 1 };
  if (await deleteLeftOver(tx, nowMs, dialect)) return { expired: 1 };
  await dialect.writeExpired(tx, nowMs);
  let left = rowsMax - (await cancelOfDeleted(tx, { nowMs, rowsMax }, dialect));
  const shut = await tx.db.all<IdRow>(LIST_SHUT, dueBeforeMs, DESTINATIONS_AT_ONCE);
  const asked = await tx.db.all<IdRow>(LIST_ASKED, dueBeforeMs, DESTINATIONS_AT_ONCE);
  const ordered = await tx.db.all<IdRow>(LIST_ORDERED, dueBeforeMs, DESTINATIONS_AT_ONCE);
  for (const { id } of [...shut, ...asked, ...ordered]) {
    if (left === 0) break;
    const waiting = await tx.db.all<IdRow>(LOCK_OVERDUE, id, dueBeforeMs, left);
    const expired = await dialect.cancelDeliveries(tx, idsOf(waiting), nowMs);
    // Also when nothing was cancelled: then the bound was too low and would bring us here again.
    await dialect.shortenQueue(tx, id, expired);
    left -= expired;
  }
  return { expired: rowsMax - left };
}

/** Destinations of a deleted account that are still there, as the node that deleted them has died meanwhile. */
async function deleteLeftOver<Tx extends SqlTransaction>(
  tx: Tx,
  nowMs: number,
  steps: ChangeSteps<Tx>,
): Promise<boolean> {
  const account = await tx.db.get<IdRow>(FIND_HALF_DELETED);
  if (account === undefined) return false;
  const by = { person: SYSTEM_ACTOR, role: "system" } as const;
  return (await deleteSome(tx, { accountId: account.id, by, nowMs }, steps)).changed;
}

/** The rest of a deletion, such as a delivery whose attempt was under way then and failed. */
async function cancelOfDeleted<Tx extends SqlTransaction>(
  tx: Tx,
  { nowMs, rowsMax }: Omit<ExpireWaiting, "dueBeforeMs">,
  { cancelDeliveries, shortenQueue }: CancelSteps<Tx>,
): Promise<number> {
  let left = rowsMax;
  for (const { id } of await tx.db.all<IdRow>(LIST_DELETED, DESTINATIONS_AT_ONCE)) {
    if (left === 0) break;
    const leftBehind = await tx.db.all<IdRow>(LOCK_OF_DELETED, id, nowMs, left);
    const cancelled = await cancelDeliveries(tx, idsOf(leftBehind), nowMs);
    await shortenQueue(tx, id, cancelled);
    left -= cancelled;
  }
  return rowsMax - left;
}

/**
 * A person's decision: what waits now goes nowhere. A claimed delivery is left alone until its claim has run
 * out: its attempt may succeed, and the log must say so.
 */
export async function cancelWaiting<Tx extends SqlTransaction>(
  tx: Tx,
  params: CancelWaiting,
  { cancelDeliveries, shortenQueue, writeExpired }: QueueSteps<Tx>,
): Promise<{ cancelled: number }> {
  await writeExpired(tx, params.nowMs);
  const { accountId, destinationId, createdBeforeMs, rowsMax, nowMs } = params;
  const waiting = await tx.db.all<IdRow>(LOCK_UNCLAIMED, accountId, destinationId, nowMs, createdBeforeMs, rowsMax);
  const cancelled = await cancelDeliveries(tx, idsOf(waiting), nowMs);
  if (cancelled > 0) await shortenQueue(tx, destinationId, cancelled);
  return { cancelled };
}

interface IdRow {
  readonly id: string;
}

const idsOf = (rows: readonly IdRow[]): string[] => rows.map(({ id }) => id);

const FIND_HALF_DELETED = `-- name: find deleted account with destinations that are not deleted
  select s.account_id as id
  from account_states s
  where s.state = 'deleted' and s.gone_at is null
    and exists (select 1 from destinations d where d.account_id = s.account_id and d.deleted_at is null)
  limit 1`;

/** Exported for the test that reads its plan, like the next ones. */
export const LIST_DELETED = `-- name: list deleted destinations although something waits
  select id
  from destinations
  where deleted_at is not null and next_due_at is not null
  order by id
  limit $1`;

export const LIST_SHUT = `-- name: list destinations that are not on although something waits
  select id
  from destinations
  where state <> 'on' and next_due_at < $1
  order by next_due_at
  limit $2`;

/** Of these nobody knows whether a program will ask again. */
export const LIST_ASKED = `-- name: list destinations that are asked although something waits
  select d.id
  from pulls p
  join destinations d on d.id = p.destination_id
  where d.state = 'on' and d.next_due_at < $1
  order by d.next_due_at
  limit $2`;

/**
 * By what waits and not by the bound, which is the head's: it may have been tried a moment ago. From one destination to
 * the next, so that no backlog is read. An order that was ended may have left rows: what waits there goes as it comes.
 */
export const LIST_ORDERED = `-- name: list orders in which something has waited too long
  with recursive ${ORDERED}
  select ordered.id
  from ordered
  join destinations t on t.id = ordered.id and t.one_at_a_time
  where exists (
    select 1
    from deliveries d
    where d.destination_id = ordered.id and d.state = 'pending' and not d.is_ended and d.due_at < $1
  )
  limit $2`;

/** Rows that another node is settling or cancelling at this moment are left to it. */
export const LOCK_OVERDUE = `-- name: lock what has waited too long
  select id
  from deliveries
  where destination_id = $1 and state = 'pending' and not is_ended and due_at < $2
  order by due_at
  limit $3
  for no key update skip locked`;

/** A claimed one may arrive yet; when its claim has run out, no node has it. */
export const LOCK_OF_DELETED = `-- name: lock what waits for deleted destination
  select id
  from deliveries
  where destination_id = $1 and state = 'pending' and not is_ended and (claim_token is null or due_at <= $2)
  limit $3
  for no key update skip locked`;

export const LOCK_UNCLAIMED = `-- name: lock what waits for destination
  select id
  from deliveries
  where account_id = $1 and destination_id = $2 and state = 'pending' and not is_ended
    and (claim_token is null or due_at <= $3) and created_at < $4
  limit $5
  for no key update skip locked`;

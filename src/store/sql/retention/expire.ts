/**
 * The end of waiting: a delivery whose destination is not on is cancelled when it has been due for too long. By due
 * time and not by birth: it is the queue's own order, so a step reads only what goes, and one that somebody has resent
 * gets its full time again.
 */
import type { CancelWaiting } from "../../contract/destinations.ts";
import type { Dialect } from "../dialect.ts";
import type { SqlTransaction } from "../transaction.ts";

type QueueSteps<Tx extends SqlTransaction> = Pick<Dialect<Tx>, "shortenQueue" | "writeExpired">;

interface ExpireWaiting {
  readonly nowMs: number;
  readonly dueBeforeMs: number;
  readonly rowsMax: number;
}

export async function expireWaiting<Tx extends SqlTransaction>(
  tx: Tx,
  { nowMs, dueBeforeMs, rowsMax }: ExpireWaiting,
  dialect: QueueSteps<Tx>,
): Promise<{ expired: number }> {
  await dialect.writeExpired(tx, nowMs);
  let left = rowsMax - (await cancelOfDeleted(tx, { nowMs, rowsMax }, dialect));
  for (const { id } of await tx.db.all<{ id: string }>(LIST_SHUT, dueBeforeMs, rowsMax)) {
    if (left === 0) break;
    const expired = await tx.db.run(CANCEL_WAITING, nowMs, id, dueBeforeMs, left);
    // Also when nothing was cancelled: then the bound was too low and would bring us here again.
    await dialect.shortenQueue(tx, id, expired);
    left -= expired;
  }
  return { expired: rowsMax - left };
}

/** The rest of a deletion, such as a delivery whose attempt was under way then and failed. */
async function cancelOfDeleted<Tx extends SqlTransaction>(
  tx: Tx,
  { nowMs, rowsMax }: Omit<ExpireWaiting, "dueBeforeMs">,
  { shortenQueue }: Pick<Dialect<Tx>, "shortenQueue">,
): Promise<number> {
  let left = rowsMax;
  for (const { id } of await tx.db.all<{ id: string }>(LIST_DELETED, rowsMax)) {
    if (left === 0) break;
    const cancelled = await tx.db.run(CANCEL_OF_DELETED, nowMs, id, left);
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
  { shortenQueue, writeExpired }: QueueSteps<Tx>,
): Promise<{ cancelled: number }> {
  await writeExpired(tx, params.nowMs);
  const { accountId, destinationId, createdBeforeMs, rowsMax, nowMs } = params;
  const cancelled = await tx.db.run(CANCEL_UNCLAIMED, nowMs, accountId, destinationId, createdBeforeMs, rowsMax);
  if (cancelled > 0) await shortenQueue(tx, destinationId, cancelled);
  return { cancelled };
}

/** Exported for the test that reads its plan, like the next ones. */
export const LIST_DELETED = `-- name: list deleted destinations although something waits
  select id
  from destinations
  where deleted_at is not null and next_due_at is not null and bucket = any ($buckets)
  order by id
  limit $1`;

export const LIST_SHUT = `-- name: list destinations that are not on although something waits
  select id
  from destinations
  where state <> 'on' and next_due_at < $1 and bucket = any ($buckets)
  order by next_due_at
  limit $2`;

/**
 * Rows that another node is settling or cancelling at this moment are left to it. Materialized, here and wherever rows
 * are locked to a limit: a subquery that the planner runs once for each row would lock, and change, more than the
 * limit.
 */
export const CANCEL_WAITING = `-- name: cancel what has waited too long
  with expired as materialized (
    select id
    from deliveries
    where destination_id = $2 and state = 'pending' and not is_ended and due_at < $3 and bucket = any ($buckets)
    order by due_at
    limit $4
    for no key update skip locked
  )
  update deliveries
  set state = 'cancelled', is_ended = true, due_at = null, claim_token = null, settled_at = $1
  where id in (select id from expired) and state = 'pending' and not is_ended and bucket = any ($buckets)`;

/** A claimed one may arrive yet; when its claim has run out, no node has it. */
export const CANCEL_OF_DELETED = `-- name: cancel what waits for deleted destination
  with left_behind as materialized (
    select id
    from deliveries
    where destination_id = $2 and state = 'pending' and not is_ended and (claim_token is null or due_at <= $1)
      and bucket = any ($buckets)
    limit $3
    for no key update skip locked
  )
  update deliveries
  set state = 'cancelled', is_ended = true, due_at = null, claim_token = null, settled_at = $1
  where id in (select id from left_behind) and state = 'pending' and not is_ended and bucket = any ($buckets)`;

export const CANCEL_UNCLAIMED = `-- name: cancel what waits for destination
  with waiting as materialized (
    select id
    from deliveries
    where account_id = $2 and destination_id = $3 and state = 'pending' and not is_ended
      and (claim_token is null or due_at <= $1) and created_at < $4 and bucket = any ($buckets)
    limit $5
    for no key update skip locked
  )
  update deliveries
  set state = 'cancelled', is_ended = true, due_at = null, claim_token = null, settled_at = $1
  where id in (select id from waiting) and state = 'pending' and not is_ended and bucket = any ($buckets)`;

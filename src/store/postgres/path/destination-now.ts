/**
 * Destinations as of now inside a transaction: what the event's path needs to know of each, read once a batch however
 * many deliveries share it. Here too is the bound of each one's queue.
 *
 * Invariant: `next_due_at` is never later than the earliest due time among the destination's pending deliveries, so
 * that a claim that walks destinations by it misses nothing. With many nodes that needs two rules:
 *
 * - A transaction that makes a delivery due holds the destination's row by `for key share` (`holdDueBounds`), as a
 *   foreign key would, until its commit, and lowers the bound where it must. Holders do not wait for each other.
 * - A transaction that raises a bound takes the row `for update` first and looks at the queue in a *later* statement,
 *   so that it sees everything that holders have committed. A row that somebody holds is passed over: a bound that is
 *   too low costs a look.
 *
 * Rows are locked in the order of their ids, after deliveries and before accounts, so that nodes rarely collide.
 */
import { assert } from "../../../lib/assert.ts";
import type { DestinationNow } from "../../../domain/destination-now.ts";
import { DESTINATION_COLUMNS, type DestinationRow, toDestinationNow } from "../../sql/path/destination-rows.ts";
import { READ_IN_ORDER } from "../connection/transaction-settings.ts";
import type { Transaction } from "../transaction.ts";

/** Among those that were read before in this transaction. Throws where none has this id. */
export function destinationNow(tx: Transaction, id: string): DestinationNow {
  const destination = tx.destinations.get(id);
  assert(destination !== undefined, `there is no destination ${id}`);
  return destination;
}

/** Reads them and keeps their bounds from being raised until the commit. */
export async function holdDueBounds(tx: Transaction, ids: Iterable<string>): Promise<void> {
  await read(tx, HOLD_DESTINATIONS, ids);
}

/** Reads them and keeps everybody else from changing them until the commit. */
export async function lockDestinations(tx: Transaction, ids: Iterable<string>): Promise<void> {
  await read(tx, LOCK_DESTINATIONS, ids);
}

async function read(tx: Transaction, sql: string, ids: Iterable<string>): Promise<void> {
  const wanted = [...new Set(ids)];
  if (wanted.length === 0) return;
  for (const row of await tx.db.all<DestinationRow>(sql, wanted)) remember(tx, row);
}

/** Takes what another query has read of a destination. */
export function remember(tx: Transaction, row: DestinationRow): void {
  tx.destinations.set(row.id, toDestinationNow(row));
}

/** The earliest due time of each destination's new deliveries. */
export type DueTimes = ReadonlyMap<string, number>;

export function noteDue(times: Map<string, number>, id: string, dueAtMs: number): void {
  times.set(id, Math.min(times.get(id) ?? Infinity, dueAtMs));
}

/**
 * Makes the bounds cover deliveries that are due then. They must be held or locked, and not changed yet: they may be
 * read again. Throws when one does not exist.
 */
export async function lowerDueBounds(tx: Transaction, dueTimes: DueTimes): Promise<void> {
  const lower = [...dueTimes].filter(([id, dueAtMs]) => dueAtMs < destinationNow(tx, id).nextDueAtMs);
  if (lower.length === 0) return;
  const ids = lower.map(([id]) => id);
  // Two that lower several bounds would otherwise lock them in any order.
  if (lower.length > 1) await lockDestinations(tx, ids);
  await tx.db.run(
    LOWER_DUE_BOUNDS,
    ids,
    lower.map(([, dueAtMs]) => dueAtMs),
  );
  for (const [id, dueAtMs] of lower) {
    const destination = destinationNow(tx, id);
    tx.destinations.set(id, { ...destination, nextDueAtMs: Math.min(destination.nextDueAtMs, dueAtMs) });
  }
}

export const lowerDueBound = (tx: Transaction, id: string, dueAtMs: number): Promise<void> =>
  lowerDueBounds(tx, new Map([[id, dueAtMs]]));

/** Sets bounds to the truth, where no transaction holds them. */
export async function correctDueBounds(tx: Transaction, ids: readonly string[]): Promise<void> {
  const free = await tx.db.all<{ id: string }>(LOCK_FREE_DESTINATIONS, ids);
  if (free.length === 0) return;
  const freeIds = free.map(({ id }) => id);
  await Promise.all([tx.db.exec(READ_IN_ORDER), tx.db.run(CORRECT_DUE_BOUNDS, freeIds)]);
}

export const shortenQueue = (tx: Transaction, id: string): Promise<void> => correctDueBounds(tx, [id]);

/** The same after a claim, and each goes to the end of the walk if it has more due. */
export async function endTurns(tx: Transaction, ids: readonly string[], nowMs: number): Promise<void> {
  const free = new Set((await tx.db.all<{ id: string }>(LOCK_FREE_DESTINATIONS, ids)).map(({ id }) => id));
  const held = ids.filter((id) => !free.has(id));
  await Promise.all([
    tx.db.exec(READ_IN_ORDER),
    free.size === 0 ? 0 : tx.db.run(END_TURNS, [...free], nowMs),
    // Where accepts never pause the bound stays, but others get their turn all the same.
    held.length === 0 ? 0 : tx.db.run(MOVE_TURNS, held, nowMs),
  ]);
}

/** For a clock that was set back: turns that lie ahead would keep destinations waiting until it is there again. */
export async function forgetTurnsAfter(tx: Transaction, nowMs: number): Promise<void> {
  await tx.db.run(FORGET_TURNS, nowMs);
}

const HOLD_DESTINATIONS = `-- name: hold due bounds of destinations
  select ${DESTINATION_COLUMNS}
  from destinations d
  where d.id = any ($1::text[]) and d.bucket = any ($buckets)
  order by d.id
  for key share`;

const LOCK_DESTINATIONS = `-- name: lock destinations
  select ${DESTINATION_COLUMNS}, d.updated_at as "setUpAtMs"
  from destinations d
  where d.id = any ($1::text[]) and d.bucket = any ($buckets)
  order by d.id
  for no key update`;

const LOWER_DUE_BOUNDS = `-- name: lower due bounds
  update destinations d
  set next_due_at = least(d.next_due_at, lower.due_at)
  from unnest($1::text[], $2::bigint[]) as lower (id, due_at)
  where d.id = lower.id and d.bucket = any ($buckets)`;

const LOCK_FREE_DESTINATIONS = `-- name: lock destinations whose bounds nobody holds
  select d.id
  from destinations d
  where d.id = any ($1::text[]) and d.bucket = any ($buckets)
  order by d.id
  for update skip locked`;

/** Exported for the test that reads its plan, like the next one. */
export const CORRECT_DUE_BOUNDS = `-- name: correct due bounds
  update destinations d
  set next_due_at = (
    select min(w.due_at)
    from deliveries w
    where w.destination_id = d.id and w.state = 'pending' and not w.is_ended and w.bucket = any ($buckets)
  )
  where d.id = any ($1::text[]) and d.bucket = any ($buckets)`;

export const END_TURNS = `-- name: correct due bounds after a claim
  update destinations d
  set next_due_at = (
    select min(w.due_at)
    from deliveries w
    where w.destination_id = d.id and w.state = 'pending' and not w.is_ended and w.bucket = any ($buckets)
  ), turn_at = $2
  where d.id = any ($1::text[]) and d.bucket = any ($buckets)`;

const MOVE_TURNS = `-- name: move turns of destinations
  with free as materialized (
    select d.id
    from destinations d
    where d.id = any ($1::text[]) and d.bucket = any ($buckets)
    order by d.id
    for no key update skip locked
  )
  update destinations d
  set turn_at = $2
  from free
  where d.id = free.id and d.bucket = any ($buckets)`;

const FORGET_TURNS = `-- name: forget turns that lie ahead
  with ahead as materialized (
    select d.id
    from destinations d
    where d.turn_at > $1 and d.bucket = any ($buckets)
    order by d.id
    for no key update skip locked
  )
  update destinations d
  set turn_at = 0
  from ahead
  where d.id = ahead.id and d.bucket = any ($buckets)`;

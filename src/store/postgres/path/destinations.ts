/**
 * Destinations inside a transaction: what the event's path needs to know of each, read once a batch however many
 * deliveries share it; the bound of each one's queue; the circuit breaker's row (`../../sql/path/destinations.ts` says
 * what it keeps true); and changes, which a batch writes together and last.
 *
 * Invariant: `next_due_at` is never later than the earliest due time among the destination's pending deliveries, so
 * that a claim that walks destinations by it misses nothing. With many nodes that needs two rules:
 *
 * - A transaction that makes a delivery due holds the destination's row by `for key share` (`holdDueBounds`), as a
 *   foreign key would, until its commit, and lowers the bound where it must. Holders do not wait for each other.
 * - A transaction that raises a bound takes the row `for update` first and looks at the queue in a *later* statement,
 *   so that it sees everything that holders have committed. A row that somebody holds is passed over: a bound that is
 *   too low costs a poll.
 *
 * Rows are locked in the order of their ids, after deliveries and before accounts, so that nodes rarely collide.
 */
import { isOpen } from "../../../domain/destination-health.ts";
import {
  type ChangeOfDestination,
  type DestinationNow,
  findCondition,
  isSame,
  type NotedAttempt,
  type NotedResult,
  toNotedResult,
} from "../../../domain/destination-now.ts";
import type { DestinationCondition } from "../../../domain/destination.ts";
import { NEVER_SERVED_MS } from "../../../domain/pull.ts";
import { assert } from "../../../lib/assert.ts";
import type { Claim } from "../../contract/path.ts";
import {
  DESTINATION_COLUMNS,
  type DestinationRow,
  type GivenBack,
  notifyOfAttempt,
  toChange,
  toDestinationNow,
  toHealthChange,
} from "../../sql/path/destinations.ts";
import { READ_IN_ORDER } from "../connection/transaction-settings.ts";
import type { Transaction } from "../transaction.ts";
import { bumpConfigVersion } from "../../sql/config-version.ts";

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
 * Makes the bounds cover deliveries that are due then, where they do not. The destinations must be held or locked by a
 * statement before it, whose answer nobody has to wait for.
 */
export async function lowerDueBounds(tx: Transaction, dueTimes: DueTimes): Promise<void> {
  if (dueTimes.size > 0) await tx.db.run(LOWER_DUE_BOUNDS, [...dueTimes.keys()], [...dueTimes.values()]);
}

/** The same for deliveries that come last in an order. */
export async function beginDueBounds(tx: Transaction, dueTimes: DueTimes): Promise<void> {
  if (dueTimes.size > 0) await tx.db.run(BEGIN_DUE_BOUNDS, [...dueTimes.keys()], [...dueTimes.values()]);
}

/** The same, and keeps them from being raised until the commit. */
export async function coverDueTimes(tx: Transaction, dueTimes: DueTimes): Promise<void> {
  await Promise.all([holdDueBounds(tx, dueTimes.keys()), lowerDueBounds(tx, dueTimes)]);
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

/** In an order the head may have gone, and the bound was its: it is lowered also while somebody holds it. */
export async function shortenQueue(tx: Transaction, id: string): Promise<void> {
  await correctDueBounds(tx, [id]);
  await tx.db.run(LOWER_BOUND_OF_ORDER, id);
}

/** The same after a claim, and each goes to the end of the walk if it has more due. */
export async function noteServed(
  tx: Transaction,
  ids: readonly string[],
  { nowMs, noteFree = NOTE_SERVED }: { readonly nowMs: number; readonly noteFree?: string },
): Promise<void> {
  const free = new Set((await tx.db.all<{ id: string }>(LOCK_FREE_DESTINATIONS, ids)).map(({ id }) => id));
  const held = ids.filter((id) => !free.has(id));
  await Promise.all([
    tx.db.exec(READ_IN_ORDER),
    free.size === 0 ? 0 : tx.db.run(noteFree, [...free], nowMs),
    // Where accepts never pause the bound stays, but others get their turn all the same.
    held.length === 0 ? 0 : tx.db.run(NOTE_SERVED_ALONE, held, nowMs),
  ]);
}

/** For a clock that was set back: times that lie ahead would keep destinations waiting until it is there again. */
export async function forgetServedAfter(tx: Transaction, nowMs: number): Promise<void> {
  await tx.db.run(FORGET_SERVED, nowMs);
}

/** In one order of locks, and last in a transaction, behind the locks of destinations. */
async function bumpConfigVersions(tx: Transaction, accountIds: readonly string[]): Promise<void> {
  for (const id of [...new Set(accountIds)].toSorted()) await bumpConfigVersion(tx, id);
}

const HOLD_DESTINATIONS = `-- name: hold due bounds of destinations
  select ${DESTINATION_COLUMNS}
  from destinations d
  where d.id = any ($1::text[])
  order by d.id
  for key share`;

const LOCK_DESTINATIONS = `-- name: lock destinations
  select ${DESTINATION_COLUMNS}, d.updated_at as "setUpAtMs"
  from destinations d
  where d.id = any ($1::text[])
  order by d.id
  for no key update`;

const LOWER_DUE_BOUNDS = `-- name: lower due bounds
  with lower as (
    select d.id, given.due_at
    from destinations d
    join unnest($1::text[], $2::bigint[]) as given (id, due_at) on given.id = d.id
    where coalesce(d.next_due_at > given.due_at, true)
    order by d.id
    for no key update of d
  )
  update destinations d
  set next_due_at = least(d.next_due_at, lower.due_at)
  from lower
  where d.id = lower.id`;

const LOWER_BOUND_OF_ORDER = `-- name: lower due bound of order
  update destinations d
  set next_due_at = least(d.next_due_at, (
    select min(w.due_at)
    from deliveries w
    where w.destination_id = d.id and w.state = 'pending' and not w.is_ended
  ))
  where d.id = $1 and d.one_at_a_time`;

/** Behind others that wait nothing changes: whoever ends the head lowers the bound. So accepts rarely lock the row. */
const BEGIN_DUE_BOUNDS = `-- name: begin due bounds
  with idle as (
    select d.id, given.due_at
    from destinations d
    join unnest($1::text[], $2::bigint[]) as given (id, due_at) on given.id = d.id
    where d.next_due_at is null
    order by d.id
    for no key update of d
  )
  update destinations d
  set next_due_at = coalesce(d.next_due_at, idle.due_at)
  from idle
  where d.id = idle.id`;

const LOCK_FREE_DESTINATIONS = `-- name: lock destinations whose bounds nobody holds
  select d.id
  from destinations d
  where d.id = any ($1::text[])
  order by d.id
  for update skip locked`;

/** Exported for the test that reads its plan, like the next one. */
export const CORRECT_DUE_BOUNDS = `-- name: correct due bounds
  update destinations d
  set next_due_at = (
    select min(w.due_at)
    from deliveries w
    where w.destination_id = d.id and w.state = 'pending' and not w.is_ended
  )
  where d.id = any ($1::text[])`;

export const NOTE_SERVED = `-- name: correct due bounds after a claim
  update destinations d
  set next_due_at = (
    select min(w.due_at)
    from deliveries w
    where w.destination_id = d.id and w.state = 'pending' and not w.is_ended
  ), served_at = $2
  where d.id = any ($1::text[])`;

const NOTE_SERVED_ALONE = `-- name: note times of service of destinations
  with free as materialized (
    select d.id
    from destinations d
    where d.id = any ($1::text[])
    order by d.id
    for no key update skip locked
  )
  update destinations d
  set served_at = $2
  from free
  where d.id = free.id`;

const FORGET_SERVED = `-- name: forget times of service that lie ahead
  with ahead as materialized (
    select d.id
    from destinations d
    where d.served_at > $1 and d.served_at < ${NEVER_SERVED_MS}
    order by d.id
    for no key update skip locked
  )
  update destinations d
  set served_at = 0
  from ahead
  where d.id = ahead.id`;

/** Applies one attempt, and notes in `changes` what it changed. */
export async function applyAttempt(
  { tx, changes }: { tx: Transaction; changes: Changes },
  destinationId: string,
  attempt: NotedAttempt,
): Promise<NotedResult> {
  const change = toHealthChange(destinationNow(tx, destinationId), attempt);
  const after = await notifyOfAttempt(tx, destinationId, change);
  changes.add(destinationId, toChange(after, attempt.nowMs));
  return toNotedResult(change.before, after, attempt.nowMs);
}

/** The destinations are locked by this transaction. */
export async function startTrials(tx: Transaction, destinationIds: readonly string[], claim: Claim): Promise<void> {
  if (destinationIds.length > 0) await tx.db.run(START_TRIALS, claim.untilMs, claim.token, destinationIds);
}

/** The statement asks whether the claim is the trial's: the destination was read without a lock. */
export async function endTrial(tx: Transaction, { destinationId, claim, dueAtMs }: GivenBack): Promise<void> {
  await tx.db.run(END_TRIAL, dueAtMs, destinationId, claim.token, claim.untilMs);
}

/** Whether giving back a claim may end a trial: most destinations are healthy, and nothing is written for them. */
export const mayBeTrial = ({ health, trialToken }: DestinationNow, token: string): boolean =>
  isOpen(health) && trialToken === token;

const START_TRIALS = `-- name: hold destinations back for their trials
  update destinations d
  set not_before_at = $1, trial_token = $2
  where d.id = any ($3::text[])`;

const END_TRIAL = `-- name: end hold of trial
  update destinations d
  set not_before_at = $1, trial_token = null
  where d.id = $2 and d.consecutive_opens > 0 and d.trial_token = $3 and d.not_before_at = $4`;

export async function lockDestination(tx: Transaction, id: string): Promise<DestinationNow | null> {
  await lockDestinations(tx, [id]);
  return tx.destinations.get(id) ?? null;
}

export async function changeDestination(tx: Transaction, id: string, change: ChangeOfDestination): Promise<void> {
  const changes = new Changes(tx);
  changes.add(id, change);
  await changes.write();
}

interface HistoryRow {
  readonly accountId: string;
  readonly destinationId: string;
  readonly atMs: number;
  readonly from: DestinationCondition;
  readonly to: DestinationCondition;
  readonly reason: string;
  readonly actor: string;
}

/**
 * The changes of a batch, each made on top of those before it, and written together. This transaction has locked their
 * destinations.
 */
export class Changes {
  readonly #tx: Transaction;
  readonly #changed = new Set<string>();
  readonly #history: HistoryRow[] = [];
  readonly #accountIds = new Set<string>();

  constructor(tx: Transaction) {
    this.#tx = tx;
  }

  /** Notes what differs, and a row of history when that is more than a number. */
  add(id: string, { after, reason, actor, nowMs }: ChangeOfDestination): void {
    const before = destinationNow(this.#tx, id);
    if (isSame(before, after)) return;
    this.#tx.destinations.set(id, after);
    this.#changed.add(id);
    const { accountId } = after;
    if (after.state !== before.state) this.#accountIds.add(accountId);
    const [from, to] = [findCondition(before), findCondition(after)];
    if (from !== to) this.#history.push({ accountId, destinationId: id, atMs: nowMs, from, to, reason, actor });
  }

  async write(): Promise<void> {
    if (this.#changed.size === 0) return;
    await Promise.all([this.#writeDestinations(), this.#writeHistory()]);
    await bumpConfigVersions(this.#tx, [...this.#accountIds]);
  }

  async #writeDestinations(): Promise<void> {
    const ids = [...this.#changed];
    const rows = ids.map((id) => destinationNow(this.#tx, id));
    await this.#tx.db.run(
      CHANGE,
      ids,
      rows.map(({ state }) => state),
      rows.map(({ offReason }) => offReason),
      rows.map(({ health }) => health.failingSinceMs),
      rows.map(({ health }) => health.failureScore),
      rows.map(({ health }) => health.consecutiveOpens),
      rows.map(({ health }) => health.notBeforeMs),
      rows.map(({ lastFailure }) => lastFailure?.atMs ?? null),
      rows.map(({ lastFailure }) => lastFailure?.outcome ?? null),
      rows.map(({ lastFailure }) => lastFailure?.status ?? null),
      rows.map(({ notifiedAtMs }) => notifiedAtMs),
      rows.map(({ isNotified }) => isNotified),
    );
  }

  async #writeHistory(): Promise<void> {
    const rows = this.#history;
    if (rows.length === 0) return;
    await this.#tx.db.run(
      INSERT_CHANGES,
      rows.map(({ accountId }) => accountId),
      rows.map(({ destinationId }) => destinationId),
      rows.map(({ atMs }) => atMs),
      rows.map(({ from }) => from),
      rows.map(({ to }) => to),
      rows.map(({ reason }) => reason),
      rows.map(({ actor }) => actor),
    );
  }
}

const CHANGE = `-- name: change state and health of destinations
  update destinations d
  set state = c.state, off_reason = c.off_reason, failing_since_at = c.failing_since_at,
    failure_score = c.failure_score, consecutive_opens = c.consecutive_opens, not_before_at = c.not_before_at,
    last_failure_at = c.last_failure_at,
    last_failure_outcome = c.last_failure_outcome, last_failure_status = c.last_failure_status,
    notified_at = c.notified_at, is_notified = c.is_notified
  from unnest(
    $1::text[], $2::text[], $3::text[], $4::bigint[], $5::integer[], $6::integer[], $7::bigint[], $8::bigint[],
    $9::text[], $10::integer[], $11::bigint[], $12::boolean[]
  ) as c (
    id, state, off_reason, failing_since_at, failure_score, consecutive_opens, not_before_at,
    last_failure_at, last_failure_outcome, last_failure_status, notified_at, is_notified
  )
  where d.id = c.id`;

const INSERT_CHANGES = `-- name: insert changes of destinations
  insert into destination_changes (account_id, destination_id, at, from_state, to_state, reason, actor)
  select account_id, destination_id, at, from_state, to_state, reason, actor
  from unnest($1::text[], $2::text[], $3::bigint[], $4::text[], $5::text[], $6::text[], $7::text[])
    with ordinality as c (account_id, destination_id, at, from_state, to_state, reason, actor, place)
  order by place`;

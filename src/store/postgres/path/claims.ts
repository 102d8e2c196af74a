/**
 * Claiming on PostgreSQL (`../../sql/path/claim-rows.ts` says what it keeps true): many destinations in one statement.
 * Claims of several nodes never wait for each other and never get the same delivery: what another holds is passed over
 * (`skip locked`).
 */
import { isOpen } from "../../../domain/destination-health.ts";
import { assert } from "../../../lib/assert.ts";
import { minutesMs, secondsMs } from "../../../lib/duration.ts";
import type { ClaimDueDeliveries, ClaimedDelivery, ReleaseClaims } from "../../contract/path.ts";
import { type ClaimableRow, findCapacity, ClaimBatch, type HeldRow, WALK_START } from "../../sql/path/claim-rows.ts";
import { DESTINATION_COLUMNS, type DestinationRow } from "../../sql/path/destinations.ts";
import { noteAccounts } from "./fence.ts";
import {
  destinationNow,
  endTrial,
  noteServed,
  forgetServedAfter,
  coverDueTimes,
  mayBeTrial,
  noteDue,
  remember,
  startTrials,
} from "./destinations.ts";
import { IS_HEAD, NOTE_HEADS_SERVED } from "./order.ts";
import { giveWaitingRows, renewLease, writeExpired } from "./leases.ts";
import { READ_IN_ORDER } from "../connection/transaction-settings.ts";
import type { NodeMemory, Transaction } from "../transaction.ts";

/**
 * A step of the walk. The first takes about what fills the claim if every destination has enough due, since each row
 * costs 2 µs to bring here; those after it take more, for many destinations with little each. Guesses.
 */
const DESTINATIONS_PER_STEP_MIN = 16;
const DESTINATIONS_PER_STEP_MAX = 256;

/** Nodes follow the database's clock to within less; so little costs a destination nothing worth a query. Guess. */
const CLOCK_SLACK_MS = secondsMs(1);

const SERVED_CHECK_MS = minutesMs(1);

export async function claimDueDeliveries(tx: Transaction, params: ClaimDueDeliveries): Promise<ClaimedDelivery[]> {
  const { nowMs } = params;
  await forgetServedAhead(tx, nowMs);
  await writeExpired(tx, nowMs);
  // Lost while the node was out of touch: since then rows may have come that it cannot read.
  if (!(await renewLease(tx, nowMs))) return [];
  const batch = new ClaimBatch(params);
  const fullLanes = Object.keys(params.freeSlots).filter((id) => params.freeSlots[id] === 0);
  let last = WALK_START;
  const seen = new Set<string>();
  for (let size = firstStep(params); !batch.isFull; size = Math.min(2 * size, DESTINATIONS_PER_STEP_MAX)) {
    const passedOver = [fullLanes, batch.fullAccounts()] as const;
    const step = await tx.db.all<WakingDestination>(LIST_WAKING, nowMs, last.wakeAtMs, last.id, ...passedOver, size);
    // A visit moves a destination on in the index's order, maybe to a place the walk has not reached yet.
    const fresh = step.filter(({ id }) => !seen.has(id));
    for (const { id } of fresh) seen.add(id);
    const kinds = Map.groupBy(fresh, ({ isOneAtATime }) => isOneAtATime);
    const visits = [...kinds.values()].flatMap((destinations) => toVisits(batch, destinations));
    for (const visit of visits) if (!batch.isFull) await claimFrom(tx, params, visit);
    const end = step.at(-1);
    if (end === undefined || step.length < size) break;
    last = end;
  }
  return batch.claimed;
}

/**
 * Of destinations that all have an order, or none. An account of which this claim could take more than its own free
 * slots is visited alone, and after the others.
 */
function toVisits(batch: ClaimBatch, destinations: readonly DestinationRow[]): Visit[] {
  const together: DestinationRow[] = [];
  const visits: Visit[] = [{ batch, destinations: together, most: Infinity }];
  for (const [accountId, own] of Map.groupBy(destinations, (each) => each.accountId)) {
    const slots = own.reduce((sum, { id }) => sum + batch.slotsOf(id, accountId), 0);
    const most = batch.accountSlots(accountId);
    if (Math.min(slots, batch.deliveriesLeft) > most) visits.push({ batch, destinations: own, most });
    else together.push(...own);
  }
  return visits;
}

/**
 * Times of service lie ahead when the clock was set back, as it may be by a failover; their destinations would wait
 * until it is there again. Looked for when it shows, at the node's start, and every minute, since a row that is locked
 * is missed.
 */
async function forgetServedAhead(tx: Transaction, nowMs: number): Promise<void> {
  const { node } = tx;
  const isDue = isServedCheckDue(node, nowMs);
  node.newestServedMs = nowMs;
  if (!isDue) return;
  node.servedCheckedAtMs = nowMs;
  await forgetServedAfter(tx, nowMs);
}

export const isServedCheckDue = ({ newestServedMs, servedCheckedAtMs }: NodeMemory, nowMs: number): boolean =>
  nowMs < newestServedMs - CLOCK_SLACK_MS || nowMs >= servedCheckedAtMs + SERVED_CHECK_MS;

function firstStep({ deliveriesMax, perDestinationMax }: ClaimDueDeliveries): number {
  const enough = 2 * Math.ceil(deliveriesMax / Math.max(1, perDestinationMax));
  return Math.min(Math.max(enough, DESTINATIONS_PER_STEP_MIN), DESTINATIONS_PER_STEP_MAX);
}

interface Visit {
  readonly batch: ClaimBatch;
  readonly destinations: readonly DestinationRow[];
  /** Deliveries of all of them. */
  readonly most: number;
}

async function claimFrom(tx: Transaction, params: ClaimDueDeliveries, visit: Visit): Promise<void> {
  const { batch, destinations, most } = visit;
  for (const row of destinations) remember(tx, row);
  const isInOrder = Boolean(destinations[0]?.isOneAtATime);
  const free = await withoutTaken(tx, destinations, params.nowMs);
  // An order that was ended since the walk read it is visited by the next claim.
  const visited = free.filter((id) => destinationNow(tx, id).isOneAtATime === isInOrder);
  if (visited.length === 0) return;
  const isTrial = (id: string): boolean => isOpen(destinationNow(tx, id).health);
  const taken = await takeDue(tx, params.nowMs, {
    sql: isInOrder ? TAKE_HEADS : TAKE_DUE,
    left: Math.min(batch.deliveriesLeft, most),
    ids: visited,
    slots: visited.map((id) => slotsNow(tx, batch, id)),
  });
  const { due, untouched } = whatFits(batch, taken.rows, await loadEvents(tx, batch, taken.rows));
  const touched = visited.slice(0, taken.reached).filter((id) => !untouched.has(id));
  const tried = [...new Set(due.map(({ destinationId }) => destinationId))].filter(isTrial);
  for (const { dueAtMs: _due, ...row } of due) {
    batch.add(row, destinationNow(tx, row.destinationId), tx.configVersions.get(row.accountId) ?? null);
  }
  // One round trip: each is answered after those before it.
  await Promise.all([
    due.length === 0 ? 0 : tx.db.run(CLAIM_DELIVERIES, params.claim.token, params.claim.untilMs, due.map(toId)),
    startTrials(tx, tried, params.claim),
    noteServed(tx, touched, { nowMs: params.nowMs, ...(isInOrder ? { noteFree: NOTE_HEADS_SERVED } : {}) }),
  ]);
}

function slotsNow(tx: Transaction, batch: ClaimBatch, id: string): number {
  const destination = destinationNow(tx, id);
  return findCapacity(destination, batch.slotsOf(id, destination.accountId));
}

/**
 * Where a breaker is open, only the node that gets the destination's row may send the trial, and where there is an
 * order, its head.
 */
async function withoutTaken(
  tx: Transaction,
  destinations: readonly DestinationRow[],
  nowMs: number,
): Promise<string[]> {
  const ids = destinations.map(({ id }) => id);
  const alone = destinations.filter(({ consecutiveOpens, isOneAtATime }) => consecutiveOpens > 0 || isOneAtATime);
  if (alone.length === 0) return ids;
  const aloneIds = alone.map(({ id }) => id);
  const ours = await tx.db.all<DestinationRow>(LOCK_ALONE, aloneIds, nowMs);
  for (const row of ours) remember(tx, row);
  const mayTake = new Set(ours.map(({ id }) => id));
  return ids.filter((id) => !aloneIds.includes(id) || mayTake.has(id));
}

interface Taken {
  /** In the walk's order. */
  readonly rows: readonly DueRow[];
  /** How many of the destinations were looked at before there was enough. */
  readonly reached: number;
}

/** Locks due deliveries, no more than could be claimed. */
async function takeDue(
  tx: Transaction,
  nowMs: number,
  { sql, left, ids, slots }: { sql: string; left: number; ids: readonly string[]; slots: readonly number[] },
): Promise<Taken> {
  const [, found] = await Promise.all([tx.db.exec(READ_IN_ORDER), tx.db.all<DueRow>(sql, ids, slots, nowMs, left)]);
  const order = new Map(ids.map((id, place) => [id, place]));
  const findPlace = ({ destinationId }: DueRow): number => order.get(destinationId) ?? 0;
  const rows = found.toSorted((a, b) => findPlace(a) - findPlace(b) || a.dueAtMs - b.dueAtMs || (a.id < b.id ? -1 : 1));
  const end = rows.at(-1);
  const isEnough = rows.length === left && end !== undefined;
  return { rows, reached: isEnough ? findPlace(end) + 1 : ids.length };
}

/**
 * The deliveries' events, in their order, and their accounts' versions. Bodies come along for as long as they fit: a
 * backlog of large ones must not come into memory at once.
 */
async function loadEvents(tx: Transaction, batch: ClaimBatch, taken: readonly DueRow[]): Promise<EventRow[]> {
  if (taken.length === 0) return [];
  const [events] = await Promise.all([
    tx.db.all<EventRow>(
      LIST_EVENTS,
      taken.map(({ eventId }) => eventId),
      batch.bodyCharsLeft,
    ),
    noteAccounts(
      tx,
      taken.map(({ accountId }) => accountId),
    ),
  ]);
  return events;
}

type ClaimedRow = DueRow & ClaimableRow;

/**
 * Takes rows while their bodies fit the batch, and at least one, so that a single large body cannot block all claims.
 * `untouched`: destinations with due deliveries of which none fitted; the next claim serves them first.
 */
function whatFits(
  batch: ClaimBatch,
  taken: readonly DueRow[],
  events: readonly EventRow[],
): { due: ClaimedRow[]; untouched: Set<string> } {
  const due: ClaimedRow[] = [];
  for (const { place, bodyBytes, eventType, traceContext, body } of events) {
    const row = taken[place];
    assert(row !== undefined, `there is no place ${place} among ${taken.length}`);
    const fits = batch.takeCapacity(body?.length ?? bodyBytes, due.length === 0);
    if (body !== null && fits) due.push({ ...row, eventType, traceContext, body });
    if (batch.isFull) break;
  }
  const untouched = new Set(taken.map(({ destinationId }) => destinationId));
  for (const { destinationId } of due) untouched.delete(destinationId);
  return { due, untouched };
}

export async function releaseClaims(
  tx: Transaction,
  { claims, dueAtMs }: ReleaseClaims,
): Promise<{ released: number }> {
  const inMemory = claims.flatMap(
    ({ deliveryId, claimToken }) => tx.node.inMemory.take(tx, deliveryId, claimToken) ?? [],
  );
  const given = await giveWaitingRows(tx, inMemory, () => ({ claimToken: null, dueAtMs }));
  const written = new Set(given.map(toId));
  const others = claims.filter(({ deliveryId }) => !written.has(deliveryId));
  return { released: given.length + (others.length === 0 ? 0 : await releaseRows(tx, { claims: others, dueAtMs })) };
}

/** Those that have a row. */
async function releaseRows(tx: Transaction, { claims, dueAtMs }: ReleaseClaims): Promise<number> {
  const held = await tx.db.all<HeldClaim>(
    LOCK_CLAIMS,
    claims.map(({ deliveryId }) => deliveryId),
    claims.map(({ claimToken }) => claimToken),
  );
  if (held.length === 0) return 0;
  const dueTimes = new Map<string, number>();
  for (const { destinationId } of held) noteDue(dueTimes, destinationId, dueAtMs);
  await Promise.all([coverDueTimes(tx, dueTimes), tx.db.run(RELEASE_CLAIMS, dueAtMs, held.map(toId))]);
  const trials = held.filter(({ destinationId, token }) => mayBeTrial(destinationNow(tx, destinationId), token));
  for (const { destinationId, token, untilMs } of trials.toSorted((a, b) =>
    a.destinationId < b.destinationId ? -1 : 1,
  ))
    await endTrial(tx, { destinationId, claim: { token, untilMs }, dueAtMs });
  return held.length;
}

const toId = ({ id }: { readonly id: string }): string => id;

type WakingDestination = DestinationRow & typeof WALK_START;

type EventColumns = Pick<ClaimableRow, "eventType" | "traceContext" | "body">;

interface DueRow extends Omit<ClaimableRow, keyof EventColumns> {
  readonly dueAtMs: number;
}

export interface EventRow extends Omit<EventColumns, "body"> {
  /** The place of the delivery that it is asked for. */
  readonly place: number;
  readonly bodyBytes: number;
  /** `null`: it does not fit. */
  readonly body: string | null;
}

interface HeldClaim extends HeldRow {
  readonly id: string;
  readonly token: string;
}

/**
 * Exported for the test that reads its plan: an idle claim must be one search. Full lanes and accounts are passed over
 * untouched.
 */
export const LIST_WAKING = `-- name: list destinations that have something due
  select ${DESTINATION_COLUMNS}, d.wake_at as "wakeAtMs"
  from destinations d
  where d.state = 'on' and d.wake_at <= $1 and (d.wake_at, d.id) > ($2, $3) and d.id <> all ($4::text[])
    and d.account_id <> all ($5::text[])
  order by d.wake_at, d.id
  limit $6`;

const LOCK_ALONE = `-- name: lock destinations that get one alone
  select ${DESTINATION_COLUMNS}
  from destinations d
  where d.id = any ($1::text[]) and d.state = 'on' and d.wake_at <= $2
  order by d.id
  for no key update skip locked`;

/**
 * Exported for the test that reads its plan: never a scan of the backlog, never a sort. The inner limit stops at each
 * destination's share, the outer one at the claim's, and neither locks a row beyond that.
 */
export const TAKE_DUE = takeDueWhere("due deliveries", "d.destination_id = visit.destination_id");

/** Exported for the same test: a search for each destination. */
export const TAKE_HEADS = takeDueWhere("heads", IS_HEAD);

function takeDueWhere(what: string, which: string): string {
  return `-- name: lock ${what} of destinations
  with taken as materialized (
    select due.id, due.event_id, due.account_id, due.destination_id, due.attempts_made, due.attempts_before,
      due.resent_at, due.created_at, due.due_at
    from unnest($1::text[], $2::integer[]) as visit (destination_id, slots)
    cross join lateral (
      select d.id, d.event_id, d.account_id, d.destination_id, d.attempts_made, d.attempts_before, d.resent_at,
        d.created_at, d.due_at
      from deliveries d
      where ${which} and d.state = 'pending' and not d.is_ended and d.due_at <= $3
      order by d.due_at, d.id
      limit visit.slots
      for no key update skip locked
    ) due
    limit $4
  )
  select id, event_id as "eventId", account_id as "accountId", destination_id as "destinationId",
    attempts_made as "attemptsMade", attempts_made - attempts_before as "attemptsInSchedule",
    coalesce(resent_at, created_at) as "pendingSinceMs", due_at as "dueAtMs"
  from taken`;
}

/**
 * By their ids and not by a join, so that it is planned for their days and no others: with a hundred days a join costs
 * milliseconds before it has read a row. The first body comes however large it is. Exported for the test that reads its
 * plan.
 */
export const LIST_EVENTS = `-- name: list events of due deliveries
  select place, "eventType", "traceContext", "bodyBytes",
    case when place = 0 or "bytesSoFar" <= $2 then body end as body
  from (
    select (given.place - 1)::integer as place, e.type as "eventType", e.trace_context as "traceContext",
      octet_length(e.body) as "bodyBytes", e.body,
      sum(octet_length(e.body)) over (order by given.place) as "bytesSoFar"
    from unnest($1::text[]) with ordinality as given (id, place)
    join events e on e.id = given.id
    where e.id = any ($1::text[])
  ) found
  order by place`;

const CLAIM_DELIVERIES = `-- name: claim deliveries
  update deliveries d
  set claim_token = $1, due_at = $2
  where d.id = any ($3::text[]) and d.state = 'pending' and not d.is_ended`;

const LOCK_CLAIMS = `-- name: lock claims that are held
  select d.id, d.destination_id as "destinationId", d.claim_token as "token", d.due_at as "untilMs"
  from unnest($1::text[], $2::text[]) as given (id, claim_token)
  join deliveries d on d.id = given.id and d.state = 'pending' and not d.is_ended and d.claim_token = given.claim_token
  for no key update of d`;

const RELEASE_CLAIMS = `-- name: release claims
  update deliveries d
  set claim_token = null, due_at = $1
  where d.id = any ($2::text[]) and d.state = 'pending' and not d.is_ended`;

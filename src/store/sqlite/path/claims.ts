/**
 * Claiming on SQLite (`../../sql/path/claim-rows.ts` says what it keeps true): one destination after the other. With
 * 10,000 destinations and a million waiting, an idle claim took 0.01 ms and a claim of 200 1.5 ms.
 */
import { isOpen } from "../../../domain/destination-health.ts";
import type { ClaimDueDeliveries, ClaimedDelivery, HeldDelivery, ReleaseClaims } from "../../contract/path.ts";
import {
  type ClaimableRow,
  findCapacity,
  ClaimBatch,
  type HeldRow,
  WALK_START,
  type WakingRow,
} from "../../sql/path/claim-rows.ts";
import { configVersionNow } from "./config-version.ts";
import { endTrial, startTrial, destinationNow, noteServed, forgetServedAfter, lowerDueBound } from "./destinations.ts";
import { IS_HEAD, listHeldInMemory, noteHeadServed } from "./order.ts";
import { writeExpired, writePending } from "./pending-rows.ts";
import type { Transaction } from "../transaction.ts";

/** Guess: a step of the walk that most claims need once. */
const DESTINATIONS_PER_STEP = 256;

export function claimDueDeliveries(tx: Transaction, params: ClaimDueDeliveries): ClaimedDelivery[] {
  if (params.nowMs < tx.newestServedMs) forgetServedAfter(tx, params.nowMs);
  tx.newestServedMs = params.nowMs;
  writeExpired(tx, params.nowMs);
  const batch = new ClaimBatch(params);
  let heldInMemory: ReadonlySet<string> | undefined;
  // Only orders ask, and the claim changes nothing of it.
  const isHeldInMemory = (id: string): boolean => (heldInMemory ??= listHeldInMemory(tx)).has(id);
  for (const { id, accountId } of destinationsDue(tx, params.nowMs, batch)) {
    if (batch.isFull) break;
    const slots = batch.slotsOf(id, accountId);
    if (slots > 0) claimFrom(tx, params, { batch, destinationId: id, slots, isHeldInMemory });
  }
  return batch.claimed;
}

/**
 * Step by step by the index's own order. A visit moves a destination on in that order, maybe to a place the walk has
 * not reached yet; hence the set.
 */
function* destinationsDue(tx: Transaction, nowMs: number, batch: ClaimBatch): Generator<WakingDestination> {
  const seen = new Set<string>();
  let last = WALK_START;
  for (;;) {
    const full = JSON.stringify(batch.fullAccounts());
    const place = [last.wakeAtMs, last.id] as const;
    const step = tx.db.all<WakingDestination>(LIST_WAKING, nowMs, ...place, full, DESTINATIONS_PER_STEP);
    for (const destination of step) {
      if (seen.has(destination.id)) continue;
      seen.add(destination.id);
      yield destination;
    }
    const end = step.at(-1);
    if (end === undefined || step.length < DESTINATIONS_PER_STEP) return;
    last = end;
  }
}

interface WakingDestination extends WakingRow {
  readonly accountId: string;
}

interface Visit {
  readonly batch: ClaimBatch;
  readonly destinationId: string;
  readonly slots: number;
  readonly isHeldInMemory: (destinationId: string) => boolean;
}

function claimFrom(tx: Transaction, { nowMs, claim }: ClaimDueDeliveries, visit: Visit): void {
  const { batch, destinationId, slots, isHeldInMemory } = visit;
  const destination = destinationNow(tx, destinationId);
  const isInOrder = destination.isOneAtATime;
  const count = Math.min(findCapacity(destination, slots), batch.deliveriesLeft);
  const isHeld = isInOrder && isHeldInMemory(destinationId);
  const due = isHeld ? [] : takeDue(tx, batch, { destinationId, nowMs, count, isInOrder });
  // Not even one had room: it comes first next time, as it is not touched.
  if (due.length === 0 && batch.isFull) return;
  for (const { id } of due) tx.db.run(CLAIM_DELIVERY, claim.token, claim.untilMs, id);
  if (isInOrder) noteHeadServed(tx, destinationId, nowMs);
  else noteServed(tx, destinationId, nowMs);
  if (isOpen(destination.health) && due.length > 0) startTrial(tx, destinationId, claim);
  for (const row of due) batch.add({ ...row, destinationId }, destination, configVersionNow(tx, row.accountId));
}

interface TakeDue {
  readonly destinationId: string;
  readonly nowMs: number;
  readonly count: number;
  /** The head alone. */
  readonly isInOrder: boolean;
}

/** Reads no further than bodies fit: a backlog of large ones must not come into memory at once. */
function takeDue(tx: Transaction, batch: ClaimBatch, { destinationId, nowMs, count, isInOrder }: TakeDue): DueRow[] {
  const due: DueRow[] = [];
  for (const row of tx.db.each<DueRow>(isInOrder ? TAKE_HEAD : LIST_DUE, destinationId, nowMs, count)) {
    if (batch.takeCapacity(row.body.length, due.length === 0)) due.push(row);
    if (batch.isFull) break;
  }
  return due;
}

export function releaseClaims(tx: Transaction, { claims, dueAtMs }: ReleaseClaims): { released: number } {
  let released = 0;
  for (const { deliveryId, claimToken } of claims) {
    const inMemory = tx.inMemory.find(deliveryId);
    if (inMemory !== null) {
      if (inMemory.claim.token !== claimToken) continue;
      writePending(tx, inMemory, { dueAtMs, claimToken: null });
      released += 1;
      continue;
    }
    const held = tx.db.get<HeldRow>(FIND_CLAIM, deliveryId, claimToken);
    if (held === undefined) continue;
    tx.db.run(RELEASE_CLAIM, dueAtMs, deliveryId);
    lowerDueBound(tx, held.destinationId, dueAtMs);
    endTrial(tx, { destinationId: held.destinationId, claim: { token: claimToken, untilMs: held.untilMs }, dueAtMs });
    released += 1;
  }
  return { released };
}

/**
 * For the start only: the holder of these claims is dead, because one process alone may use the file. What programs
 * were handed is theirs still.
 */
export function releaseAllClaims(tx: Transaction, { nowMs }: { nowMs: number }): { released: number } {
  forgetServedAfter(tx, nowMs);
  const claims = tx.db.all<HeldDelivery>(LIST_CLAIMS);
  return releaseClaims(tx, { claims, dueAtMs: nowMs });
}

type DueRow = Omit<ClaimableRow, "destinationId">;

/** Exported for the test that reads its plan: an idle claim must be one search. */
export const LIST_WAKING = `-- name: list destinations that have something due
  select id, account_id as "accountId", wake_at as "wakeAtMs"
  from destinations
  where state = 'on' and wake_at <= ? and (wake_at, id) > (?, ?)
    and account_id not in (select value from json_each(?))
  order by wake_at, id
  limit ?`;

const DUE = `d.id, e.id as "eventId", e.type as "eventType", d.account_id as "accountId", e.body,
    d.attempts_made as "attemptsMade", d.attempts_made - d.attempts_before as "attemptsInSchedule",
    coalesce(d.resent_at, d.created_at) as "pendingSinceMs", e.trace_context as "traceContext"
  from deliveries d
  join events e on e.seq = d.event_seq`;

/**
 * Exported for the same test: never a scan, never a sort. Among those that are due at one instant a claim that has run
 * out comes last, because the index has it so; ids are in the order of acceptance.
 */
export const LIST_DUE = `-- name: list due deliveries of destination
  select ${DUE}
  where d.destination_id = ? and d.state = 'pending' and d.due_at <= ?
  order by d.due_at, d.claim_token, d.id
  limit ?`;

/** Exported for the same test. */
export const TAKE_HEAD = `-- name: find head of order if it is due
  select ${DUE}
  where ${IS_HEAD} and d.state = 'pending' and d.due_at <= ?2
  limit ?3`;

const CLAIM_DELIVERY = `-- name: claim delivery
  update deliveries
  set claim_token = ?, due_at = ?
  where id = ?`;

const FIND_CLAIM = `-- name: find claim if held
  select destination_id as "destinationId", due_at as "untilMs"
  from deliveries
  where id = ? and state = 'pending' and claim_token = ?`;

const RELEASE_CLAIM = `-- name: release claim
  update deliveries
  set claim_token = null, due_at = ?
  where id = ?`;

const LIST_CLAIMS = `-- name: list all claims
  select id as "deliveryId", account_id as "accountId", claim_token as "claimToken"
  from deliveries
  where state = 'pending' and claim_token is not null and destination_id not in (select destination_id from pulls)`;

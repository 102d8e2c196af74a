/**
 * Settling on PostgreSQL (`../../sql/path/settled-rows.ts` says what it keeps true). Many calls share a few statements;
 * where all went well at healthy destinations, that is the whole transaction. A delivery that this node has in memory
 * gets its row here (`settle-in-memory.ts`); one that has a row already is changed in place.
 */
import { type NotedAttempt, changesDestination } from "../../../domain/destination-now.ts";
import type { PackedSettlement, VerbParams } from "../../calls.ts";
import type { SettleResult } from "../../contract/path.ts";
import { DESTINATION_COLUMNS, type DestinationRow } from "../../sql/path/destinations.ts";
import { toNotedAttempt } from "../../sql/path/settled-rows.ts";
import { Deltas } from "../figures/attempt-deltas.ts";
import { type AttemptColumns, insertAttempts, toSummary } from "../attempts.ts";
import {
  applyAttempt,
  Changes,
  destinationNow,
  lockDestinations,
  lowerDueBounds,
  noteDue,
  remember,
} from "./destinations.ts";
import { givenRows } from "./given-rows.ts";
import type { InMemoryDelivery } from "../in-memory-deliveries.ts";
import { needsOf, takeInMemory, withoutLost, writeInMemory } from "./settle-in-memory.ts";
import { leaveOrder } from "./order.ts";
import type { PathWork } from "./path-state.ts";
import type { Transaction } from "../transaction.ts";

/** Answers for each call, in order. */
export function settleAttemptsIfClaimed(
  tx: Transaction,
  calls: readonly VerbParams<"settleAttemptsIfClaimed", AttemptColumns>[],
): PathWork<SettleResult[]> {
  const given = calls.flatMap(({ settlements, nowMs }) => settlements.map((settlement) => ({ settlement, nowMs })));
  const taken = takeInMemory(
    tx,
    given.map((item, place) => ({ ...item, place })),
  );
  return {
    needs: needsOf(taken),
    async run(loaded) {
      const answers = await settle(tx, withoutLost(tx, taken, await loaded));
      return calls.map(({ settlements }) => answers.splice(0, settlements.length));
    },
  };
}

/** Answers for each settlement, in order. */
async function settle(tx: Transaction, placed: readonly PlacedSettlement[]): Promise<SettleResult[]> {
  const settled = await endOrRetry(tx, placed);
  await lockWhatChanges(tx, settled);
  await lowerDueBounds(tx, dueTimes(tx, settled));
  await leaveOrder(tx, heads(tx, settled));
  const changes = new Changes(tx);
  const answers: SettleResult[] = placed.map(() => ({ kind: "claim_lost" }));
  const delta = new Deltas();
  for (const { place, settlement, destinationId, acceptedAtMs, noted } of settled) {
    const { accountId } = destinationNow(tx, destinationId);
    delta.add({
      accountId,
      destinationId,
      acceptedAtMs,
      summary: toSummary(settlement.attempt),
      next: settlement.next,
    });
    answers[place] = { kind: "settled", ...(await applyAttempt({ tx, changes }, destinationId, noted)) };
  }
  tx.later(delta.write(tx));
  await changes.write();
  return answers;
}

export interface GivenSettlement {
  readonly settlement: PackedSettlement<AttemptColumns>;
  readonly nowMs: number;
}

/** One with its place in the batch, and the delivery where this node has it in memory. */
export interface PlacedSettlement extends GivenSettlement {
  readonly place: number;
  readonly inMemory: InMemoryDelivery | null;
}

interface Settled extends GivenSettlement {
  readonly place: number;
  readonly destinationId: string;
  readonly acceptedAtMs: number;
  readonly noted: NotedAttempt;
}

/** Settlements with a claim that was held, in their order. The first of two for one claim counts. */
async function endOrRetry(tx: Transaction, placed: readonly PlacedSettlement[]): Promise<Settled[]> {
  const here = placed.flatMap((item) => (item.inMemory === null ? [] : [{ ...item, inMemory: item.inMemory }]));
  const others = withoutRepeats(placed.filter((item) => item.inMemory === null && isHere(tx, item)));
  writeInMemory(tx, here);
  const rows = await settleRows(tx, others);
  const ofHere = here.map((item) => {
    const { destinationId, acceptedAtMs } = item.inMemory;
    return toSettled(item, { destinationId, acceptedAtMs });
  });
  return [...rows, ...ofHere].toSorted((a, b) => a.place - b.place);
}

/** Rows of an account that does not live here are a copy, which a move makes or which is left of one. */
const isHere = ({ configVersions }: Transaction, { settlement }: GivenSettlement): boolean =>
  (configVersions.get(settlement.accountId) ?? null) !== null;

/** Keeps the first settlement of each claim. A repeat for a delivery in memory finds no row: the first took it out. */
function withoutRepeats(placed: readonly PlacedSettlement[]): PlacedSettlement[] {
  const seen = new Set<string>();
  return placed.filter(({ settlement: { deliveryId, claimToken } }) => {
    return seen.size < seen.add(`${deliveryId} ${claimToken}`).size;
  });
}

const toSettled = (
  { settlement, nowMs, place }: GivenSettlement & { readonly place: number },
  row: { readonly destinationId: string; readonly acceptedAtMs: number },
): Settled => ({
  settlement,
  nowMs,
  place,
  ...row,
  noted: toNotedAttempt(settlement, toSummary(settlement.attempt), nowMs),
});

/** Those that have a row. */
async function settleRows(tx: Transaction, placed: readonly PlacedSettlement[]): Promise<Settled[]> {
  if (placed.length === 0) return [];
  tx.planAnew();
  const held = await tx.db.all<SettledRow>(SETTLE_DELIVERIES, ...GIVEN.toValues(placed.map(settlementRow)));
  for (const row of held) remember(tx, row);
  const byPlace = new Map(placed.map((item) => [item.place, item]));
  const settled = held.flatMap(({ place, id, acceptedAtMs }) => {
    const item = byPlace.get(place);
    return item === undefined ? [] : [toSettled(item, { destinationId: id, acceptedAtMs })];
  });
  tx.later(insertAttempts(tx, settled.map(toAttempt)));
  return settled;
}

const toAttempt = ({ settlement: { deliveryId, attempt } }: Settled) => ({
  ...attempt,
  delivery_id: deliveryId,
});

function settlementRow({ settlement, nowMs, place }: PlacedSettlement) {
  const { deliveryId, claimToken, attempt, next, isFree } = settlement;
  const isPending = next.state === "pending";
  const { number, outcome, response_status, total_ms } = attempt;
  return {
    place,
    delivery_id: deliveryId,
    claim_token: claimToken,
    state: next.state,
    due_at: isPending ? next.dueAtMs : null,
    settled_at: isPending ? null : nowMs,
    // A delivery that has ended has no schedule left to count in.
    free: isPending && isFree ? 1 : 0,
    number,
    outcome,
    response_status,
    total_ms,
  };
}

/**
 * The settling has read the destinations without locking them. Those that change, or get a delivery that waits, are
 * locked and read again, and so is one with an order; a healthy one that was delivered to is left alone.
 */
async function lockWhatChanges(tx: Transaction, settled: readonly Settled[]): Promise<void> {
  const changing = settled.filter(
    ({ settlement, destinationId, noted }) =>
      settlement.next.state === "pending" ||
      destinationNow(tx, destinationId).isOneAtATime ||
      changesDestination(destinationNow(tx, destinationId), noted),
  );
  if (changing.length === 0) return;
  tx.planAnew();
  await lockDestinations(
    tx,
    changing.map(({ destinationId }) => destinationId),
  );
}

/** Where a head has ended, the next one is due. */
function dueTimes(tx: Transaction, settled: readonly Settled[]): Map<string, number> {
  const times = new Map<string, number>();
  for (const { settlement, destinationId, nowMs } of settled) {
    if (settlement.next.state === "pending") noteDue(times, destinationId, settlement.next.dueAtMs);
    else if (destinationNow(tx, destinationId).isOneAtATime) noteDue(times, destinationId, nowMs);
  }
  return times;
}

/** Deliveries that have ended and were in an order. */
const heads = (tx: Transaction, settled: readonly Settled[]): string[] =>
  settled.flatMap(({ settlement: { deliveryId, next }, destinationId }) =>
    next.state !== "pending" && destinationNow(tx, destinationId).isOneAtATime ? [deliveryId] : [],
  );

/** A destination, and which settlement of the batch it is of. */
interface SettledRow extends DestinationRow {
  readonly place: number;
  readonly acceptedAtMs: number;
}

const GIVEN = givenRows({
  place: "integer",
  delivery_id: "text",
  claim_token: "text",
  state: "text",
  due_at: "bigint",
  settled_at: "bigint",
  free: "integer",
  number: "integer",
  outcome: "text",
  response_status: "integer",
  total_ms: "double precision",
});

const SETTLE_DELIVERIES = `-- name: settle deliveries if claimed
  with settled as (
    update deliveries d
    set state = given.state, is_ended = given.state <> 'pending', due_at = given.due_at, claim_token = null,
      attempts_made = given.number,
      attempts_before = d.attempts_before + given.free, settled_at = given.settled_at, last_outcome = given.outcome,
      last_status = given.response_status, last_ms = given.total_ms
    from unnest(${GIVEN.arrays}) as given (${GIVEN.names})
    where d.id = given.delivery_id and d.state = 'pending' and not d.is_ended and d.claim_token = given.claim_token
    returning given.place, d.destination_id, d.created_at
  )
  select settled.place, settled.created_at as "acceptedAtMs", ${DESTINATION_COLUMNS}
  from settled
  join destinations d on d.id = settled.destination_id`;

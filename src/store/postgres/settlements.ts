/**
 * Settling on PostgreSQL (`../sql/settled-rows.ts` says what it keeps true). Many calls share one statement; where all
 * went well at healthy destinations, that is the whole transaction.
 */
import { type NotedAttempt, changesDestination } from "../../domain/destination-now.ts";
import type { PackedSettlement, VerbParams } from "../calls.ts";
import type { SettleResult } from "../contract/path.ts";
import { DESTINATION_COLUMNS, type DestinationRow } from "../sql/destination-rows.ts";
import { toNotedAttempt } from "../sql/settled-rows.ts";
import { Counts } from "./attempt-counts.ts";
import { ATTEMPT_COLUMNS, ATTEMPT_FIELDS, ATTEMPT_VALUES, type AttemptColumns, toGist } from "./attempts.ts";
import { Changes } from "./destination-changes.ts";
import { applyAttempt } from "./destination-health.ts";
import { destinationNow, lockDestinations, lowerDueBounds, noteDue, remember } from "./destination-now.ts";
import type { Transaction } from "./transaction.ts";

/** Answers for each call, in order. */
export async function settleAttemptsIfClaimed(
  tx: Transaction,
  calls: readonly VerbParams<"settleAttemptsIfClaimed", AttemptColumns>[],
): Promise<SettleResult[][]> {
  const given = calls.flatMap(({ settlements, nowMs }) => settlements.map((settlement) => ({ settlement, nowMs })));
  const settled = await endOrRetry(tx, given);
  await lockWhatChanges(tx, settled);
  await lowerDueBounds(tx, dueTimes(settled));
  const changes = new Changes(tx);
  const answers: SettleResult[] = given.map(() => ({ kind: "claim_lost" }));
  const counts = new Counts();
  for (const { place, settlement, destinationId, acceptedAtMs, noted } of settled) {
    const { accountId } = destinationNow(tx, destinationId);
    counts.add({ accountId, destinationId, acceptedAtMs, gist: toGist(settlement.attempt), next: settlement.next });
    answers[place] = { kind: "settled", ...(await applyAttempt({ tx, changes }, destinationId, noted)) };
  }
  await changes.write();
  await counts.write(tx);
  return calls.map(({ settlements }) => answers.splice(0, settlements.length));
}

interface GivenSettlement {
  readonly settlement: PackedSettlement<AttemptColumns>;
  readonly nowMs: number;
}

interface Settled extends GivenSettlement {
  /** Its place in the batch. */
  readonly place: number;
  readonly destinationId: string;
  readonly acceptedAtMs: number;
  readonly noted: NotedAttempt;
}

/** Settlements with a claim that was held, in their order. The first of two for one claim counts. */
async function endOrRetry(tx: Transaction, given: readonly GivenSettlement[]): Promise<Settled[]> {
  if (given.length === 0) return [];
  const seen = new Set<string>();
  const rows = given.flatMap((item, place) => {
    const { deliveryId, claimToken } = item.settlement;
    const claim = `${deliveryId} ${claimToken}`;
    return seen.size < seen.add(claim).size ? [settlementRow(item, place)] : [];
  });
  const held = await tx.db.all<SettledRow>(SETTLE_DELIVERIES, JSON.stringify(rows));
  for (const row of held) remember(tx, row);
  return held
    .toSorted((a, b) => a.place - b.place)
    .flatMap(({ place, id, acceptedAtMs }) => {
      const item = given[place];
      if (item === undefined) return [];
      const noted = toNotedAttempt(item.settlement, toGist(item.settlement.attempt), item.nowMs);
      return [{ ...item, place, destinationId: id, acceptedAtMs, noted }];
    });
}

function settlementRow({ settlement, nowMs }: GivenSettlement, place: number) {
  const { deliveryId, claimToken, attempt, next, isFree } = settlement;
  const isPending = next.state === "pending";
  return {
    ...attempt,
    place,
    delivery_id: deliveryId,
    claim_token: claimToken,
    state: next.state,
    due_at: isPending ? next.dueAtMs : null,
    settled_at: isPending ? null : nowMs,
    // A delivery that has ended has no schedule left to count in.
    free: isPending && isFree ? 1 : 0,
  };
}

/**
 * The settling has read the destinations without locking them. Those that change, or get a delivery that waits, are
 * locked and read again; a healthy one that was delivered to is left alone.
 */
async function lockWhatChanges(tx: Transaction, settled: readonly Settled[]): Promise<void> {
  const changing = settled.filter(
    ({ settlement, destinationId, noted }) =>
      settlement.next.state === "pending" || changesDestination(destinationNow(tx, destinationId), noted),
  );
  await lockDestinations(
    tx,
    changing.map(({ destinationId }) => destinationId),
  );
}

function dueTimes(settled: readonly Settled[]): Map<string, number> {
  const times = new Map<string, number>();
  for (const { settlement, destinationId } of settled) {
    if (settlement.next.state === "pending") noteDue(times, destinationId, settlement.next.dueAtMs);
  }
  return times;
}

/** A destination, and which settlement of the batch it is of. */
interface SettledRow extends DestinationRow {
  readonly place: number;
  readonly acceptedAtMs: number;
}

const SETTLE_DELIVERIES = `-- name: settle deliveries if claimed
  with given as materialized (
    select place, claim_token, state, due_at, settled_at, free, ${ATTEMPT_COLUMNS}
    from json_to_recordset($1::json) as given (
      place integer, delivery_id text, claim_token text, state text, due_at bigint, settled_at bigint, free integer,
      ${ATTEMPT_FIELDS}
    )
  ), settled as (
    update deliveries d
    set state = given.state, due_at = given.due_at, claim_token = null, attempts_made = given.number,
      attempts_before = d.attempts_before + given.free, settled_at = given.settled_at, last_outcome = given.outcome,
      last_status = given.response_status, last_ms = given.total_ms
    from given
    where d.id = given.delivery_id and d.state = 'pending' and d.claim_token = given.claim_token
    returning given.place, d.destination_id, d.created_at
  ), written as (
    insert into attempts (${ATTEMPT_COLUMNS})
    select ${ATTEMPT_VALUES}
    from given
    join settled using (place)
  )
  select settled.place, settled.created_at as "acceptedAtMs", ${DESTINATION_COLUMNS}
  from settled
  join destinations d on d.id = settled.destination_id`;

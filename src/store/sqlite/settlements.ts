/**
 * Settling: the attempt and what becomes of its delivery, in one step, only for whoever still holds the claim.
 *
 * Invariant: `pending` is the only state that is left here, so no illegal edge can be taken; a delivery whose claim was
 * lost is not touched and its attempt is not written.
 */
import type { SettleResult } from "../store.ts";
import { insertAttempt, numberOf, outcomeKindOf, startedAtOf } from "./attempts.ts";
import { noteAttempt } from "./destination-health.ts";
import { lowerDueBound } from "./destination-now.ts";
import type { Transaction } from "./transaction.ts";
import type { PackedSettlement, VerbParams } from "./verbs.ts";

export function settleAttemptsIfClaimed(
  tx: Transaction,
  { settlements, nowMs }: VerbParams<"settleAttemptsIfClaimed">,
): SettleResult[] {
  return settlements.map((settlement) => settle(tx, settlement, nowMs));
}

function settle(tx: Transaction, settlement: PackedSettlement, nowMs: number): SettleResult {
  const destinationId = endOrRetry(tx, settlement, nowMs);
  if (destinationId === null) return { kind: "claim_lost" };
  const { deliveryId, attempt, isProbe, destinationOff, holdUntilMs } = settlement;
  insertAttempt(tx, deliveryId, attempt);
  const heldUntilMs = noteAttempt(tx, destinationId, {
    outcome: outcomeKindOf(attempt),
    succeeded: settlement.next.state === "delivered",
    isProbe,
    startedAtMs: startedAtOf(attempt),
    nowMs,
    holdUntilMs,
    destinationOff,
  });
  return { kind: "settled", heldUntilMs };
}

/** The delivery's destination, or `null` when the claim is not held. */
function endOrRetry(tx: Transaction, settlement: PackedSettlement, nowMs: number): string | null {
  const { deliveryId, claimToken, next } = settlement;
  const number = numberOf(settlement.attempt);
  if (next.state !== "pending") {
    const ended = tx.db.get<SettledRow>(END_DELIVERY, next.state, number, nowMs, deliveryId, claimToken);
    if (ended !== undefined) tx.waitingChange -= 1;
    return ended?.destinationId ?? null;
  }
  const waiting = tx.db.get<SettledRow>(RETRY_DELIVERY, next.dueAtMs, number, deliveryId, claimToken);
  if (waiting !== undefined) lowerDueBound(tx, waiting.destinationId, next.dueAtMs);
  return waiting?.destinationId ?? null;
}

interface SettledRow {
  readonly destinationId: string;
}

const END_DELIVERY = `-- name: end delivery if claimed
  update deliveries
  set state = ?, due_at = null, claim_token = null, attempts_made = ?, settled_at = ?
  where id = ? and state = 'pending' and claim_token = ?
  returning destination_id as "destinationId"`;

const RETRY_DELIVERY = `-- name: put delivery back for a retry if claimed
  update deliveries
  set due_at = ?, claim_token = null, attempts_made = ?
  where id = ? and state = 'pending' and claim_token = ?
  returning destination_id as "destinationId"`;

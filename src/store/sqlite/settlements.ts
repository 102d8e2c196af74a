/**
 * Settling: the attempt and what becomes of its delivery, in one step, only for the node that still holds the claim.
 *
 * Invariant: `pending` is the only state that is left here, so no illegal edge can be taken; a delivery whose claim was
 * lost is not touched and its attempt is not written.
 */
import type { NotedResult } from "../../domain/destination-now.ts";
import type { SettleResult } from "../contract/path.ts";
import { noteCounts } from "./attempt-counts.ts";
import {
  type AttemptColumns,
  insertAttempt,
  numberOf,
  outcomeKindOf,
  startedAtOf,
  statusOf,
  totalMsOf,
} from "./attempts.ts";
import { applyAttempt } from "./destination-health.ts";
import { destinationNow, lowerDueBound } from "./destination-now.ts";
import type { Transaction } from "./transaction.ts";
import type { PackedSettlement, VerbParams } from "../calls.ts";

/** Answers at once, unless an attempt is news: telling of it goes through the shared verbs. */
export function settleAttemptsIfClaimed(
  tx: Transaction,
  { settlements, nowMs }: VerbParams<"settleAttemptsIfClaimed", AttemptColumns>,
): SettleResult[] | Promise<SettleResult[]> {
  const results: SettleResult[] = [];
  for (const settlement of settlements) {
    const result = settle(tx, settlement, nowMs);
    if (result instanceof Promise) return settleBehind(tx, { settlements, nowMs }, [...results, result]);
    results.push(result);
  }
  return results;
}

/** The rest of them, each after the one before: it may be about the same destination. */
async function settleBehind(
  tx: Transaction,
  { settlements, nowMs }: VerbParams<"settleAttemptsIfClaimed", AttemptColumns>,
  begun: readonly (SettleResult | Promise<SettleResult>)[],
): Promise<SettleResult[]> {
  const results = await Promise.all(begun);
  for (const settlement of settlements.slice(begun.length)) results.push(await settle(tx, settlement, nowMs));
  return results;
}

function settle(
  tx: Transaction,
  settlement: PackedSettlement<AttemptColumns>,
  nowMs: number,
): SettleResult | Promise<SettleResult> {
  const settled = endOrRetry(tx, settlement, nowMs);
  if (settled === null) return { kind: "claim_lost" };
  const { destinationId, acceptedAtMs } = settled;
  const { accountId } = destinationNow(tx, destinationId);
  const { deliveryId, attempt, next, isProbe, destinationOff, holdUntilMs } = settlement;
  insertAttempt(tx, deliveryId, attempt);
  noteCounts(tx, { accountId, destinationId, acceptedAtMs, attempt, next });
  const noted = applyAttempt(tx, destinationId, {
    outcome: outcomeKindOf(attempt),
    status: statusOf(attempt),
    succeeded: next.state === "delivered",
    isProbe,
    startedAtMs: startedAtOf(attempt),
    nowMs,
    holdUntilMs,
    destinationOff,
  });
  return noted instanceof Promise ? noted.then(toSettled) : toSettled(noted);
}

const toSettled = ({ heldUntilMs, turnedOff }: NotedResult): SettleResult => ({
  kind: "settled",
  heldUntilMs,
  turnedOff,
});

/** `null` when the claim is not held. */
function endOrRetry(tx: Transaction, settlement: PackedSettlement<AttemptColumns>, nowMs: number): SettledRow | null {
  const { deliveryId, claimToken, attempt, next, isFree } = settlement;
  const last = [numberOf(attempt), outcomeKindOf(attempt), statusOf(attempt), totalMsOf(attempt)] as const;
  if (next.state !== "pending") {
    const ended = tx.db.get<SettledRow>(END_DELIVERY, ...last, next.state, nowMs, deliveryId, claimToken);
    if (ended !== undefined) tx.waitingChange -= 1;
    return ended ?? null;
  }
  const waiting = tx.db.get<SettledRow>(RETRY_DELIVERY, ...last, next.dueAtMs, Number(isFree), deliveryId, claimToken);
  if (waiting !== undefined) lowerDueBound(tx, waiting.destinationId, next.dueAtMs);
  return waiting ?? null;
}

interface SettledRow {
  readonly destinationId: string;
  readonly acceptedAtMs: number;
}

const END_DELIVERY = `-- name: end delivery if claimed
  update deliveries
  set attempts_made = ?, last_outcome = ?, last_status = ?, last_ms = ?, state = ?, due_at = null, claim_token = null,
    settled_at = ?
  where id = ? and state = 'pending' and claim_token = ?
  returning destination_id as "destinationId", created_at as "acceptedAtMs"`;

const RETRY_DELIVERY = `-- name: put delivery back for a retry if claimed
  update deliveries
  set attempts_made = ?, last_outcome = ?, last_status = ?, last_ms = ?, due_at = ?, claim_token = null,
    attempts_before = attempts_before + ?
  where id = ? and state = 'pending' and claim_token = ?
  returning destination_id as "destinationId", created_at as "acceptedAtMs"`;

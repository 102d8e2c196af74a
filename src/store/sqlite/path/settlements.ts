/** Settling on SQLite, one delivery after the other: `../../sql/path/settled-rows.ts` says what it keeps true. */
import type { NotedResult } from "../../../domain/destination-now.ts";
import type { PackedSettlement, VerbParams } from "../../calls.ts";
import type { SettleResult } from "../../contract/path.ts";
import { type AttemptSummary, type SettledRow, toNotedAttempt } from "../../sql/path/settled-rows.ts";
import { noteCounts } from "../figures/attempt-counts.ts";
import { type AttemptColumns, insertAttempt, toSummary } from "../attempts.ts";
import { applyAttempt, destinationNow, lowerDueBound } from "./destinations.ts";
import type { InMemoryDelivery } from "../in-memory-deliveries.ts";
import { leaveOrder } from "./order.ts";
import { writePending } from "./pending-rows.ts";
import type { Transaction } from "../transaction.ts";

/** Answers at once, unless an attempt is news: telling of it goes through the shared verbs. */
export function settleAttemptsIfClaimed(
  tx: Transaction,
  { settlements, nowMs }: VerbParams<"settleAttemptsIfClaimed", AttemptColumns>,
): SettleResult[] | Promise<SettleResult[]> {
  const results: SettleResult[] = [];
  for (const settlement of settlements) {
    const result = settle(tx, settlement, nowMs);
    if (result instanceof Promise) return settleRest(tx, { settlements, nowMs }, { results, next: result });
    results.push(result);
  }
  return results;
}

/** From the one that waits on, each after the one before: it may be about the same destination. */
async function settleRest(
  tx: Transaction,
  { settlements, nowMs }: VerbParams<"settleAttemptsIfClaimed", AttemptColumns>,
  { results, next }: { readonly results: SettleResult[]; readonly next: Promise<SettleResult> },
): Promise<SettleResult[]> {
  results.push(await next);
  for (const settlement of settlements.slice(results.length)) results.push(await settle(tx, settlement, nowMs));
  return results;
}

function settle(
  tx: Transaction,
  settlement: PackedSettlement<AttemptColumns>,
  nowMs: number,
): SettleResult | Promise<SettleResult> {
  const given = { settlement, summary: toSummary(settlement.attempt), nowMs };
  const inMemory = tx.inMemory.find(settlement.deliveryId);
  const settled = inMemory === null ? endOrRetry(tx, given) : settleInMemory(tx, inMemory, given);
  if (settled === null) return { kind: "claim_lost" };
  const noted = applyAttempt(tx, settled.destinationId, toNotedAttempt(settlement, given.summary, nowMs));
  return noted instanceof Promise ? noted.then(toSettled) : toSettled(noted);
}

const toSettled = ({ heldUntilMs, turnedOff }: NotedResult): SettleResult => ({
  kind: "settled",
  heldUntilMs,
  turnedOff,
});

interface GivenSettlement {
  readonly settlement: PackedSettlement<AttemptColumns>;
  readonly summary: AttemptSummary;
  readonly nowMs: number;
}

/** The first attempt of a delivery without a row. `null` when another claim holds it. */
function settleInMemory(tx: Transaction, delivery: InMemoryDelivery, given: GivenSettlement): SettledRow | null {
  const { settlement, summary, nowMs } = given;
  const { next, claimToken, attempt } = settlement;
  const { id, eventSeq, accountId, destinationId, acceptedAtMs, claim } = delivery;
  if (claim.token !== claimToken) return null;
  if (next.state === "pending") {
    writePending(tx, delivery, { dueAtMs: next.dueAtMs, claimToken });
    return endOrRetry(tx, given);
  }
  tx.inMemory.remove(id);
  tx.waitingChange -= 1;
  const names = [id, eventSeq, accountId, destinationId, acceptedAtMs] as const;
  const [number, startedAtMs, outcome, status, totalMs, ...kept] = attempt;
  const last = [number, startedAtMs, outcome, status, totalMs] as const;
  tx.db.run(INSERT_ENDED, ...names, next.state, nowMs, ...last, ...kept);
  noteCounts(tx.counts, { accountId, destinationId, acceptedAtMs, summary, next });
  return { destinationId, acceptedAtMs };
}

/** A delivery with a row. `null` when the claim is not held. */
function endOrRetry(tx: Transaction, given: GivenSettlement): SettledRow | null {
  const settled = updateRow(tx, given);
  if (settled === null) return null;
  const { deliveryId, attempt, next } = given.settlement;
  const { accountId } = destinationNow(tx, settled.destinationId);
  insertAttempt(tx, deliveryId, attempt);
  noteCounts(tx.counts, { ...settled, accountId, summary: given.summary, next });
  return settled;
}

function updateRow(tx: Transaction, { settlement, summary, nowMs }: GivenSettlement): SettledRow | null {
  const { deliveryId, claimToken, next, isFree } = settlement;
  const last = [summary.number, summary.outcome, summary.status, summary.totalMs] as const;
  if (next.state !== "pending") {
    const ended = tx.db.get<SettledRow>(END_DELIVERY, ...last, next.state, nowMs, deliveryId, claimToken);
    if (ended === undefined) return null;
    tx.waitingChange -= 1;
    if (destinationNow(tx, ended.destinationId).isOneAtATime) endHead(tx, { deliveryId, ...ended, nowMs });
    return ended;
  }
  const waiting = tx.db.get<SettledRow>(RETRY_DELIVERY, ...last, next.dueAtMs, Number(isFree), deliveryId, claimToken);
  if (waiting !== undefined) lowerDueBound(tx, waiting.destinationId, next.dueAtMs);
  return waiting ?? null;
}

/** The next one may go. */
function endHead(
  tx: Transaction,
  { deliveryId, destinationId, nowMs }: { deliveryId: string; destinationId: string; nowMs: number },
): void {
  leaveOrder(tx, deliveryId);
  lowerDueBound(tx, destinationId, nowMs);
}

const INSERT_ENDED = `-- name: insert delivery that ended with its first attempt
  insert into deliveries
    (id, event_seq, account_id, destination_id, created_at, state, settled_at, attempts_made, attempted_at,
    last_outcome, last_status, last_ms, attempt_detail, answer_headers, answer_body)
  values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`;

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

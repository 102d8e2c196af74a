/**
 * The breaker at work: what an attempt says about its destination, and the one probe that an open breaker lets out. The
 * rules themselves are pure (`domain/destination-now.ts`); here they meet the row, in the settlement's transaction.
 *
 * Invariant: while a probe is out, `not_before_at` lies at the end of its claim. So there is one probe at a time, and
 * one whose node has died is followed by another by itself.
 */
import { isOpen } from "../../domain/destination-health.ts";
import {
  type NotedAttempt,
  type NotedResult,
  SYSTEM_ACTOR,
  findReason,
  noteAttempt,
  toNotedResult,
} from "../../domain/destination-now.ts";
import type { Claim } from "../contract/path.ts";
import { isNews, tellOfAttempt } from "../sql/destination-health.ts";
import type { Turn } from "../sql/operator-notices.ts";
import { changeDestination } from "./destination-changes.ts";
import { destinationNow } from "./destination-now.ts";
import type { Transaction } from "./transaction.ts";

/** Applies one attempt, and writes only what it changed: a success of a healthy destination costs nothing. */
export function applyAttempt(
  tx: Transaction,
  destinationId: string,
  attempt: NotedAttempt,
): NotedResult | Promise<NotedResult> {
  const { nowMs } = attempt;
  const before = destinationNow(tx, destinationId);
  const turn = { before, after: noteAttempt(before, attempt), nowMs };
  return isNews(turn) ? applyTurn(tx, destinationId, turn) : toNotedResult(before, before, nowMs);
}

async function applyTurn(tx: Transaction, destinationId: string, turn: Turn): Promise<NotedResult> {
  const { before, nowMs } = turn;
  const after = await tellOfAttempt(tx, destinationId, turn);
  changeDestination(tx, destinationId, { after, reason: findReason(after), actor: SYSTEM_ACTOR, nowMs });
  return toNotedResult(before, after, nowMs);
}

export function startProbe(tx: Transaction, destinationId: string, claim: Claim): void {
  tx.db.run(START_PROBE, claim.untilMs, claim.token, destinationId);
  tx.destinations.delete(destinationId);
}

/** For a claim that is given back: if it was the probe's, another probe may go from `dueAtMs` on. */
export function endProbe(
  tx: Transaction,
  destinationId: string,
  { claim, dueAtMs }: { claim: Claim; dueAtMs: number },
): void {
  const { health, probeToken } = destinationNow(tx, destinationId);
  // A later end than the claim's is a Retry-After that came in meanwhile.
  if (!isOpen(health) || probeToken !== claim.token || health.notBeforeMs !== claim.untilMs) return;
  tx.db.run(END_PROBE, dueAtMs, destinationId);
  tx.destinations.delete(destinationId);
}

const START_PROBE = `-- name: hold destination back for its probe
  update destinations
  set not_before_at = ?, probe_token = ?
  where id = ?`;

const END_PROBE = `-- name: end hold of probe
  update destinations
  set not_before_at = ?, probe_token = null
  where id = ?`;

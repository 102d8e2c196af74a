/**
 * The breaker at work: what an attempt says about its destination, and the one probe that an open breaker lets out. The
 * rules themselves are pure (`domain/destination-health.ts`); here they meet the row, in the settlement's transaction.
 *
 * Invariant: while a probe is out, `not_before_at` lies at the end of its claim. So there is one probe at a time, and
 * one whose node has died is followed by another without anybody's help.
 */
import type { OutcomeKind } from "../../domain/attempt.ts";
import type { DestinationOffReason } from "../../domain/destination.ts";
import { afterAttempt, isChargeable, isGivenUp, isOpen, type SettledAttempt } from "../../domain/destination-health.ts";
import { type Told, UNTOLD, newsOf } from "../outage-news.ts";
import type { Claim } from "../contract/path.ts";
import { changeDestination, conditionOf, isSame } from "./destination-changes.ts";
import type { DestinationNow } from "../destination-now.ts";
import { destinationNow } from "./destination-now.ts";
import { writeNews } from "./mail-digests.ts";
import { tellOperator } from "./operator-notices.ts";
import type { Transaction } from "./transaction.ts";

/** In changes that nobody asked for. */
const SYSTEM = "system";

export interface NotedAttempt extends SettledAttempt {
  readonly outcome: OutcomeKind;
  /** The answer's, if there was one. */
  readonly status: number | null;
  readonly destinationOff: DestinationOffReason | null;
}

/**
 * Applies one attempt, and writes only what it changed: a success of a healthy destination costs nothing. Returns until
 * when the destination is held back (0 when it is not), and why it was turned off if this attempt did that.
 */
export function noteAttempt(
  tx: Transaction,
  destinationId: string,
  attempt: NotedAttempt,
): { heldUntilMs: number; turnedOff: DestinationOffReason | null } {
  const { nowMs } = attempt;
  const before = destinationNow(tx, destinationId);
  const noted = afterNoted(before, attempt);
  if (!isSame(before, noted)) tellOperator(tx, destinationId, { before, after: noted, nowMs });
  const after = { ...noted, ...tellOwner(tx, destinationId, { before, after: noted, nowMs }) };
  changeDestination(tx, destinationId, { after, reason: reasonOf(after), actor: SYSTEM, nowMs });
  return {
    heldUntilMs: isHeld(after, nowMs) ? after.health.notBeforeMs : 0,
    turnedOff: before.state === "off" ? null : after.offReason,
  };
}

function afterNoted(before: DestinationNow, attempt: NotedAttempt): DestinationNow {
  const { outcome, status, destinationOff, succeeded, startedAtMs, nowMs } = attempt;
  const isCharged = isChargeable(outcome);
  const health = isCharged ? afterAttempt(before.health, attempt) : before.health;
  // The first reason stays: one that is off already is not turned off for another.
  const offReason = before.offReason ?? destinationOff ?? (isGivenUp(health, nowMs) ? "failing" : null);
  const lastFailure = isCharged && !succeeded ? { atMs: startedAtMs, outcome, status } : before.lastFailure;
  return { ...before, health, offReason, state: offReason === null ? before.state : "off", lastFailure };
}

interface Turn {
  readonly before: DestinationNow;
  readonly after: DestinationNow;
  readonly nowMs: number;
}

/** An outage counts as told only when there is somebody to tell: who is named during it is told then. */
function tellOwner(tx: Transaction, destinationId: string, { before, after, nowMs }: Turn): Told {
  const news = newsOf(before, after, nowMs);
  const { accountId, isTold, toldAtMs } = before;
  if (news === null) return { isTold, toldAtMs };
  return writeNews(tx, { accountId, destinationId, kind: news.kind, nowMs }) ? news.told : UNTOLD;
}

/** An open breaker holds back also what comes after `notBeforeMs`: only a claim knows which delivery is the probe. */
export const isHeld = ({ health }: DestinationNow, nowMs: number): boolean =>
  isOpen(health) || health.notBeforeMs > nowMs;

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

/** A code, as the reason of going off is; whoever shows it has the words. */
function reasonOf(after: DestinationNow): string {
  if (after.offReason !== null) return after.offReason;
  return conditionOf(after) === "held" ? "breaker_opened" : "breaker_closed";
}

const START_PROBE = `-- name: hold destination back for its probe
  update destinations
  set not_before_at = ?, probe_token = ?
  where id = ?`;

const END_PROBE = `-- name: end hold of probe
  update destinations
  set not_before_at = ?, probe_token = null
  where id = ?`;

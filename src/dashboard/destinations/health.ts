/**
 * A destination's health in one word, with the facts of its banner. Pure; the words are the page's.
 *
 *     off, paused      its own states, with any outcome of attempts
 *     no_deliveries    nothing was attempted yet, tests aside
 *     failing          the last attempt failed, and so did about five more than succeeded (or it is given a rest)
 *     unsteady         some attempts fail: failure score is left, or less than 95 % of the latest ones succeeded
 *     healthy          everything else
 */
import { isPulled } from "../../domain/pull.ts";
import { computeSuccess } from "../../domain/success.ts";
import type { ReportedDestination } from "../../store/contract/destinations.ts";
import { FAILING_SCORE_MIN, findGivenUpMs } from "../../domain/destination-health.ts";
import type { HeadOfOrder } from "../../store/contract/order.ts";
import type { DestinationHealthView, DestinationView, HealthWord, OrderView } from "../contract/destinations.ts";

/** The outcomes of one hour's attempts, and the deliveries that ended in it. */
export interface HourFigures {
  readonly succeeded: number;
  /** Attempts that failed, the last ones of their delivery included. */
  readonly failed: number;
  /** Those of `failed` that were the last ones of their delivery. */
  readonly ended: number;
}

/** One failure is everyday life; a second one before a success makes up for it is worth a word. */
const UNSTEADY_SCORE_MIN = 2;
/** Fewer attempts than these say nothing in per cent. */
const SHARE_ATTEMPTS_MIN = 20;
const HEALTHY_SHARE_MIN = 0.95;

/** `lastDay`: the last 24 hours, oldest first. */
export function toDestinationView(
  destination: ReportedDestination,
  { lastDay, nowMs }: { readonly lastDay: readonly HourFigures[]; readonly nowMs: number },
): DestinationView {
  const { id, owner, url, tags, state } = destination;
  return { id, owner, url, tags, state, health: healthView(destination, lastDay, nowMs) };
}

function healthView(
  destination: ReportedDestination,
  lastDay: readonly HourFigures[],
  nowMs: number,
): DestinationHealthView {
  const { state, failingSinceMs, lastFailure, lastChange, notBeforeMs, waiting, offReason } = destination;
  const isOn = state === "on";
  const showsFailure = lastFailure !== null && (failingSinceMs !== null || state === "off");
  const attemptAtMs = isOn && !isPulled(destination) ? nextAttemptAtMs(destination, nowMs) : null;
  const next = { lastFailureAtMs: lastFailure?.atMs ?? null, nextAttemptAtMs: attemptAtMs };
  return {
    word: findHealthWord(destination, lastDay),
    failingSinceMs,
    lastFailure: showsFailure ? { atMs: lastFailure.atMs, code: toCode(lastFailure) } : null,
    waiting,
    oldestWaitingAtMs: destination.oldestWaitingAtMs,
    nextAttemptAtMs: attemptAtMs,
    heldUntilMs: isOn && notBeforeMs > nowMs ? notBeforeMs : null,
    turnsOffAtMs: findGivenUpMs(failingSinceMs, next),
    offReason,
    changed: isOn || lastChange === null ? null : changedView(lastChange),
    successRate: successRate(lastDay, countOverdue(destination)),
    lastDay: lastDay.map(({ succeeded, failed }) => ({ succeeded, failed })),
  };
}

export function findHealthWord(destination: ReportedDestination, lastDay: readonly HourFigures[]): HealthWord {
  const { state, hasAttempts, isHeld, failingSinceMs, failureScore } = destination;
  if (state !== "on") return state;
  if (!hasAttempts) return "no_deliveries";
  if (isHeld || (failingSinceMs !== null && failureScore >= FAILING_SCORE_MIN)) return "failing";
  const share = latestShare(lastDay);
  return failureScore >= UNSTEADY_SCORE_MIN || (share !== null && share < HEALTHY_SHARE_MIN) ? "unsteady" : "healthy";
}

/** The share in the newest hours that have enough attempts together; `null` when the day has too few. */
function latestShare(lastDay: readonly HourFigures[]): number | null {
  let succeeded = 0;
  let attempts = 0;
  for (const hour of lastDay.toReversed()) {
    succeeded += hour.succeeded;
    attempts += hour.succeeded + hour.failed;
    if (attempts >= SHARE_ATTEMPTS_MIN) return succeeded / attempts;
  }
  return null;
}

/** Of the last day. */
function successRate(lastDay: readonly HourFigures[], overdue: number): number | null {
  const delivered = lastDay.reduce((sum, hour) => sum + hour.succeeded, 0);
  const failed = lastDay.reduce((sum, hour) => sum + hour.ended, 0);
  return computeSuccess({ delivered, failed, overdue });
}

/**
 * Deliveries that would have arrived if their receiver were well: all that waits while it fails or is off. What a
 * person has paused is late by that person's wish.
 */
function countOverdue(destination: ReportedDestination): number {
  const { state, isHeld, failingSinceMs, failureScore, waiting } = destination;
  const isFailing = isHeld || (failingSinceMs !== null && failureScore >= FAILING_SCORE_MIN);
  return state === "off" || (state === "on" && isFailing) ? waiting.count : 0;
}

/** Nothing goes out before both the delivery is due and the destination is not held back any more. */
function nextAttemptAtMs({ nextDueAtMs, notBeforeMs }: ReportedDestination, nowMs: number): number | null {
  return nextDueAtMs === null ? null : Math.max(nextDueAtMs, notBeforeMs, nowMs);
}

/** `head`: the delivery that all others of it wait for, if any. */
export function toOrderView(
  { state, notBeforeMs }: ReportedDestination,
  head: HeadOfOrder | undefined,
  nowMs: number,
): OrderView {
  if (head === undefined) return { head: null };
  const { deliveryId, attemptsMade, heldSinceMs, dueAtMs, isUnderWay } = head;
  const attemptAtMs = state === "on" && !isUnderWay ? Math.max(dueAtMs, notBeforeMs, nowMs) : null;
  return { head: { deliveryId, attemptsMade, heldSinceMs, nextAttemptAtMs: attemptAtMs, isUnderWay } };
}

const changedView = ({ actor, atMs, reason }: NonNullable<ReportedDestination["lastChange"]>) => ({
  by: actor,
  atMs,
  reason,
});

/** "503" for an answer, else the kind of what was met instead, such as "timeout". */
export const toCode = ({ outcome, status }: { readonly outcome: string; readonly status: number | null }): string =>
  status === null ? outcome : String(status);

/**
 * A destination's health and its circuit breaker, which gives a failing destination a cool-down. Pure. The store
 * applies it in the transaction that settles an attempt, so that every node sees the same and a restart forgets none.
 *
 *     closed ──failure score reaches SCORE_MAX──► open ──cool-down ends──► half-open: one trial
 *       ▲                                          ▲                             │    │
 *       │                                          └─ fails: a longer cool-down ─┘    │
 *       └──────────────────────────────── succeeds ───────────────────────────────────┘
 *
 * The failure score is one counter for both signs of trouble: failures in a row, and more failures than successes over
 * a longer run. While the breaker is open only trials are sent, so the waiting deliveries spend no attempts.
 */
import { daysMs, hoursMs, minutesMs, secondsMs } from "../lib/duration.ts";
import { isHandedOut, type OutcomeKind } from "./attempt.ts";

export interface DestinationHealth {
  /** Start of the unbroken run of failed attempts, or `null` when the last one succeeded. */
  readonly failingSinceMs: number | null;
  /**
   * +1 for a failed attempt, -1 for a successful one, never below 0. The breaker opens at `SCORE_MAX`; while it is
   * open the failures count on, up to `GIVEN_UP_SCORE_MIN`.
   */
  readonly failureScore: number;
  /** How often in a row the breaker has opened: 0 while it is closed. */
  readonly consecutiveOpens: number;
  /** The destination is held back until this instant; 0 when it is not. */
  readonly notBeforeMs: number;
}

export const HEALTHY: DestinationHealth = {
  failingSinceMs: null,
  failureScore: 0,
  consecutiveOpens: 0,
  notBeforeMs: 0,
};

/** Guess. A receiver that restarts fails a handful of times; one that is down soon has this many failures. */
const SCORE_MAX = 8;

const COOL_DOWN_MIN_MS = secondsMs(30);
const COOL_DOWN_MAX_MS = minutesMs(15);

/** When all attempts of a destination have failed for this long, it is turned off. Source: decisions §4. */
export const FAILING_MAX_MS = daysMs(5);

/**
 * Failures with more silence between them are two runs. The retry schedule's longest delay (24 h and 20 %), a cool-down
 * and a node that was down for a day are shorter, so a dead destination with something to send has one run.
 */
const SILENCE_MAX_MS = hoursMs(30);

/** The highest score that a run of failures begins with: what a success leaves when the breaker was about to open. */
const LEFT_SCORE_MAX = SCORE_MAX - 2;

/** At least ten failures are of the run, whatever score it began with. Source: decisions, changes. */
export const GIVEN_UP_SCORE_MIN = LEFT_SCORE_MAX + 10;

export interface SettledAttempt {
  readonly succeeded: boolean;
  /** The attempt was the trial of a half-open breaker. */
  readonly isTrial: boolean;
  readonly startedAtMs: number;
  /** When it was settled. */
  readonly nowMs: number;
  /** The end of the silence that the receiver asked for with `Retry-After`. */
  readonly holdUntilMs: number | null;
}

/** No trouble that a success could end. */
export const hasCleanRecord = ({ failingSinceMs, failureScore, consecutiveOpens }: DestinationHealth): boolean =>
  failingSinceMs === null && failureScore === 0 && consecutiveOpens === 0;

const NOT_THE_RECEIVERS: ReadonlySet<OutcomeKind> = new Set(["proxy_error", "internal_error", "body_error"]);

/**
 * Faults of ours and of the operator's proxy say nothing about the receiver, and neither does a body that could not be
 * made. A program that asks is none.
 */
export function isChargeable(outcome: OutcomeKind): boolean {
  return !NOT_THE_RECEIVERS.has(outcome) && !isHandedOut(outcome);
}

export const isOpen = (health: DestinationHealth): boolean => health.consecutiveOpens > 0;

/** Guess, with the five failures in a row that other products take: below that a restart looks like an outage. */
export const FAILING_SCORE_MIN = 5;

/** It is given a cool-down, or its last attempt failed and so did about five more than succeeded. */
export const isFailing = (health: DestinationHealth): boolean =>
  isOpen(health) || (health.failingSinceMs !== null && health.failureScore >= FAILING_SCORE_MIN);

/** The health after one more attempt. A success closes the breaker, also when it was not the trial. */
export function afterAttempt(health: DestinationHealth, attempt: SettledAttempt): DestinationHealth {
  return attempt.succeeded ? afterSuccess(health) : afterFailure(health, attempt);
}

/**
 * Failures before a long silence do not begin the run that this one belongs to: a quiet destination would be given up
 * for its first and its last day. Its breaker, if open, stays open.
 */
export function forgetOldRun(health: DestinationHealth, { lastFailureAtMs, startedAtMs }: Silence): DestinationHealth {
  if (lastFailureAtMs === null || startedAtMs - lastFailureAtMs <= SILENCE_MAX_MS) return health;
  return { ...health, failingSinceMs: null, failureScore: Math.min(health.failureScore, LEFT_SCORE_MAX) };
}

interface Silence {
  readonly lastFailureAtMs: number | null;
  readonly startedAtMs: number;
}

/** Whether the destination has failed for so long that only a person should turn it on again. */
export function isGivenUp({ failingSinceMs, failureScore }: DestinationHealth, failedAtMs: number): boolean {
  const isLong = failingSinceMs !== null && failedAtMs - failingSinceMs >= FAILING_MAX_MS;
  return isLong && failureScore >= GIVEN_UP_SCORE_MIN;
}

/** When a destination is turned off if all its attempts fail; `null` if the next comes after too long a silence. */
export function findGivenUpMs(failingSinceMs: number | null, next: NextAttempt): number | null {
  const { lastFailureAtMs, nextAttemptAtMs } = next;
  if (failingSinceMs === null || lastFailureAtMs === null || nextAttemptAtMs === null) return null;
  if (nextAttemptAtMs - lastFailureAtMs > SILENCE_MAX_MS) return null;
  return Math.max(failingSinceMs + FAILING_MAX_MS, nextAttemptAtMs);
}

interface NextAttempt {
  readonly lastFailureAtMs: number | null;
  readonly nextAttemptAtMs: number | null;
}

function afterSuccess(health: DestinationHealth): DestinationHealth {
  if (isOpen(health)) return HEALTHY;
  return { ...health, failingSinceMs: null, failureScore: Math.max(health.failureScore - 1, 0) };
}

function afterFailure(health: DestinationHealth, attempt: SettledAttempt): DestinationHealth {
  // The earlier one: after a clock was set back, the old start would lie in the future.
  const failingSinceMs = Math.min(health.failingSinceMs ?? attempt.startedAtMs, attempt.startedAtMs);
  const failureScore = Math.min(health.failureScore + 1, isOpen(health) ? GIVEN_UP_SCORE_MIN : SCORE_MAX);
  // Attempts in flight when the breaker opened fail one after the other: that is one outage, not many.
  const opens = isOpen(health) ? attempt.isTrial : failureScore === SCORE_MAX;
  const consecutiveOpens = health.consecutiveOpens + (opens ? 1 : 0);
  const coolDownUntilMs = opens ? attempt.nowMs + coolDownMs(consecutiveOpens) : 0;
  // The longest silence wins: an earlier `Retry-After` outlasts a short rest.
  const notBeforeMs = Math.max(health.notBeforeMs, coolDownUntilMs, attempt.holdUntilMs ?? 0);
  return { failingSinceMs, failureScore, consecutiveOpens, notBeforeMs };
}

const coolDownMs = (consecutiveOpens: number): number =>
  Math.min(COOL_DOWN_MIN_MS * 2 ** (consecutiveOpens - 1), COOL_DOWN_MAX_MS);

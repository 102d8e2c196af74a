/**
 * A destination's health and its circuit breaker, which gives a failing destination a rest. Pure. The store applies it
 * in the transaction that settles an attempt, so that every node sees the same health and a restart forgets none of it.
 *
 *     closed ──strain reaches STRAIN_MAX──► open ──its rest is over──► half-open: one probe
 *       ▲                                    ▲                             │    │
 *       │                                    └────── fails: a longer rest ─┘    │
 *       └──────────────────────────────────── succeeds ─────────────────────────┘
 *
 * Strain is one counter for both signs of trouble: failures in a row, and more failures than successes over a longer
 * run. While the breaker is open only probes are sent, so the waiting deliveries spend no attempts.
 */
import { daysMs, hoursMs, minutesMs, secondsMs } from "../lib/duration.ts";
import type { OutcomeKind } from "./attempt.ts";

export interface DestinationHealth {
  /** Start of the unbroken run of failed attempts, or `null` when the last one succeeded. */
  readonly failingSinceMs: number | null;
  /**
   * +1 for a failed attempt, -1 for a successful one, never below 0. The breaker opens at `STRAIN_MAX`; while it is
   * open the failures count on, up to `GIVEN_UP_STRAIN_MIN`.
   */
  readonly strain: number;
  /** How often in a row the breaker has opened: 0 while it is closed. */
  readonly trips: number;
  /** The destination is held back until this instant; 0 when it is not. */
  readonly notBeforeMs: number;
}

export const HEALTHY: DestinationHealth = { failingSinceMs: null, strain: 0, trips: 0, notBeforeMs: 0 };

/** Guess. A receiver that restarts fails a handful of times; one that is down soon has this many failures. */
const STRAIN_MAX = 8;

const REST_MIN_MS = secondsMs(30);
const REST_MAX_MS = minutesMs(15);

/** When all attempts of a destination have failed for this long, it is turned off. Source: decisions §4. */
export const FAILING_MAX_MS = daysMs(5);

/**
 * Failures with more silence between them are two runs. The retry schedule's longest delay (24 h and 20 %), a rest and
 * a node that was down for a day are shorter, so a dead destination with something to send has one run.
 */
const SILENCE_MAX_MS = hoursMs(30);

/** The most strain that a run of failures begins with: what a success leaves when the breaker was about to open. */
const LEFT_STRAIN_MAX = STRAIN_MAX - 2;

/** At least ten failures are of the run, whatever strain it began with. Source: decisions, changes. */
export const GIVEN_UP_STRAIN_MIN = LEFT_STRAIN_MAX + 10;

export interface SettledAttempt {
  readonly succeeded: boolean;
  /** The attempt was the probe of a half-open breaker. */
  readonly isProbe: boolean;
  readonly startedAtMs: number;
  /** When it was settled. */
  readonly nowMs: number;
  /** The end of the silence that the receiver asked for with `Retry-After`. */
  readonly holdUntilMs: number | null;
}

/** No trouble that a success could end. */
export const isUnstrained = ({ failingSinceMs, strain, trips }: DestinationHealth): boolean =>
  failingSinceMs === null && strain === 0 && trips === 0;

/** Faults of ours and of the operator's proxy say nothing about the receiver, good or bad. */
export function isChargeable(outcome: OutcomeKind): boolean {
  return outcome !== "proxy_error" && outcome !== "internal_error";
}

export const isOpen = (health: DestinationHealth): boolean => health.trips > 0;

/** Guess, with the five failures in a row that other products take: below that a restart looks like an outage. */
export const FAILING_STRAIN_MIN = 5;

/** It is given a rest, or its last attempt failed and so did about five more than succeeded. */
export const isFailing = (health: DestinationHealth): boolean =>
  isOpen(health) || (health.failingSinceMs !== null && health.strain >= FAILING_STRAIN_MIN);

/** The health after one more attempt. A success closes the breaker, also when it was not the probe. */
export function afterAttempt(health: DestinationHealth, attempt: SettledAttempt): DestinationHealth {
  return attempt.succeeded ? afterSuccess(health) : afterFailure(health, attempt);
}

/**
 * Failures before a long silence do not begin the run that this one belongs to: a quiet destination would be given up
 * for its first and its last day. Its breaker, if open, stays open.
 */
export function forgetOldRun(health: DestinationHealth, { lastFailureAtMs, startedAtMs }: Silence): DestinationHealth {
  if (lastFailureAtMs === null || startedAtMs - lastFailureAtMs <= SILENCE_MAX_MS) return health;
  return { ...health, failingSinceMs: null, strain: Math.min(health.strain, LEFT_STRAIN_MAX) };
}

interface Silence {
  readonly lastFailureAtMs: number | null;
  readonly startedAtMs: number;
}

/** Whether the destination has failed for so long that only a person should turn it on again. */
export function isGivenUp({ failingSinceMs, strain }: DestinationHealth, failedAtMs: number): boolean {
  const isLong = failingSinceMs !== null && failedAtMs - failingSinceMs >= FAILING_MAX_MS;
  return isLong && strain >= GIVEN_UP_STRAIN_MIN;
}

/** When it is turned off if all attempts fail; `null` when none comes before the silence is too long. */
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
  return { ...health, failingSinceMs: null, strain: Math.max(health.strain - 1, 0) };
}

function afterFailure(health: DestinationHealth, attempt: SettledAttempt): DestinationHealth {
  // The earlier one: after a clock was set back, the old start would lie in the future.
  const failingSinceMs = Math.min(health.failingSinceMs ?? attempt.startedAtMs, attempt.startedAtMs);
  const strain = Math.min(health.strain + 1, isOpen(health) ? GIVEN_UP_STRAIN_MIN : STRAIN_MAX);
  // Attempts in flight when the breaker opened fail one after the other: that is one outage, not many.
  const opens = isOpen(health) ? attempt.isProbe : strain === STRAIN_MAX;
  const trips = health.trips + (opens ? 1 : 0);
  const restUntilMs = opens ? attempt.nowMs + restMs(trips) : 0;
  // The longest silence wins: an earlier `Retry-After` outlasts a short rest.
  const notBeforeMs = Math.max(health.notBeforeMs, restUntilMs, attempt.holdUntilMs ?? 0);
  return { failingSinceMs, strain, trips, notBeforeMs };
}

const restMs = (trips: number): number => Math.min(REST_MIN_MS * 2 ** (trips - 1), REST_MAX_MS);

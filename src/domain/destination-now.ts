/**
 * A destination at one instant, as a transaction knows it, and what a person or an attempt makes of it. Pure: stores
 * read the row, ask here, and write what differs.
 */
import type { OutcomeKind } from "./attempt.ts";
import type {
  DestinationCondition,
  DestinationFailure,
  DestinationOffReason,
  DestinationState,
} from "./destination.ts";
import {
  type DestinationHealth,
  type SettledAttempt,
  HEALTHY,
  afterAttempt,
  forgetOldRun,
  isChargeable,
  isGivenUp,
  isOpen,
} from "./destination-health.ts";
import { type Notified, NOT_NOTIFIED } from "./outage-notifications.ts";

export interface DestinationNow extends Notified {
  readonly accountId: string;
  readonly state: DestinationState;
  readonly offReason: DestinationOffReason | null;
  readonly health: DestinationHealth;
  /** The latest failure that was the receiver's. */
  readonly lastFailure: DestinationFailure | null;
  readonly isDeleted: boolean;
  /** The claim of the last trial. */
  readonly trialToken: string | null;
  readonly ratePerSecond: number | null;
  /** The next request starts when the delivery before it has ended. */
  readonly isOneAtATime: boolean;
  /** Infinite when nothing waits. */
  readonly nextDueAtMs: number;
  /** When its URL, headers and rate were saved last; `null` where that was not read. */
  readonly setUpAtMs: number | null;
}

/** A change of a destination, with what its history says about it. */
export interface ChangeOfDestination {
  readonly after: DestinationNow;
  readonly reason: string;
  readonly actor: string;
  readonly nowMs: number;
}

/** What an attempt has made of a destination. */
export interface HealthChange {
  readonly before: DestinationNow;
  readonly after: DestinationNow;
  readonly nowMs: number;
}

/** The actor of changes that no person asked for. */
export const SYSTEM_ACTOR = "system";

/** An attempt as its destination sees it. */
export interface NotedAttempt extends SettledAttempt {
  readonly outcome: OutcomeKind;
  /** The answer's, if there was one. */
  readonly status: number | null;
  readonly destinationOff: DestinationOffReason | null;
  /** When the settings that it was made under were saved; `null` for a success. */
  readonly setUpAtMs: number | null;
}

export function noteAttempt(before: DestinationNow, attempt: NotedAttempt): DestinationNow {
  const { outcome, status, destinationOff, succeeded, startedAtMs } = attempt;
  if (isOfReplacedSettings(before, attempt)) return before;
  const isCharged = isChargeable(outcome);
  const silence = { lastFailureAtMs: before.lastFailure?.atMs ?? null, startedAtMs };
  const health = isCharged ? afterAttempt(forgetOldRun(before.health, silence), attempt) : before.health;
  const isFailing = isCharged && isGivenUp(health, startedAtMs);
  // The first reason stays: one that is off already is not turned off for another.
  const offReason = before.offReason ?? destinationOff ?? (isFailing ? "failing" : null);
  const lastFailure = isCharged && !succeeded ? { atMs: startedAtMs, outcome, status } : before.lastFailure;
  return { ...before, health, offReason, state: offReason === null ? before.state : "off", lastFailure };
}

/**
 * A failure under settings that were replaced meanwhile says nothing about those that hold now. Told by the settings
 * themselves: when the attempt began says nothing after a clock was set.
 */
const isOfReplacedSettings = (now: DestinationNow, { setUpAtMs }: NotedAttempt): boolean =>
  setUpAtMs !== null && now.setUpAtMs !== null && setUpAtMs !== now.setUpAtMs;

/** A success of a healthy destination changes nothing, so stores write nothing and lock nothing for it. */
export const changesDestination = (before: DestinationNow, attempt: NotedAttempt): boolean =>
  !isSame(before, noteAttempt(before, attempt));

export interface NotedResult {
  /** Until when the destination is held back; 0 when it is not. */
  readonly heldUntilMs: number;
  /** Why this attempt turned the destination off; `null` when it did not. */
  readonly turnedOff: DestinationOffReason | null;
}

export const toNotedResult = (before: DestinationNow, after: DestinationNow, nowMs: number): NotedResult => ({
  heldUntilMs: isHeld(after, nowMs) ? after.health.notBeforeMs : 0,
  turnedOff: before.state === "off" ? null : after.offReason,
});

/** The reason that history gives for a change by an attempt: a code, for which pages have the words. */
export function findReason(after: DestinationNow): string {
  if (after.offReason !== null) return after.offReason;
  return findCondition(after) === "held" ? "breaker_opened" : "breaker_closed";
}

/** An open breaker holds back also what comes after `notBeforeMs`: only a claim knows which delivery is the trial. */
export const isHeld = ({ health }: DestinationNow, nowMs: number): boolean =>
  isOpen(health) || health.notBeforeMs > nowMs;

export const turnOn = (before: DestinationNow): DestinationNow => ({
  ...before,
  state: "on",
  offReason: null,
  health: HEALTHY,
  ...NOT_NOTIFIED,
});

/**
 * A person asks for an attempt now. A destination that is held back, by a cool-down or by a `Retry-After`, becomes
 * half-open at once: one trial goes out, and only its success releases the others. Precondition: no trial is out.
 */
export function endCoolDown(before: DestinationNow, nowMs: number): DestinationNow {
  if (!isHeld(before, nowMs)) return before;
  const { health } = before;
  const notBeforeMs = Math.min(health.notBeforeMs, nowMs);
  return { ...before, health: { ...health, consecutiveOpens: Math.max(health.consecutiveOpens, 1), notBeforeMs } };
}

/** Another URL is another receiver: the failures of the one before, and what they led to, are not its own. */
export const forgive = (before: DestinationNow): DestinationNow => ({
  ...before,
  state: stateAnew(before.state),
  offReason: null,
  health: HEALTHY,
  lastFailure: null,
  ...NOT_NOTIFIED,
});

/** With another URL: what was turned off goes on, and a person's pause stays. */
export const stateAnew = (before: DestinationState): DestinationState => (before === "off" ? "on" : before);

/** One that is off stays off: it gets back to work only when a person turns it on. */
export const pause = (before: DestinationNow): DestinationNow =>
  before.state === "on" ? { ...before, state: "paused" } : before;

/** Deleted destinations are paused for good, so that no node claims for them. */
export const pauseForGood = (before: DestinationNow): DestinationNow => ({
  ...before,
  state: "paused",
  offReason: null,
});

/** The state that the owner sees: a destination that is on but whose breaker is open is held. */
export const findCondition = ({ state, health }: DestinationNow): DestinationCondition =>
  state === "on" && isOpen(health) ? "held" : state;

/** Nothing that a store writes differs. */
export function isSame(one: DestinationNow, other: DestinationNow): boolean {
  return (
    one.state === other.state &&
    one.lastFailure === other.lastFailure &&
    one.isNotified === other.isNotified &&
    isSameHealth(one.health, other.health)
  );
}

function isSameHealth(one: DestinationHealth, other: DestinationHealth): boolean {
  return (
    one.failingSinceMs === other.failingSinceMs &&
    one.failureScore === other.failureScore &&
    one.consecutiveOpens === other.consecutiveOpens &&
    one.notBeforeMs === other.notBeforeMs
  );
}

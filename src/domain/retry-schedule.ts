/**
 * The retry schedule. Ten attempts: at once, then after 5 s, 5 min, 30 min, 2 h, 5 h, 10 h, 14 h, 20 h and 24 h, each
 * ±20 %: about 3.2 days. Source: decisions §4.
 */
import { hoursMs, minutesMs, secondsMs } from "../lib/duration.ts";

export interface RetrySchedule {
  /** `delaysMs[n]` follows failed attempt `n + 1`; a delivery has one attempt more than there are delays. */
  readonly delaysMs: readonly number[];
  /** 0.2 spreads each delay over ±20 %, so that deliveries that failed together do not come back together. */
  readonly jitter: number;
}

export const RETRY_SCHEDULE: RetrySchedule = {
  delaysMs: [
    secondsMs(5),
    minutesMs(5),
    minutesMs(30),
    hoursMs(2),
    hoursMs(5),
    hoursMs(10),
    hoursMs(14),
    hoursMs(20),
    hoursMs(24),
  ],
  jitter: 0.2,
};

/** Guess. A restarted proxy, or a machine at its limit of open files, has recovered by then. */
const FREE_RETRY_MS_MIN = secondsMs(30);
const FREE_RETRY_MS_MAX = minutesMs(15);
const FREE_RETRY_SHARE = 0.05;

export const attemptsMax = (schedule: RetrySchedule): number => schedule.delaysMs.length + 1;

/**
 * The milliseconds to wait after failed attempt `attemptNumber` (1 is the first); `null` after the last one. `unit` is
 * a random number in [0, 1).
 */
export function retryDelayMs(schedule: RetrySchedule, attemptNumber: number, unit: number): number | null {
  const delayMs = schedule.delaysMs[attemptNumber - 1];
  return delayMs === undefined ? null : spread(delayMs, schedule.jitter, unit);
}

/**
 * The milliseconds to wait after an attempt that says nothing about the receiver, for a delivery that is `waitedMs`
 * old: a twentieth of that, so that two weeks of trouble make some 1,500 attempts and not 40,000.
 */
export function freeRetryDelayMs(
  { jitter }: RetrySchedule,
  { waitedMs, unit }: { readonly waitedMs: number; readonly unit: number },
): number {
  const delayMs = Math.min(Math.max(waitedMs * FREE_RETRY_SHARE, FREE_RETRY_MS_MIN), FREE_RETRY_MS_MAX);
  return spread(delayMs, jitter, unit);
}

const spread = (delayMs: number, jitter: number, unit: number): number =>
  Math.round(delayMs * (1 - jitter + 2 * jitter * unit));

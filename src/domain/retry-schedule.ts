/**
 * When the next attempt is due. Ten attempts: at once, then after 5 s, 5 min, 30 min, 2 h, 5 h, 10 h, 14 h, 20 h and
 * 24 h, each ±20 %: about 3.2 days. Source: decisions §4.
 */
import { hoursMs, minutesMs, secondsMs } from "../lib/duration.ts";

export interface RetrySchedule {
  /** `delaysMs[n]` follows failed attempt `n + 1`; a delivery has one attempt more than there are delays. */
  readonly delaysMs: readonly number[];
  /** 0.2 spreads each delay over ±20 %, so that what failed together does not come back together. */
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

export const attemptsMax = (schedule: RetrySchedule): number => schedule.delaysMs.length + 1;

/**
 * Milliseconds to wait after failed attempt `attemptNumber` (1 is the first), or `null` when it was the last one.
 * `unit` is a random number in [0, 1).
 */
export function retryDelayMs(schedule: RetrySchedule, attemptNumber: number, unit: number): number | null {
  const delayMs = schedule.delaysMs[attemptNumber - 1];
  if (delayMs === undefined) return null;
  return Math.round(delayMs * (1 - schedule.jitter + 2 * schedule.jitter * unit));
}

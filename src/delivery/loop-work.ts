/**
 * How busy this node is: the share of the time in which its event loop had work, read once for all that waits for it.
 * The least urgent waits first, and a caller waits last:
 *
 *     up to BUSY    the index of search pauses longer, the more work there is
 *     from FULL on  intake waits for full lanes that are healthy, and the index may fall behind
 *
 * At full load the event loop also waits for the store's thread and for its turn on a machine that others use, so FULL
 * is far from 1.
 */
import type { Clock } from "../lib/clock.ts";

/** The share of the latest window, from 0 to 1. */
export type LoopWork = () => number;

/** From here on the index pauses longest: 500 events a second take a fifth of the loop. */
export const BUSY = 0.2;

/** Guess. Below it the node has time for more. */
export const FULL = 0.5;

/** Guess. Short enough for a caller that waits for the next reading. */
const WINDOW_MS = 100;

/** `measure` returns the share of the time since its last call. */
export function createLoopWork(clock: Clock, measure: () => number): LoopWork {
  let share = 0;
  let readMs = -Infinity;
  return () => {
    const nowMs = clock.monotonicMs();
    const elapsedMs = nowMs - readMs;
    if (elapsedMs < WINDOW_MS) return share;
    const measured = measure();
    // A measure over a long pause says nothing about now.
    share = elapsedMs < WINDOW_MS * 20 ? measured : 0;
    readMs = nowMs;
    return share;
  };
}

/**
 * A clock for tests with real sockets, which counts the time for which this process ran. A busy machine stops a process
 * for half a second at any place. By the machine's clock a deadline then passes before the bytes are read that lay
 * there all the time, and an end that was in time looks late. Here such a stop counts as one short step, so a deadline
 * passes only after many turns of the event loop, each of which read what had come.
 */
import type { CancelTimer, Clock } from "../../../src/lib/clock.ts";

/** As `systemClock` ticks, when nothing is in the way. */
const TICK_MS = 4;
/** The most that counts between two turns. */
const STEP_MS_MAX = 8;

export interface RunningClock extends Clock, Disposable {}

export function startRunningClock(): RunningClock {
  let countedMs = 0;
  let readMs = performance.now();
  const timers = new Map<symbol, { readonly atMs: number; readonly fire: () => void }>();

  /** A reading does not begin a new step: many in a row, with stops between them, would else add up. */
  const monotonicMs = (): number => countedMs + Math.min(performance.now() - readMs, STEP_MS_MAX);

  function fireDue(): void {
    const nowMs = monotonicMs();
    countedMs = nowMs;
    readMs = performance.now();
    const due = [...timers].filter(([, { atMs }]) => atMs <= nowMs).toSorted(([, a], [, b]) => a.atMs - b.atMs);
    for (const [key, { fire }] of due) if (timers.delete(key)) fire();
  }

  const ticking = setInterval(fireDue, TICK_MS);
  ticking.unref();
  return {
    nowMs: () => Date.now(),
    monotonicMs,
    after(delayMs, fire): CancelTimer {
      const key = Symbol("timer");
      timers.set(key, { atMs: monotonicMs() + delayMs, fire });
      return () => void timers.delete(key);
    },
    [Symbol.dispose]: () => clearInterval(ticking),
  };
}

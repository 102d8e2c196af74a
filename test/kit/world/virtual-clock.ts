/** A clock that only moves when a test says so. Timers fire in the order of their due time, then of their setting. */
import type { Clock } from "../../../src/lib/clock.ts";

export interface VirtualClock extends Clock {
  /** Moves on by `ms`, firing every timer on the way and letting promises settle after each. */
  advance(ms: number): Promise<void>;
  /** Timers that have not fired: a test may demand that there are none. */
  pending(): number;
}

export const START_MS = Date.UTC(2026, 10, 20, 12, 0, 0);

export function createVirtualClock(startMs = START_MS): VirtualClock {
  let nowMs = startMs;
  let timers: { dueMs: number; fire: () => void }[] = [];

  const due = (untilMs: number) =>
    timers.filter(({ dueMs }) => dueMs <= untilMs).toSorted((a, b) => a.dueMs - b.dueMs)[0];

  return {
    nowMs: () => nowMs,
    monotonicMs: () => nowMs - startMs,
    after(delayMs, fire) {
      const timer = { dueMs: nowMs + delayMs, fire };
      timers.push(timer);
      return () => {
        timers = timers.filter((other) => other !== timer);
      };
    },
    async advance(ms) {
      const untilMs = nowMs + ms;
      for (let timer = due(untilMs); timer !== undefined; timer = due(untilMs)) {
        const fired = timer;
        timers = timers.filter((other) => other !== fired);
        nowMs = Math.max(nowMs, fired.dueMs);
        fired.fire();
        await settled();
      }
      nowMs = untilMs;
      await settled();
    },
    pending: () => timers.length,
  };
}

/** Lets every promise that can settle without time passing do so. */
export function settled(): Promise<void> {
  return new Promise((resolve) => {
    setImmediate(resolve);
  });
}

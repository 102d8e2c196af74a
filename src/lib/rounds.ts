/** Work that is done again and again until it is stopped: the loop of whatever looks into the store by itself. */
import type { Clock } from "./clock.ts";
import { createWake } from "./wake.ts";

export interface Rounds {
  /** Twice is fine. */
  start(): void;
  /** The next round begins now, or right after the one that is under way. */
  nudge(): void;
  /** Resolves when the round that is under way has ended; there is none after it. Twice is fine. */
  stop(): Promise<void>;
}

/** `round` never rejects, and answers how long to wait at most before the next one; 0 goes on at once. */
export function createRounds(clock: Clock, round: () => Promise<number>): Rounds {
  const wake = createWake(clock);
  let loop: Promise<void> | null = null;
  let isStopped = false;

  async function goOnUntilStopped(): Promise<void> {
    while (!isStopped) {
      const waitMs = await round();
      if (waitMs > 0) await wake.within(waitMs);
    }
  }

  return {
    start() {
      loop ??= goOnUntilStopped();
    },
    nudge: wake.now,
    async stop() {
      isStopped = true;
      wake.now();
      await loop;
    },
  };
}

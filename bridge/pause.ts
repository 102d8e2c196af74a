/** Pauses between tries: each twice as long as the one before, cut short when the bridge stops. */
import { type Clock, inTime, sleep } from "../src/lib/clock.ts";
import { secondsMs } from "../src/lib/duration.ts";
import type { Random } from "../src/lib/random.ts";

const FIRST_MS = 250;
const BACK_OFF_MS_MAX = secondsMs(10);
/** Some proxies ask for hours, and the waiting messages would be old by then. As the client does it. */
export const RETRY_AFTER_MS_MAX = secondsMs(300);

export interface Pauses {
  /** Between half and all of the back-off, so that bridges that failed together do not come back together. */
  backOffMs(failures: number): number;
  /** Resolves after `ms`, or when the stop is asked for. */
  wait(ms: number): Promise<void>;
  /** The same, but a stop does not cut it short. */
  waitOut(ms: number): Promise<void>;
}

export function createPauses(clock: Clock, random: Random, stopAsked: Promise<void>): Pauses {
  return {
    backOffMs(failures) {
      const allMs = Math.min(BACK_OFF_MS_MAX, FIRST_MS * 2 ** Math.min(failures - 1, 16));
      // Whole milliseconds: with a fraction, a clock may be at the end of a pause and never past it.
      return Math.ceil(allMs * (0.5 + random.unit() / 2));
    },
    async wait(ms) {
      await inTime(clock, ms, stopAsked);
    },
    waitOut: (ms) => sleep(clock, ms),
  };
}

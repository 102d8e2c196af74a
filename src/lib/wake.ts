/** A wait that can be cut short: the engine waits with it between two rounds. */
import type { Clock } from "./clock.ts";

export interface Wake {
  /** Ends the current wait; without one, the next wait ends at once. */
  now(): void;
  /** Resolves after `delayMs` at the latest. */
  within(delayMs: number): Promise<void>;
}

export function createWake(clock: Clock): Wake {
  let isNudged = false;
  let wakeUp: (() => void) | null = null;
  return {
    now(): void {
      isNudged = true;
      wakeUp?.();
    },
    async within(delayMs: number): Promise<void> {
      if (!isNudged) {
        await new Promise<void>((resolve) => {
          const cancel = clock.after(delayMs, resolve);
          wakeUp = () => {
            cancel();
            resolve();
          };
        });
      }
      isNudged = false;
      wakeUp = null;
    },
  };
}

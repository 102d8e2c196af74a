/** What one key may do on this node, so that a program's loop leaves time to others: calls at once, and a rate. */
import type { Clock } from "../lib/clock.ts";
import { secondsMs } from "../lib/duration.ts";

export interface CallLimits {
  /** Begins a call: `null`, and `end` has to follow. Otherwise which limit refuses it. */
  begin(keyId: string): "at_once" | "per_second" | null;
  end(keyId: string): void;
}

export interface CallLimitsOptions {
  readonly clock: Pick<Clock, "monotonicMs">;
  readonly atOnceMax: number;
  readonly perSecondMax: number;
}

interface Use {
  running: number;
  /** Calls that may start now; a fraction is usual. */
  credit: number;
  atMs: number;
}

/** Remembered keys; one that has rested for a second has all of its credit, so that nothing is lost with it. */
const KEYS_MAX = 10_000;

export function createCallLimits({ clock, atOnceMax, perSecondMax }: CallLimitsOptions): CallLimits {
  const uses = new Map<string, Use>();

  function useOf(keyId: string, nowMs: number): Use {
    const { credit, atMs, running } = uses.get(keyId) ?? { credit: perSecondMax, atMs: nowMs, running: 0 };
    const grown = credit + ((nowMs - atMs) / secondsMs(1)) * perSecondMax;
    const use = { running, credit: Math.min(perSecondMax, grown), atMs: nowMs };
    // The latest stands last.
    uses.delete(keyId);
    uses.set(keyId, use);
    return use;
  }

  return {
    begin(keyId) {
      const use = useOf(keyId, clock.monotonicMs());
      forget(uses);
      if (use.running >= atOnceMax) return "at_once";
      if (use.credit < 1) return "per_second";
      use.credit -= 1;
      use.running += 1;
      return null;
    },
    end(keyId) {
      const use = uses.get(keyId);
      if (use !== undefined) use.running -= 1;
    },
  };
}

/** Those that were used longest ago, and have no call under way. */
function forget(uses: Map<string, Use>): void {
  for (const [keyId, { running }] of uses) {
    if (uses.size <= KEYS_MAX) return;
    if (running === 0) uses.delete(keyId);
  }
}

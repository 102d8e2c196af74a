/**
 * Whether addresses are there at all, by what the store has: remembered for a second, so that callers without a key
 * cannot make the store work harder than that. Without a store that answers, what it said last is taken.
 */
import type { Clock } from "../lib/clock.ts";
import { secondsMs } from "../lib/duration.ts";
import { StoreUnavailable } from "../store/contract/store.ts";

const ASKED_EVERY_MS = secondsMs(1);

export interface Opening {
  isOpen(): Promise<boolean>;
  /** This node has made it so: the store is asked at once. */
  changed(): void;
}

export function followOpening(askStore: () => Promise<boolean>, clock: Pick<Clock, "monotonicMs">): Opening {
  let known = { isOpen: false, untilMs: -Infinity };
  let asking: Promise<boolean> | null = null;

  async function ask(): Promise<boolean> {
    try {
      known = { isOpen: await askStore(), untilMs: clock.monotonicMs() + ASKED_EVERY_MS };
    } catch (error) {
      if (!(error instanceof StoreUnavailable)) throw error;
    } finally {
      asking = null;
    }
    return known.isOpen;
  }

  return {
    isOpen: async () => (known.untilMs > clock.monotonicMs() ? known.isOpen : await (asking ??= ask())),
    changed: () => void (known = { ...known, untilMs: -Infinity }),
  };
}

/**
 * Counts failed tries by address within a window of time. It only counts: a caller with the right key or link is let in
 * all the same, because it may share an address with an attacker who guesses and must not be locked out.
 */
import type { Clock } from "../lib/clock.ts";

export interface TryCounterOptions {
  readonly clock: Clock;
  readonly triesMax: number;
  readonly windowMs: number;
}

/** The number of remembered addresses; beyond it the oldest is forgotten. */
const ADDRESSES_MAX = 10_000;

/** Returns a function to call with the address of each failed try; true when there were too many. */
export function createTryCounter({ clock, triesMax, windowMs }: TryCounterOptions): (address: string) => boolean {
  const counts = new Map<string, { count: number; readonly untilMs: number }>();
  return (address) => {
    const nowMs = clock.monotonicMs();
    const known = counts.get(address);
    if (known !== undefined && known.untilMs > nowMs) {
      known.count += 1;
      return known.count > triesMax;
    }
    counts.delete(address);
    const [oldest] = counts.keys();
    if (counts.size >= ADDRESSES_MAX && oldest !== undefined) counts.delete(oldest);
    counts.set(address, { count: 1, untilMs: nowMs + windowMs });
    return false;
  };
}

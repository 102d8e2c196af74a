/**
 * Counts failed tries by address within a window of time. It only counts: who comes with the right key or link is let
 * in all the same, because many may share an address with somebody who is guessing, and nobody may lock them out.
 */
import type { Clock } from "../lib/clock.ts";

export interface TryCounterOptions {
  readonly clock: Clock;
  readonly triesMax: number;
  readonly windowMs: number;
}

/** Addresses that are remembered; beyond it the oldest is forgotten. */
const ADDRESSES_MAX = 10_000;

/** A function to call with the address of each failed try; true when there have been too many. */
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

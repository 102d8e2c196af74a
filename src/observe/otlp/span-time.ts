/**
 * Instants finer than a millisecond, for spans: a commit on good storage is shorter than that. The wall clock gives the
 * start, the monotonic clock the time since. When the two no longer agree, the wall clock was set, and is read again.
 */
import type { Clock } from "../../lib/clock.ts";

/** Guess. Clocks that NTP slews drift by less between two spans; clocks that are set jump by more. */
const JUMP_MS = 50;

/** Milliseconds since the epoch, with fractions. Never goes back, unless the clock was set. */
export function createSpanTime(clock: Clock): () => number {
  let offsetMs = clock.nowMs() - clock.monotonicMs();
  return () => {
    const monotonicMs = clock.monotonicMs();
    const wallMs = clock.nowMs();
    if (Math.abs(wallMs - monotonicMs - offsetMs) > JUMP_MS) offsetMs = wallMs - monotonicMs;
    return monotonicMs + offsetMs;
  };
}

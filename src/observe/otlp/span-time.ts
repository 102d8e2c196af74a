/**
 * Instants finer than a millisecond, for spans: a commit on good storage is shorter than that. The wall clock says
 * where, the monotonic one how far since; where they no longer agree, the wall clock was set and is asked again.
 */
import type { Clock } from "../../lib/clock.ts";

/** Guess: clocks that are slewed by NTP drift by less between two spans, those that are set jump by more. */
const JUMP_MS = 50;

/** Milliseconds since the epoch, with parts; never back, unless the clock was set. */
export function createSpanTime(clock: Clock): () => number {
  let offsetMs = clock.nowMs() - clock.monotonicMs();
  return () => {
    const monotonicMs = clock.monotonicMs();
    const wallMs = clock.nowMs();
    if (Math.abs(wallMs - monotonicMs - offsetMs) > JUMP_MS) offsetMs = wallMs - monotonicMs;
    return monotonicMs + offsetMs;
  };
}

/** How often a node looks into the inbox: less often when the product does not use it. */
import type { Clock } from "../lib/clock.ts";
import { minutesMs, secondsMs } from "../lib/duration.ts";

/**
 * The longest extra wait of an event compared with HTTP. An idle look costs PostgreSQL 0.1 ms (measured; see
 * `docs/outbox.md`).
 */
const LOOK_MS = 250;

/** Guess. The longest wait of the first record after a quiet time. Most products never use the inbox. */
const QUIET_LOOK_MS = secondsMs(1);
const QUIET_AFTER_MS = minutesMs(10);

/** The wait after a look that brought `taken` records; a node starts quiet. */
export function createInboxPace(clock: Pick<Clock, "monotonicMs">): (taken: number) => number {
  let quietFromMs = -Infinity;
  return (taken) => {
    const nowMs = clock.monotonicMs();
    if (taken > 0) quietFromMs = nowMs + QUIET_AFTER_MS;
    return nowMs < quietFromMs ? LOOK_MS : QUIET_LOOK_MS;
  };
}

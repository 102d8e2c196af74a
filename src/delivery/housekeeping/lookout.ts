/**
 * When the engine looks into the store for deliveries that are due: when a part of this node says so, when the next one
 * that it knows of falls due, and otherwise every `lookMs`, because other nodes and ended claims make deliveries due
 * without a word.
 *
 * The engine asks at each of its ticks, which cost no statement. So a clock that jumps delays a delivery by a tick and
 * not by the time that was left when it jumped.
 */
import type { Clock } from "../../lib/clock.ts";

export interface Lookout {
  /** Something is due now. */
  nudge(): void;
  /** Something will be due then. */
  noteDue(atMs: number): void;
  isTime(): boolean;
  /**
   * A look begins. True: what was known about the next due time is used up, so the look ends with the question for it.
   * An answer is given to `noteDue`.
   */
  begin(): boolean;
}

export function createLookout(clock: Pick<Clock, "nowMs" | "monotonicMs">, lookMs: number): Lookout {
  let isNudged = false;
  let dueAtMs = -Infinity;
  let lookByMs = -Infinity;
  const isDue = (): boolean => clock.nowMs() >= dueAtMs || clock.monotonicMs() >= lookByMs;
  return {
    nudge() {
      isNudged = true;
    },
    noteDue(atMs) {
      dueAtMs = Math.min(dueAtMs, atMs);
    },
    isTime: () => isNudged || isDue(),
    begin() {
      const isUsedUp = isDue();
      isNudged = false;
      if (!isUsedUp) return false;
      dueAtMs = Infinity;
      lookByMs = clock.monotonicMs() + lookMs;
      return true;
    },
  };
}

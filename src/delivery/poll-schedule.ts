/**
 * When the engine polls the store for due deliveries: when a part of this node asks for it, when the next delivery that
 * it knows of falls due, and otherwise every `pollMs`, because other nodes and ended claims make deliveries due without
 * notice.
 *
 * The engine asks at each of its ticks, which cost no statement. So a clock that jumps delays a delivery by a tick, and
 * not by the time that was left when it jumped.
 */
import type { Clock } from "../lib/clock.ts";

export interface PollSchedule {
  /** Something is due now. */
  nudge(): void;
  /** Something will be due then. */
  noteDue(atMs: number): void;
  isTime(): boolean;
  /**
   * A poll begins. True: the known due time has passed, so the poll must end by asking the store for the next one, and
   * give the answer to `noteDue`.
   */
  begin(): boolean;
}

export function createPollSchedule(clock: Pick<Clock, "nowMs" | "monotonicMs">, pollMs: number): PollSchedule {
  let isNudged = false;
  let dueAtMs = -Infinity;
  let pollByMs = -Infinity;
  const isDue = (): boolean => clock.nowMs() >= dueAtMs || clock.monotonicMs() >= pollByMs;
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
      pollByMs = clock.monotonicMs() + pollMs;
      return true;
    },
  };
}

/**
 * When the engine polls the store for due deliveries: when a part of this node asks for it, when the next delivery that
 * it knows of falls due, and otherwise every `pollMs`, because other nodes and ended claims make deliveries due without
 * notice. That last kind of poll only asks whether something is due, which is one read; every `CLAIM_EVERY_MS` it is a
 * claim, which also does what time brings (a lease is renewed, one that has ended is taken over).
 *
 * The engine asks at each of its ticks, which cost no statement. So a clock that jumps delays a delivery by a tick, and
 * not by the time that was left when it jumped.
 */
import type { Clock } from "../lib/clock.ts";
import { secondsMs } from "../lib/duration.ts";

/** PostgreSQL's leases of 15 s are renewed by claims, by each that comes after 4 s. */
const CLAIM_EVERY_MS = secondsMs(5);

export interface Poll {
  /** Something may be due, or it is time. */
  readonly claims: boolean;
  /** The known due time has passed: the poll ends by asking the store for the next one, and tells `noteDue`. */
  readonly asksForNext: boolean;
}

export interface PollSchedule {
  /** Something is due now. */
  nudge(): void;
  /** Something will be due then. */
  noteDue(atMs: number): void;
  isTime(): boolean;
  /** A poll begins. */
  begin(): Poll;
}

export function createPollSchedule(clock: Pick<Clock, "nowMs" | "monotonicMs">, pollMs: number): PollSchedule {
  let isNudged = false;
  let dueAtMs = -Infinity;
  let pollByMs = -Infinity;
  let claimByMs = -Infinity;
  const isDue = (): boolean => clock.nowMs() >= dueAtMs;
  const isTimeToPoll = (): boolean => isDue() || clock.monotonicMs() >= pollByMs;
  return {
    nudge() {
      isNudged = true;
    },
    noteDue(atMs) {
      dueAtMs = Math.min(dueAtMs, atMs);
    },
    isTime: () => isNudged || isTimeToPoll(),
    begin() {
      const nowMs = clock.monotonicMs();
      const asksForNext = isTimeToPoll();
      const claims = isNudged || isDue() || nowMs >= claimByMs;
      isNudged = false;
      if (claims) claimByMs = nowMs + CLAIM_EVERY_MS;
      if (asksForNext) {
        dueAtMs = Infinity;
        pollByMs = nowMs + pollMs;
      }
      return { claims, asksForNext };
    },
  };
}

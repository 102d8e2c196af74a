/**
 * The lanes whose claimed deliveries wait for their turn: in the order of their coming, one start each, so that a long
 * backlog takes no start from a short one.
 */
import type { Clock } from "../../lib/clock.ts";
import type { BacklogPace } from "./backlog-pace.ts";
import type { Lane } from "./lane.ts";

export class Yielding {
  readonly #clock: Clock;
  readonly #pace: BacklogPace;
  readonly #start: (lane: Lane) => void;
  readonly #queue = new Set<Lane>();
  #turn: Lane | null = null;
  #isTimed = false;

  /** `start` starts what a lane may start, and asks `mayStart` for each claimed delivery. */
  constructor(clock: Clock, pace: BacklogPace, start: (lane: Lane) => void) {
    this.#clock = clock;
    this.#pace = pace;
    this.#start = start;
  }

  /** Whether the lane may start a claimed delivery now. If not, `start` is called with it when its turn comes. */
  mayStart(lane: Lane): boolean {
    if (this.#turn === lane) {
      this.#turn = null;
      return true;
    }
    const nowMs = this.#clock.monotonicMs();
    const isFree = this.#queue.size === 0 || this.#pace.limit(nowMs) === Infinity;
    if (isFree && this.#pace.take(nowMs) === 0) return true;
    this.#queue.add(lane);
    if (!this.#isTimed) this.#wait(Math.max(1, this.#pace.waitMs(nowMs)));
    return false;
  }

  #wait(ms: number): void {
    this.#isTimed = true;
    this.#clock.after(ms, () => {
      this.#isTimed = false;
      this.#serve();
    });
  }

  #serve(): void {
    for (const lane of this.#queue) {
      const waitMs = this.#pace.take(this.#clock.monotonicMs());
      if (waitMs > 0) return this.#wait(waitMs);
      this.#queue.delete(lane);
      this.#turn = lane;
      this.#start(lane);
      this.#turn = null;
    }
  }
}

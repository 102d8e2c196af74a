/**
 * Intake waits a moment for a destination that goes well, while this node has no CPU left for the deliveries in its
 * lanes.
 *
 * Accepting costs less than sending, so at full load callers would bring in more than goes out. The rest would become a
 * backlog in the store: each delivery of it costs a claim and two writes more, and arrives later than one that is
 * brought a moment later.
 *
 * Invariants: a call waits only while the node is full (`loop-work.ts`), and only for lanes of its own account that
 * have grown by good answers, so no receiver that is slow or broken holds another account's intake back; it waits
 * `WAIT_MS_MAX` at most.
 */
import type { Clock } from "../lib/clock.ts";
import { secondsMs } from "../lib/duration.ts";
import { FULL, type LoopWork } from "./loop-work.ts";

/** Guess. A caller notices a longer wait, and a node that stays full has to take events in all the same. */
const WAIT_MS_MAX = secondsMs(0.25);

export interface AdmissionOptions {
  readonly clock: Clock;
  /** Whether the destination's lane is healthy and full. */
  readonly isCrowded: (destinationId: string) => boolean;
  readonly loopWork: LoopWork;
}

export class Admission {
  readonly #options: AdmissionOptions;
  /** Calls that wait, by the destination that they wait for, in the order of their coming. */
  readonly #waiting = new Map<string, Set<() => void>>();

  constructor(options: AdmissionOptions) {
    this.#options = options;
  }

  /** Whether the node is full. Else a call goes on, whatever its lanes are like. */
  isFull(): boolean {
    return this.#options.loopWork() >= FULL;
  }

  /** Resolves when none of these lanes is crowded any more, or the time is over; `null`: none of them is crowded. */
  enter(destinationIds: readonly string[]): Promise<void> | null {
    return destinationIds.some(this.#options.isCrowded) ? this.#waitForAll(destinationIds) : null;
  }

  async #waitForAll(destinationIds: readonly string[]): Promise<void> {
    const { clock, isCrowded } = this.#options;
    const untilMs = clock.monotonicMs() + WAIT_MS_MAX;
    for (;;) {
      const crowded = destinationIds.find(isCrowded);
      const leftMs = untilMs - clock.monotonicMs();
      if (crowded === undefined || leftMs <= 0) return;
      await this.#waitFor(crowded, leftMs);
    }
  }

  /** Whether calls wait: what is in their way should go as fast as it can. */
  isWaitedFor(): boolean {
    return this.#waiting.size > 0;
  }

  /** A lane has a free slot: the call that waits longest for it checks again. */
  noteCapacity(destinationId: string): void {
    const calls = this.#waiting.get(destinationId);
    if (calls === undefined || this.#options.isCrowded(destinationId)) return;
    const [first] = calls;
    first?.();
  }

  #waitFor(destinationId: string, ms: number): Promise<void> {
    const calls = this.#waiting.get(destinationId) ?? new Set();
    this.#waiting.set(destinationId, calls);
    return new Promise((resolve) => {
      const wake = (): void => {
        calls.delete(wake);
        if (calls.size === 0) this.#waiting.delete(destinationId);
        cancel();
        resolve();
      };
      const cancel = this.#options.clock.after(ms, wake);
      calls.add(wake);
    });
  }
}

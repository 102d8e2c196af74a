/** The messages that a bridge has pulled and not acknowledged. Their maximum is the bridge's back-pressure. */
import { createWake } from "../src/lib/wake.ts";
import type { Clock } from "../src/lib/clock.ts";
import type { Address } from "./address.ts";
import type { DeadLetter, Message } from "./port.ts";

/** A message on its way: finished when each of its records has a result. */
export interface Job<Taken extends Message = Message> {
  readonly message: Taken;
  readonly address: Address | null;
  /** Records without a result. */
  left: number;
  readonly letters: DeadLetter[];
}

export interface Hand<Taken extends Message> {
  readonly jobs: ReadonlySet<Job<Taken>>;
  /** How many more messages may be pulled now. */
  capacity(): number;
  take(job: Job<Taken>): void;
  release(jobs: readonly Job<Taken>[]): void;
  /** Resolves when a job leaves, and after a while in any case. */
  changed(): Promise<void>;
  /** Ends a wait for a change. */
  nudge(): void;
}

/** Guess: eight of the largest batches of intake. */
export const IN_HAND_BYTES_MAX = 64 * 1024 * 1024;

const LOOK_AGAIN_MS = 1_000;

export function createHand<Taken extends Message>(clock: Clock, countMax: number): Hand<Taken> {
  const jobs = new Set<Job<Taken>>();
  const wake = createWake(clock);
  let bytes = 0;

  return {
    jobs,
    capacity() {
      if (jobs.size >= countMax || bytes >= IN_HAND_BYTES_MAX) return 0;
      // As many as fit when the next ones are like those in hand.
      const meanBytes = jobs.size === 0 ? 1 : Math.max(1, bytes / jobs.size);
      return Math.max(1, Math.min(countMax - jobs.size, Math.floor((IN_HAND_BYTES_MAX - bytes) / meanBytes)));
    },
    take(job) {
      jobs.add(job);
      bytes += job.message.body.length;
    },
    release(left) {
      for (const job of left) if (jobs.delete(job)) bytes -= job.message.body.length;
      wake.now();
    },
    changed: () => wake.within(LOOK_AGAIN_MS),
    nudge: () => wake.now(),
  };
}

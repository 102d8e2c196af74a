/** Work that repeats until it is stopped: the loop behind every part that looks into the store by itself. */
import type { Clock } from "./clock.ts";
import { createWake } from "./wake.ts";

/** A part of the program that runs: started as one thing, and stopped as one thing. */
export interface Part {
  /** May be called twice. */
  start(): void;
  /** Waits for what is under way. May be called twice. */
  stop(): Promise<void>;
}

export interface Rounds extends Part {
  /** Starts the next round now, or right after the current one. */
  nudge(): void;
}

/** Such a loop that does one step when it is told to. */
export interface Loop extends Rounds, AsyncDisposable {
  /** Does what is due, and returns how much that was: changed rows, or claimed messages. */
  step(): Promise<number>;
}

/** `round` never rejects. It returns the longest wait before the next round; 0 continues at once. */
export function createRounds(clock: Clock, round: () => Promise<number>): Rounds {
  const wake = createWake(clock);
  let loop: Promise<void> | null = null;
  let isStopped = false;

  async function goOnUntilStopped(): Promise<void> {
    while (!isStopped) {
      const waitMs = await round();
      if (waitMs > 0) await wake.within(waitMs);
    }
  }

  return {
    start() {
      loop ??= goOnUntilStopped();
    },
    nudge: wake.now,
    async stop() {
      isStopped = true;
      wake.now();
      await loop;
    },
  };
}

export interface BackOff {
  /** The next wait: twice the one before it. */
  next(): number;
  /** There is something again. True: the last wait was longer than the first one, so it may be cut short. */
  reset(): boolean;
}

/** Waits that grow from `firstMs` to `mostMs`, for a round that finds nothing or fails. */
export function createBackOff(firstMs: number, mostMs: number): BackOff {
  let waitMs = 0;
  return {
    next() {
      waitMs = Math.min(Math.max(firstMs, 2 * waitMs), mostMs);
      return waitMs;
    },
    reset() {
      const hadGrown = waitMs > firstMs;
      waitMs = 0;
      return hadGrown;
    },
  };
}

/*
 * Long work in pieces: between two of them the event loop serves other work. Time decides and not the number of pieces,
 * so that short work is never held up.
 */

/** Well below the 50 ms that a caller beside it may have to wait. */
const SLICE_MS_MAX = 5;

/** Maps each item; a pause comes before the first one that starts later than `SLICE_MS_MAX` after the last pause. */
export async function mapInSlices<Item, Value>(
  clock: Pick<Clock, "monotonicMs">,
  items: Iterable<Item>,
  toValue: (item: Item) => Value,
): Promise<Value[]> {
  const values: Value[] = [];
  let untilMs = clock.monotonicMs() + SLICE_MS_MAX;
  for (const item of items) {
    if (clock.monotonicMs() > untilMs) {
      await new Promise<void>((resolve) => void setImmediate(resolve));
      untilMs = clock.monotonicMs() + SLICE_MS_MAX;
    }
    values.push(toValue(item));
  }
  return values;
}

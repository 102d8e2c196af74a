/**
 * Waits of chaos runs. Longer than those of the tests, because a destination that was troubled is given a rest before
 * it is tried again; but every one of them ends.
 */

/** Another process cannot be awaited, only asked: so often. */
const ASK_AGAIN_MS = 100;

export const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

export interface Patience {
  /** Ends the sentence "waited 30 s for …". */
  readonly what: string;
  readonly forMs: number;
}

/** Asks until the answer is yes, and says how long that took. Rejects when it is still no after `forMs`. */
export async function until({ what, forMs }: Patience, isSo: () => Promise<boolean>): Promise<number> {
  const startedMs = performance.now();
  while (!(await isSo())) {
    if (performance.now() - startedMs > forMs) throw new Error(`waited ${forMs / 1000} s for ${what}`);
    await pause(ASK_AGAIN_MS);
  }
  return performance.now() - startedMs;
}

/** Rejects when `wait` has not ended after `forMs`. */
export async function atMost<Value>({ what, forMs }: Patience, wait: Promise<Value>): Promise<Value> {
  const { promise: late, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(() => reject(new Error(`waited ${forMs / 1000} s for ${what}`)), forMs);
  return await Promise.race([wait, late]).finally(() => clearTimeout(timer));
}

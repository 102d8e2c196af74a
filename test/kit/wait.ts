/**
 * Waits that end. A test that waits for another process must fail with a sentence when that never does what is waited
 * for, so that what it started is taken down again; the limits are far longer than anything takes on a busy machine.
 * A start of the service takes a second, and took more than 30 beside 22 busy processes on two cores.
 * Chaos runs give limits of their own: a destination that was troubled is given a rest before it is tried again.
 */
const DEADLINE_MS = 90_000;

/** Another process cannot be awaited, only asked: so often. */
const ASK_AGAIN_MS = 50;

export const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

/** Rejects when `wait` has not ended after `forMs`. */
export async function soon<Value>(wait: Promise<Value>, what: string, forMs = DEADLINE_MS): Promise<Value> {
  const { promise: late, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(() => reject(new Error(`waited ${forMs / 1000} s for ${what}`)), forMs);
  return await Promise.race([wait, late]).finally(() => clearTimeout(timer));
}

/** Asks until the answer is yes, and says how long that took. Rejects when it is still no after `forMs`. */
export async function eventually(
  what: string,
  isSo: () => boolean | Promise<boolean>,
  forMs = DEADLINE_MS,
): Promise<number> {
  const startedMs = performance.now();
  while (!(await isSo())) {
    if (performance.now() - startedMs > forMs) throw new Error(`waited ${forMs / 1000} s for ${what}`);
    await pause(ASK_AGAIN_MS);
  }
  return performance.now() - startedMs;
}

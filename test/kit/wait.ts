/**
 * Waits that end. A test that waits for another process must fail with a sentence when that never does what is waited
 * for, so that what it started is taken down again; the limits are far longer than anything takes on a busy machine.
 */
const DEADLINE_MS = 30_000;

/** Another process cannot be awaited, only asked: so often. */
const ASK_AGAIN_MS = 50;

/** Rejects when `wait` has not ended by the deadline. */
export async function soon<Value>(wait: Promise<Value>, what: string): Promise<Value> {
  const { promise: late, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(() => reject(new Error(`waited ${DEADLINE_MS / 1000} s for ${what}`)), DEADLINE_MS);
  return await Promise.race([wait, late]).finally(() => clearTimeout(timer));
}

/** Asks again and again until the answer is yes. */
export async function eventually(what: string, isSo: () => Promise<boolean>): Promise<void> {
  const untilMs = performance.now() + DEADLINE_MS;
  while (!(await isSo())) {
    if (performance.now() > untilMs) throw new Error(`waited ${DEADLINE_MS / 1000} s for: ${what}`);
    await new Promise((resolve) => setTimeout(resolve, ASK_AGAIN_MS));
  }
}

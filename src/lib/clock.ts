/**
 * Time as a value that is passed in. Only `lib/` reads the machine's clock or sets a timer, so that tests and the
 * simulator run days of retries in milliseconds with a clock of their own.
 */

/** Ends a timer; harmless when it has already fired. */
export type CancelTimer = () => void;

export interface Clock {
  /** Milliseconds since the Unix epoch. May jump: use it for instants that are stored or sent. */
  nowMs(): number;
  /** Milliseconds that never go back. Use it for durations. */
  monotonicMs(): number;
  /**
   * Calls `fire` once after `delayMs`, which must stay below `TIMER_MS_MAX`: Node fires longer timers at once.
   * The timer does not keep the process alive.
   */
  after(delayMs: number, fire: () => void): CancelTimer;
}

/** `setTimeout` takes a signed 32-bit number; above it fires after 1 ms (measured on Node 24). */
export const TIMER_MS_MAX = 2 ** 31 - 1;

export const systemClock: Clock = {
  nowMs: () => Date.now(),
  monotonicMs: () => performance.now(),
  after(delayMs, fire) {
    if (!(delayMs <= TIMER_MS_MAX)) throw new RangeError(`timer of ${delayMs} ms is above ${TIMER_MS_MAX} ms`);
    const timer = setTimeout(fire, delayMs);
    timer.unref();
    return () => clearTimeout(timer);
  },
};

/** Timers of the clock let a process end, and a program that only waits would: it calls this once, at its start. */
export function keepAwake(): void {
  setInterval(() => {}, TIMER_MS_MAX);
}

/** Resolves after `delayMs` of the given clock. */
export function sleep(clock: Clock, delayMs: number): Promise<void> {
  return new Promise((resolve) => {
    clock.after(delayMs, resolve);
  });
}

/** The value of `asked`, or `null` when it takes longer than `withinMs`; a later result is ignored. */
export async function inTime<Value>(
  clock: Pick<Clock, "after">,
  withinMs: number,
  asked: Promise<Value>,
): Promise<Value | null> {
  let cancel: CancelTimer = () => {};
  const late = new Promise<null>((resolve) => {
    cancel = clock.after(withinMs, () => resolve(null));
  });
  return await Promise.race([asked, late]).finally(cancel);
}

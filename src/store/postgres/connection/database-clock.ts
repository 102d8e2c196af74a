/**
 * The database's clock, followed by each node: one clock decides on all nodes when a delivery is due and a claim runs
 * out, so that it does not matter how far theirs are apart. Asked for every few seconds; in between, and while the
 * database is away, time goes on by the node's monotonic clock, so that it does not matter either when its own is set.
 */
import type { Clock } from "../../../lib/clock.ts";
import { secondsMs } from "../../../lib/duration.ts";

const ASK_EVERY_MS = secondsMs(10);

/** The round trip blurs the time that was read; a difference below this is left as it is, so that time runs evenly. */
const BLUR_MS = 5;

/** Gives the database's instant; rejects when it cannot be reached now. */
export type AskTime = () => Promise<number>;

export interface DatabaseClock {
  readonly clock: Clock;
  /** Goes by what `ask` says now. */
  measure(ask: AskTime): Promise<void>;
  /** Measures again and again, until it is disposed of. */
  follow(ask: AskTime): Disposable;
}

/** The node's own until it is measured. */
export function createDatabaseClock(own: Clock): DatabaseClock {
  /** To the monotonic clock. */
  let differenceMs = own.nowMs() - own.monotonicMs();

  async function measure(ask: AskTime): Promise<void> {
    const askedMs = own.monotonicMs();
    const databaseMs = await ask();
    const tripMs = own.monotonicMs() - askedMs;
    const measuredMs = databaseMs - (askedMs + tripMs / 2);
    if (Math.abs(measuredMs - differenceMs) > Math.max(BLUR_MS, tripMs)) differenceMs = measuredMs;
  }

  function follow(ask: AskTime): Disposable {
    let cancel = (): void => {};
    let isStopped = false;
    // A database that is away is told by every verb; the clock only keeps what it knows.
    const again = (): void => {
      if (!isStopped) cancel = own.after(ASK_EVERY_MS, () => void measure(ask).then(again, again));
    };
    again();
    return {
      [Symbol.dispose]() {
        isStopped = true;
        cancel();
      },
    };
  }

  return { clock: { ...own, nowMs: () => Math.round(own.monotonicMs() + differenceMs) }, measure, follow };
}

/**
 * Keeps changes of the set-up and accepts in the order in which they were called, although they run on different
 * connections: a caller that saves a change and then accepts, without waiting in between, gets the change. Changes run
 * one after the other, accepts between two of them side by side.
 */
export interface CallOrder {
  /** Runs when everything that was called before has ended. */
  change<Value>(run: () => Promise<Value>): Promise<Value>;
  /** Runs when the changes that were called before have ended. */
  accept<Value>(run: () => Promise<Value>): Promise<Value>;
}

export function createCallOrder(): CallOrder {
  /** The last change that was called; `null` when none waits or runs. */
  let lastChange: Promise<unknown> | null = null;
  /** Accepts called since then. */
  let accepts = new Set<Promise<unknown>>();

  return {
    change(run) {
      const before = [...accepts, ...(lastChange === null ? [] : [lastChange])];
      const change = before.length === 0 ? run() : Promise.allSettled(before).then(run);
      accepts = new Set();
      lastChange = change;
      const end = (): void => {
        if (lastChange === change) lastChange = null;
      };
      change.then(end, end);
      return change;
    },
    accept(run) {
      const accept = lastChange === null ? run() : lastChange.then(run, run);
      const since = accepts;
      since.add(accept);
      const end = (): void => void since.delete(accept);
      accept.then(end, end);
      return accept;
    },
  };
}

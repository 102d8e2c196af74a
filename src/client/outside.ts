/** The one place where the client reaches the world: network, time and chance. A test passes its own. */
export interface Outside {
  readonly fetch: (url: string, init: RequestInit) => Promise<Response>;
  /** Milliseconds that never go back. */
  readonly nowMs: () => number;
  /** Keeps the process alive, because a caller waits for the answer. Rejects when the signal aborts. */
  readonly wait: (delayMs: number, signal: AbortSignal | undefined) => Promise<void>;
  /** A number in [0, 1). */
  readonly chance: () => number;
}

export const systemOutside: Outside = {
  // Looked up at each call, so that a program that instruments the global `fetch` sees these calls too.
  fetch: (url, init) => globalThis.fetch(url, init),
  nowMs: () => performance.now(),
  chance: () => Math.random(),
  wait: (delayMs, signal) =>
    new Promise((resolve, reject) => {
      const stop = (): void => {
        clearTimeout(timer);
        reject(signal?.reason as Error);
      };
      const timer = setTimeout(() => {
        signal?.removeEventListener("abort", stop);
        resolve();
      }, delayMs);
      if (signal?.aborted === true) stop();
      else signal?.addEventListener("abort", stop, { once: true });
    }),
};

/** Calls `run` once when the signal aborts; at once where it has. */
export function whenAborted(signal: AbortSignal, run: () => void): void {
  if (signal.aborted) run();
  else signal.addEventListener("abort", run, { once: true });
}

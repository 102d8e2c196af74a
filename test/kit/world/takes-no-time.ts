/** For what must not grow with the square of its input: a few milliseconds, where that would be a minute or more. */
export function takesNoTime(work: () => unknown): boolean {
  const startedMs = performance.now();
  work();
  return performance.now() - startedMs < 5_000;
}

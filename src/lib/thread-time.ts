/**
 * Measures how long this thread works between two calls. The time that other programs take of the machine meanwhile
 * does not count. Linux counts CPU in ticks of 1 to 10 ms, so short work can look like a whole tick; the wall clock is
 * finer, runs on while others work, and is the upper bound.
 */
export function startWatch(): () => number {
  const cpu = process.threadCpuUsage();
  const startedMs = performance.now();
  return () => {
    const wallMs = performance.now() - startedMs;
    const { user, system } = process.threadCpuUsage(cpu);
    return Math.min(wallMs, (user + system) / 1000);
  };
}

/** How busy this process and its thread are: values that are passed in, so that tests and the simulator choose them. */
import { performance } from "node:perf_hooks";

/**
 * Returns the share of the time since the last call in which the event loop had work, from 0 to 1. Time that the
 * machine gave to other programs meanwhile counts as work, so a node that gets no CPU is busy.
 */
export function createLoopBusy(): () => number {
  let last = performance.eventLoopUtilization();
  return () => {
    const now = performance.eventLoopUtilization();
    const { utilization } = performance.eventLoopUtilization(now, last);
    last = now;
    return utilization;
  };
}

/*
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

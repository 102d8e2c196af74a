/** How busy this process is: a value that is passed in, so that tests and the simulator choose it. */
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

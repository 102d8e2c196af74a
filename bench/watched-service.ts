/**
 * The service as `bellwire serve` runs it, watched from inside: what a process used of the CPU and how long its event
 * loop stood still cannot be seen from outside on a machine that others use too. SIGUSR2 prints both since the last
 * time, as a line of standard error.
 */
import { monitorEventLoopDelay } from "node:perf_hooks";
import { runService } from "../test/kit/process/run-service.ts";

const RESOLUTION_MS = 1;

await runService({ onCreated: watch });

function watch(): void {
  const delays = monitorEventLoopDelay({ resolution: RESOLUTION_MS });
  delays.enable();
  let since = process.cpuUsage();
  let count = 0;
  process.on("SIGUSR2", () => {
    const { user, system } = process.cpuUsage(since);
    const seen = { cpuMs: (user + system) / 1000, stallMs: delays.max / 1e6 - RESOLUTION_MS };
    since = process.cpuUsage();
    delays.reset();
    count += 1;
    console.error(`watched ${count} ${JSON.stringify(seen)}`);
  });
}

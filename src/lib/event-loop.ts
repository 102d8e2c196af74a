/**
 * How late the event loop runs, under prom-client's names and in place of its own gauges. Those sample every 10 ms:
 * a hundred wake-ups a second, two thirds of all that an idle node had (measured). A loop that is late enough for an
 * alarm is seen four times a second just as well.
 */
import { monitorEventLoopDelay } from "node:perf_hooks";
import { collectDefaultMetrics, Gauge, type Registry } from "prom-client";

const SAMPLE_MS = 250;
const NANOS = 1e9;

/** prom-client's own sampler cannot be left out, but it can be made to wait for 24 days. */
const NEVER_MS = 2 ** 31 - 1;

/** In nanoseconds, from one sample to the next. */
export interface Delays {
  readonly mean: number;
  readonly max: number;
  percentile(percentile: number): number;
  reset(): void;
}

/** prom-client's metrics of the process, and this loop's. */
export function collectProcessMetrics(registry: Registry): void {
  const before = new Set(registry.getMetricsAsArray().map(({ name }) => name));
  collectDefaultMetrics({ register: registry, eventLoopMonitoringPrecision: NEVER_MS });
  for (const { name } of registry.getMetricsAsArray()) {
    if (name.startsWith("nodejs_eventloop_lag_") && !before.has(name)) registry.removeSingleMetric(name);
  }
  const delays = monitorEventLoopDelay({ resolution: SAMPLE_MS });
  delays.enable();
  registerLag([registry], delays);
}

/** Each figure is about the time since the last scrape. */
export function registerLag(registers: Registry[], delays: Delays): void {
  const figures = [
    ["mean", "The mean lateness", () => delays.mean],
    ["p50", "The median lateness", () => delays.percentile(50)],
    ["p99", "The 99th percentile of the lateness", () => delays.percentile(99)],
    ["max", "The greatest lateness", () => delays.max],
  ] as const;
  for (const [key, what, read] of figures) {
    new Gauge({
      name: `nodejs_eventloop_lag_${key}_seconds`,
      help: `${what} of the event loop since the last scrape, sampled every ${SAMPLE_MS} ms.`,
      registers,
      collect() {
        this.set(toLagSeconds(read()));
        if (key === "max") delays.reset();
      },
    });
  }
}

/** Without a sample yet the mean is not a number. */
const toLagSeconds = (nanos: number): number => Math.max(0, (nanos || 0) / NANOS - SAMPLE_MS / 1000);

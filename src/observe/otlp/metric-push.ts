/** Pushes all metrics to the collector, every interval and once more at the end. */
import type { Part } from "../../lib/rounds.ts";
import type { Clock } from "../../lib/clock.ts";
import { createWake } from "../../lib/wake.ts";
import type { Collector } from "./post.ts";

export interface MetricPushOptions {
  readonly clock: Clock;
  readonly collector: Pick<Collector, "post">;
  readonly intervalMs: number;
  /** The request's body with the present values. */
  readonly encode: () => Promise<string>;
  readonly report: {
    sent(): void;
    failed(reason: string): void;
  };
}

export function createMetricPush({ clock, collector, intervalMs, encode, report }: MetricPushOptions): Part {
  const wake = createWake(clock);
  let isStopping = false;
  let loop: Promise<void> | null = null;

  /** Never retried: sums are cumulative, so the next push contains everything. */
  async function push(): Promise<void> {
    const result = await collector.post(await encode());
    if (result.kind !== "taken") return report.failed(result.reason);
    if (result.rejected > 0) return report.failed(`it rejected some: ${result.message}`);
    report.sent();
  }

  async function pushUntilStopped(): Promise<void> {
    while (!isStopping) {
      await wake.within(intervalMs);
      // A gauge that cannot be read must not end the process, nor the pushes that follow.
      await push().catch((error: unknown) => report.failed(`metrics could not be read: ${String(error)}`));
    }
  }

  return {
    start: () => {
      loop ??= pushUntilStopped();
    },
    async stop() {
      isStopping = true;
      wake.now();
      await loop;
    },
  };
}

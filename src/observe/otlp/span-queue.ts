/**
 * Sends spans to the collector in batches, without delaying a delivery: recording a span is a push on a list that has a
 * maximum. While the collector is away, spans beyond the maximum are dropped and counted.
 *
 *     record ──► queue ──► batch ──taken──► sent
 *        │ full               └──refused, or still away after `retryMs`──► failed
 *        └──► dropped
 */
import type { Clock } from "../../lib/clock.ts";
import type { Random } from "../../lib/random.ts";
import { createWake } from "../../lib/wake.ts";
import type { Collector, PostResult } from "./post.ts";
import type { Span } from "./span.ts";

export interface SpanQueueOptions {
  readonly clock: Clock;
  readonly random: Random;
  readonly collector: Pick<Collector, "post">;
  readonly encode: (spans: readonly Span[]) => string;
  /** The time that spans wait for others to go with them. */
  readonly delayMs: number;
  readonly queuedMax: number;
  readonly batchMax: number;
  /** The time for which one batch is retried. */
  readonly retryMs: number;
  readonly report: ExportReport;
}

export interface ExportReport {
  sent(spans: number): void;
  /** Spans that were not queued: too many waited. */
  dropped(spans: number): void;
  /** Spans that the collector did not take. */
  failed(spans: number, reason: string): void;
}

export interface SpanQueue {
  record(span: Span): void;
  start(): void;
  /** Sends the waiting spans once, and ends. */
  stop(): Promise<void>;
}

/** Guess. The specification asks for growing waits with jitter. */
const AGAIN_MIN_MS = 500;
const AGAIN_MAX_MS = 8_000;

export function createSpanQueue(options: SpanQueueOptions): SpanQueue {
  const { clock, queuedMax, delayMs, report } = options;
  const batchMax = Math.min(options.batchMax, queuedMax);
  const waiting: Span[] = [];
  const full = createWake(clock);
  const stopped = createWake(clock);
  let isStopping = false;
  let loop: Promise<void> | null = null;

  async function sendWaiting(): Promise<void> {
    while (waiting.length > 0) await sendBatch(waiting.splice(0, batchMax));
  }

  async function sendBatch(batch: readonly Span[]): Promise<void> {
    const json = options.encode(batch);
    const result = await postUntilTaken(json);
    if (result.kind !== "taken") return report.failed(batch.length, result.reason);
    report.sent(batch.length - result.rejected);
    if (result.rejected > 0) report.failed(result.rejected, `it rejected some: ${result.message}`);
  }

  async function postUntilTaken(json: string): Promise<PostResult> {
    const giveUpMs = clock.monotonicMs() + options.retryMs;
    for (let pauseMs = AGAIN_MIN_MS; ; pauseMs = Math.min(2 * pauseMs, AGAIN_MAX_MS)) {
      const result = await options.collector.post(json);
      if (result.kind !== "again" || isStopping) return result;
      const waitMs = Math.max(result.waitMs, pauseMs * (0.5 + options.random.unit()));
      if (clock.monotonicMs() + waitMs >= giveUpMs) return result;
      await stopped.within(waitMs);
    }
  }

  async function sendUntilStopped(): Promise<void> {
    while (!isStopping) {
      await full.within(delayMs);
      await sendWaiting();
    }
    // Spans that were recorded while the last batch was in flight.
    await sendWaiting();
  }

  return {
    record(span) {
      if (waiting.length >= queuedMax) return report.dropped(1);
      waiting.push(span);
      if (waiting.length >= batchMax) full.now();
    },
    start: () => {
      loop ??= sendUntilStopped();
    },
    async stop() {
      isStopping = true;
      full.now();
      stopped.now();
      await (loop ??= sendWaiting());
    },
  };
}

/**
 * Traces and metrics over OTLP, as far as the operator's `OTEL_*` variables ask for them. When they are off, no span is
 * made, no loop runs, no socket is opened, and events are stored as if tracing did not exist.
 */
import type { Part } from "../lib/rounds.ts";
import { secondsMs } from "../lib/duration.ts";
import type { Clock } from "../lib/clock.ts";
import type { Random } from "../lib/random.ts";
import type { Logger } from "./log.ts";
import type { Metrics } from "./metrics.ts";
import { encodeMetrics } from "./otlp/encode-metrics.ts";
import { encodeSpans } from "./otlp/encode-spans.ts";
import { createMetricPush } from "./otlp/metric-push.ts";
import { type Collector, createCollector, type ResourceSettings, describeResource } from "./otlp/post.ts";
import { createSampler, type Attributes } from "./otlp/span.ts";
import { createSpanQueue } from "./otlp/span-queue.ts";
import { type Traces, createTraces } from "./traces.ts";

/** The part of the configuration that this reads. */
export interface TelemetrySettings extends ResourceSettings {
  readonly otlpEndpoint: string | null;
  readonly otlpHeaders: Readonly<Record<string, string>>;
  readonly otelMetricsExporter: "otlp" | "none";
  readonly otelTracesSampler: string;
  readonly otelTracesSamplerRatio: number;
}

export interface TelemetryContext {
  readonly settings: TelemetrySettings;
  readonly clock: Clock;
  readonly random: Random;
  readonly metrics: Metrics;
  readonly log: Logger;
}

export interface Telemetry {
  /** `null`: nothing is traced. */
  readonly traces: Traces | null;
  start(): void;
  /** Sends the rest, within a few seconds. */
  stop(): Promise<void>;
}

/** Guess. A stop waits this long for the collector: it must not keep a node from ending in time. */
const FLUSH_MS_MAX = secondsMs(3);

/** The defaults of OpenTelemetry's specification. */
const SPAN_QUEUE = { delayMs: secondsMs(5), queuedMax: 2_048, batchMax: 512, retryMs: secondsMs(30) };
const POST_MS_MAX = secondsMs(10);

/** As OpenTelemetry's own programs do. */
const METRICS_EVERY_MS = secondsMs(60);

/** A collector may put a time or an id into its answer. */
const REASONS_MAX = 5;

export function createTelemetry(ctx: TelemetryContext): Telemetry {
  const resource = describeResource(ctx.settings, ctx.random);
  const tracing = startTracing(ctx, resource);
  const parts = [tracing, createMetricsPart(ctx, resource)].filter((part) => part !== null);
  const closeAll = async (): Promise<void> => {
    const { promise: deadline, resolve: giveUp } = Promise.withResolvers<void>();
    const cancel = ctx.clock.after(FLUSH_MS_MAX, giveUp);
    await Promise.race([deadline, Promise.all(parts.map((part) => part.stop()))]);
    cancel();
    await Promise.all(parts.map((part) => part.collector[Symbol.asyncDispose]()));
  };
  let stopping: Promise<void> | null = null;
  return {
    traces: tracing?.traces ?? null,
    start: () => parts.forEach((part) => part.start()),
    stop: () => (stopping ??= parts.length === 0 ? Promise.resolve() : closeAll()),
  };
}

interface RunningPart extends Part {
  readonly collector: Collector;
}

function startTracing(ctx: TelemetryContext, resource: Attributes): (RunningPart & { readonly traces: Traces }) | null {
  const { settings, clock, random, metrics } = ctx;
  const collector = collectorFor(ctx, "traces");
  if (collector === null) return null;
  const news = tellChanges(ctx, "traces");
  const queue = createSpanQueue({
    clock,
    random,
    collector,
    encode: (spans) => encodeSpans(spans, resource),
    ...SPAN_QUEUE,
    report: {
      sent(spans) {
        metrics.telemetrySpans.inc({ result: "sent" }, spans);
        news.works();
      },
      dropped: (spans) => metrics.telemetrySpans.inc({ result: "dropped" }, spans),
      failed(spans, reason) {
        metrics.telemetrySpans.inc({ result: "failed" }, spans);
        news.fails(reason);
      },
    },
  });
  const sampler = createSampler({ sampler: settings.otelTracesSampler, ratio: settings.otelTracesSamplerRatio });
  return { ...queue, collector, traces: createTraces({ clock, random, sampler, record: queue.record }) };
}

function createMetricsPart(ctx: TelemetryContext, resource: Attributes): RunningPart | null {
  const { clock, metrics } = ctx;
  const collector = collectorFor(ctx, "metrics");
  if (collector === null) return null;
  const news = tellChanges(ctx, "metrics");
  const startedAtMs = clock.nowMs();
  const push = createMetricPush({
    clock,
    collector,
    intervalMs: METRICS_EVERY_MS,
    async encode() {
      const read = await metrics.registry.getMetricsAsJSON();
      return encodeMetrics(read, { resource, startedAtMs, nowMs: clock.nowMs() });
    },
    report: {
      sent() {
        metrics.telemetryPushes.inc({ result: "sent" });
        news.works();
      },
      failed(reason) {
        metrics.telemetryPushes.inc({ result: "failed" });
        news.fails(reason);
      },
    },
  });
  return { ...push, collector };
}

function collectorFor({ settings, clock }: TelemetryContext, signal: "traces" | "metrics"): Collector | null {
  const isLeftOut =
    signal === "traces" ? settings.otelTracesSampler === "always_off" : settings.otelMetricsExporter === "none";
  if (isLeftOut || settings.otlpEndpoint === null) return null;
  const url = new URL(settings.otlpEndpoint);
  url.pathname = `${url.pathname.replace(/\/$/, "")}/v1/${signal}`;
  return createCollector({
    endpoint: url.href,
    get headers() {
      return settings.otlpHeaders;
    },
    timeoutMs: POST_MS_MAX,
    clock,
  });
}

/** Logs each reason once until the collector is back: a line for every batch would bury the log. */
function tellChanges({ log }: TelemetryContext, signal: string) {
  const told = new Set<string>();
  let times = 0;
  return {
    fails(reason: string): void {
      times += 1;
      if (told.has(reason) || told.size === REASONS_MAX) return;
      told.add(reason);
      log.warn({ signal, reason }, "telemetry.failed");
    },
    works(): void {
      if (times > 0) log.info({ signal, times }, "telemetry.recovered");
      times = 0;
      told.clear();
    },
  };
}

/**
 * Traces and metrics over OTLP: OpenTelemetry's own variables, with the names and defaults of its specification. They
 * are rows of the table in `options.ts`. Bellwire sends nothing unless an address is set: a service that is not asked
 * to trace must not look for a collector.
 */
import type { Option } from "./option.ts";
import { parseOneOf, parseWholeNumber } from "./option-text.ts";
import {
  TRACES_SAMPLERS,
  type TracesSampler,
  parseOtlpEndpoint,
  parseOtlpHeaders,
  parseOtlpProtocol,
  parseRatio,
  parseResourceAttributes,
  parseTrueOrFalse,
} from "./telemetry-text.ts";

export interface TelemetryConfig {
  readonly otelDisabled: boolean;
  /** `null` when not set. Signals go to paths below it. */
  readonly otlpEndpoint: string | null;
  /** The exact address; `null` means below `otlpEndpoint`. */
  readonly otlpTracesEndpoint: string | null;
  readonly otlpMetricsEndpoint: string | null;
  readonly otlpHeaders: Readonly<Record<string, string>>;
  /** Replaces `otlpHeaders` when it has any. */
  readonly otlpTracesHeaders: Readonly<Record<string, string>>;
  readonly otlpMetricsHeaders: Readonly<Record<string, string>>;
  readonly otlpProtocol: "http/json";
  readonly otlpCompression: "none" | "gzip";
  readonly otlpTimeoutMs: number;
  readonly otelTracesExporter: "otlp" | "none";
  readonly otelMetricsExporter: "otlp" | "none";
  readonly otelServiceName: string;
  readonly otelResourceAttributes: Readonly<Record<string, string>>;
  readonly otelTracesSampler: TracesSampler;
  /** For the samplers by ratio. */
  readonly otelTracesSamplerRatio: number;
  readonly otelMetricIntervalMs: number;
  readonly otelSpanDelayMs: number;
  readonly otelSpansQueuedMax: number;
  readonly otelSpansBatchMax: number;
  readonly otelSpansTimeoutMs: number;
}

const EXPORTERS = ["otlp", "none"] as const;
const COMPRESSIONS = ["none", "gzip"] as const;

const HOUR_MS = 3_600_000;

export const TELEMETRY_OPTIONS: { readonly [Field in keyof TelemetryConfig]: Option<TelemetryConfig[Field]> } = {
  otlpEndpoint: endpoint(
    "OTEL_EXPORTER_OTLP_ENDPOINT",
    "Collector that traces and metrics are sent to, at `/v1/traces` and `/v1/metrics` below this address.",
  ),
  otlpTracesEndpoint: endpoint("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT", "Exact address for traces alone."),
  otlpMetricsEndpoint: endpoint("OTEL_EXPORTER_OTLP_METRICS_ENDPOINT", "Exact address for metrics alone."),
  otlpHeaders: headers("OTEL_EXPORTER_OTLP_HEADERS", "Headers that the collector asks for, such as a token."),
  otlpTracesHeaders: headers("OTEL_EXPORTER_OTLP_TRACES_HEADERS", "Instead of those, for traces."),
  otlpMetricsHeaders: headers("OTEL_EXPORTER_OTLP_METRICS_HEADERS", "Instead of those, for metrics."),
  otlpProtocol: {
    variable: "OTEL_EXPORTER_OTLP_PROTOCOL",
    kind: "`http/json`",
    default: "http/json",
    sentence: "The only supported protocol: see [ADR 8](adr/0008-otlp-without-the-sdk.md).",
    parse: parseOtlpProtocol,
    show: String,
  },
  otlpCompression: {
    variable: "OTEL_EXPORTER_OTLP_COMPRESSION",
    kind: "`none` or `gzip`",
    default: "none",
    sentence: "How requests to the collector are compressed.",
    parse: parseOneOf(COMPRESSIONS),
    show: String,
  },
  otlpTimeoutMs: milliseconds("OTEL_EXPORTER_OTLP_TIMEOUT", "10000", "How long one request to the collector may take."),
  otelDisabled: {
    variable: "OTEL_SDK_DISABLED",
    kind: "`true` or `false`",
    default: "false",
    sentence: "`true` sends neither traces nor metrics, in every case. `/metrics` stays.",
    parse: parseTrueOrFalse,
    show: String,
  },
  otelTracesExporter: exporter("OTEL_TRACES_EXPORTER", "`none` sends no traces."),
  otelMetricsExporter: exporter("OTEL_METRICS_EXPORTER", "`none` sends no metrics. `/metrics` stays."),
  otelServiceName: {
    variable: "OTEL_SERVICE_NAME",
    kind: "a name",
    default: "",
    defaultShown: "`service.name` of `OTEL_RESOURCE_ATTRIBUTES`, else `bellwire`",
    sentence: "Name of this service in traces and metrics.",
    parse: (text) => ({ ok: true, value: text }),
    show: (name) => (name === "" ? "not set" : name),
  },
  otelResourceAttributes: {
    variable: "OTEL_RESOURCE_ATTRIBUTES",
    kind: "`key=value`, several separated by commas",
    default: "",
    sentence:
      "Further attributes of this process in traces and metrics, such as `deployment.environment.name=production`.",
    parse: parseResourceAttributes,
    show: (attributes) => Object.keys(attributes).join(", ") || "none",
  },
  otelTracesSampler: {
    variable: "OTEL_TRACES_SAMPLER",
    kind: TRACES_SAMPLERS.map((sampler) => `\`${sampler}\``).join(", "),
    default: "parentbased_always_on",
    sentence: "Which traces are kept. The decision at the accept of an event holds for its attempts too.",
    parse: parseOneOf(TRACES_SAMPLERS),
    show: String,
  },
  otelTracesSamplerRatio: {
    variable: "OTEL_TRACES_SAMPLER_ARG",
    kind: "number, 0 to 1",
    default: "1",
    sentence: "For the samplers with `traceidratio`: the share of traces that are kept.",
    parse: parseRatio,
    show: String,
  },
  otelMetricIntervalMs: milliseconds("OTEL_METRIC_EXPORT_INTERVAL", "60000", "How often metrics are sent."),
  otelSpanDelayMs: milliseconds("OTEL_BSP_SCHEDULE_DELAY", "5000", "How long spans wait for others to go with them."),
  otelSpansQueuedMax: count(
    "OTEL_BSP_MAX_QUEUE_SIZE",
    "2048",
    "Spans that may wait; more are dropped, and counted by `bellwire_telemetry_spans_total`.",
  ),
  otelSpansBatchMax: count("OTEL_BSP_MAX_EXPORT_BATCH_SIZE", "512", "Spans that go in one request."),
  otelSpansTimeoutMs: milliseconds(
    "OTEL_BSP_EXPORT_TIMEOUT",
    "30000",
    "How long one batch of spans is retried while the collector is away, before it is dropped and counted.",
  ),
};

/** Whether a variable gives an address, and none switches telemetry off. The address is parsed later. */
export function isTelemetryAsked(readText: (field: keyof TelemetryConfig) => string): boolean {
  const addresses = [readText("otlpEndpoint"), readText("otlpTracesEndpoint"), readText("otlpMetricsEndpoint")];
  return addresses.some((text) => text !== "") && readText("otelDisabled").toLowerCase() !== "true";
}

function endpoint(variable: string, sentence: string): Option<string | null> {
  return {
    variable,
    isSecret: true,
    kind: "`http://` or `https://` and an address",
    default: "",
    sentence,
    parse: parseOtlpEndpoint,
    // A path or query may carry a token.
    show: (url) => (url === null ? "none" : new URL(url).origin),
  };
}

function headers(variable: string, sentence: string): Option<Readonly<Record<string, string>>> {
  return {
    variable,
    isSecret: true,
    kind: "`name=value`, several separated by commas, odd characters as `%2C`",
    default: "",
    sentence,
    parse: parseOtlpHeaders,
    show: (given) => (Object.keys(given).length === 0 ? "none" : `set (${Object.keys(given).length}, not shown)`),
  };
}

function exporter(variable: string, sentence: string): Option<"otlp" | "none"> {
  const kind = EXPORTERS.map((each) => `\`${each}\``).join(" or ");
  return { variable, kind, default: "otlp", sentence, parse: parseOneOf(EXPORTERS), show: String };
}

function milliseconds(variable: string, preset: string, sentence: string): Option<number> {
  const kind = "whole number, 1 to 3600000";
  const parse = parseWholeNumber(1, HOUR_MS);
  return { variable, kind, unit: "ms", default: preset, sentence, parse, show: String };
}

function count(variable: string, preset: string, sentence: string): Option<number> {
  const parse = parseWholeNumber(1, 1_000_000);
  return {
    variable,
    kind: "whole number, 1 to 1000000",
    unit: "spans",
    default: preset,
    sentence,
    parse,
    show: String,
  };
}

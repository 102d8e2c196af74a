/**
 * Traces and metrics over OTLP: those of OpenTelemetry's own variables that an operator needs, with the names and
 * defaults of its specification. They are rows of the table in `options.ts`. Bellwire sends nothing unless an address
 * is set: a service that is not asked to trace must not look for a collector.
 */
import { oneOf } from "../lib/settings/option.ts";
import { defineOptions } from "./option.ts";
import {
  TRACES_SAMPLERS,
  parseOtlpEndpoint,
  parseOtlpHeaders,
  parseRatio,
  parseResourceAttributes,
} from "./telemetry-text.ts";

const EXPORTERS = ["otlp", "none"] as const;

export const TELEMETRY_OPTIONS = defineOptions({
  otlpEndpoint: {
    variable: "OTEL_EXPORTER_OTLP_ENDPOINT",
    isSecret: true,
    kind: "`http://` or `https://` and an address",
    default: "",
    sentence:
      "Collector that traces and metrics are sent to, at `/v1/traces` and `/v1/metrics` below this address, as " +
      "`http/json` packed with gzip. Empty: neither is sent.",
    parse: parseOtlpEndpoint,
    // A path or query may carry a token.
    show: (url) => (url === null ? "none" : new URL(url).origin),
  },
  otlpHeaders: {
    variable: "OTEL_EXPORTER_OTLP_HEADERS",
    isSecret: true,
    kind: "`name=value`, several separated by commas, odd characters as `%2C`",
    default: "",
    sentence: "Headers that the collector asks for, such as a token.",
    parse: parseOtlpHeaders,
    show: (given) => (Object.keys(given).length === 0 ? "none" : `set (${Object.keys(given).length}, not shown)`),
  },
  otelMetricsExporter: {
    variable: "OTEL_METRICS_EXPORTER",
    ...oneOf(EXPORTERS, " or "),
    default: "otlp",
    sentence: "`none` sends no metrics. `/metrics` stays. For no traces, set `OTEL_TRACES_SAMPLER=always_off`.",
  },
  otelResourceAttributes: {
    variable: "OTEL_RESOURCE_ATTRIBUTES",
    kind: "`key=value`, several separated by commas",
    default: "",
    sentence:
      "Further attributes of this process in traces and metrics, such as `deployment.environment.name=production`. " +
      "`service.name` is `bellwire` unless it stands here.",
    parse: parseResourceAttributes,
    show: (attributes) => Object.keys(attributes).join(", ") || "none",
  },
  otelTracesSampler: {
    variable: "OTEL_TRACES_SAMPLER",
    ...oneOf(TRACES_SAMPLERS),
    default: "parentbased_always_on",
    sentence: "Which traces are kept. The decision at the accept of an event holds for its attempts too.",
  },
  otelTracesSamplerRatio: {
    variable: "OTEL_TRACES_SAMPLER_ARG",
    kind: "number, 0 to 1",
    default: "1",
    sentence: "For the samplers with `traceidratio`: the share of traces that are kept.",
    parse: parseRatio,
    show: String,
  },
});

/**
 * The metrics of `/metrics` in the JSON form of OTLP/HTTP (`ExportMetricsServiceRequest`): the same instruments under
 * the same names, read from the same registry, so that each value is counted once. Sums are cumulative since the start
 * of the process, as Prometheus' counters are. Pure.
 */
import type { MetricObjectWithValues, MetricValue, MetricValueWithName } from "prom-client";
import { SCOPE, encodeAttributes, nanos } from "./encode-spans.ts";
import type { Attributes } from "./span.ts";

export interface MetricsMoment {
  readonly resource: Attributes;
  /** The instant from which counters count. */
  readonly startedAtMs: number;
  readonly nowMs: number;
}

export type ReadMetric = MetricObjectWithValues<MetricValue<string>>;

/** `AggregationTemporality.AGGREGATION_TEMPORALITY_CUMULATIVE` */
const CUMULATIVE = 2;

export function encodeMetrics(metrics: readonly ReadMetric[], moment: MetricsMoment): string {
  const encoded = metrics.map((metric) => encodeMetric(metric, moment)).filter((metric) => metric !== null);
  const scopeMetrics = [{ scope: SCOPE, metrics: encoded }];
  const resource = { attributes: encodeAttributes(moment.resource) };
  return JSON.stringify({ resourceMetrics: [{ resource, scopeMetrics }] });
}

function encodeMetric(metric: ReadMetric, moment: MetricsMoment) {
  const data = encodeData(metric, moment);
  return data === null ? null : { name: metric.name, description: metric.help, unit: readUnit(metric.name), ...data };
}

function encodeData(metric: ReadMetric, moment: MetricsMoment) {
  // The types declare an enumeration; the value is its name.
  switch (String(metric.type)) {
    case "counter": {
      const dataPoints = numberPoints(metric, moment);
      return { sum: { dataPoints, aggregationTemporality: CUMULATIVE, isMonotonic: true } };
    }
    case "gauge":
      return { gauge: { dataPoints: numberPoints(metric, moment) } };
    case "histogram":
      return { histogram: { dataPoints: histogramPoints(metric, moment), aggregationTemporality: CUMULATIVE } };
    default:
      return null;
  }
}

function numberPoints({ type, values }: ReadMetric, moment: MetricsMoment) {
  const isSum = String(type) === "counter";
  return values
    .filter(({ value }) => Number.isFinite(value))
    .map(({ labels, value }) => ({
      attributes: encodeAttributes(toAttributes(labels)),
      ...(isSum ? { startTimeUnixNano: nanos(moment.startedAtMs) } : {}),
      timeUnixNano: nanos(moment.nowMs),
      asDouble: value,
    }));
}

interface Bins {
  readonly attributes: Attributes;
  readonly bounds: number[];
  /** Counts the values at or below each bound, as Prometheus does. */
  readonly below: number[];
  sum: number;
  count: number;
}

function histogramPoints(metric: ReadMetric, moment: MetricsMoment) {
  const series = new Map<string, Bins>();
  for (const value of metric.values as readonly MetricValueWithName<string>[]) addToBins(series, metric.name, value);
  return [...series.values()].map(({ attributes, bounds, below, sum, count }) => ({
    attributes: encodeAttributes(attributes),
    startTimeUnixNano: nanos(moment.startedAtMs),
    timeUnixNano: nanos(moment.nowMs),
    count: String(count),
    sum,
    // Each bin by itself, and one more behind the last bound.
    bucketCounts: [...below, count].map((upTo, place) => String(upTo - (below[place - 1] ?? 0))),
    explicitBounds: bounds,
  }));
}

function addToBins(
  series: Map<string, Bins>,
  name: string,
  { labels, value, metricName }: MetricValueWithName<string>,
) {
  const { le, ...rest } = toAttributes(labels);
  const key = JSON.stringify(rest);
  const bins = series.get(key) ?? { attributes: rest, bounds: [], below: [], sum: 0, count: 0 };
  series.set(key, bins);
  if (metricName === `${name}_sum`) bins.sum = value;
  else if (metricName === `${name}_count`) bins.count = value;
  else if (le !== "+Inf") {
    bins.bounds.push(Number(le));
    bins.below.push(value);
  }
}

function toAttributes(labels: Readonly<Partial<Record<string, string | number>>>): Attributes {
  return Object.fromEntries(
    Object.entries(labels).filter((entry): entry is [string, string] => entry[1] !== undefined),
  );
}

/**
 * The unit that the name already says, in UCUM, so that a collector that writes Prometheus' names again adds nothing.
 */
function readUnit(name: string): string {
  if (/_seconds(?:_|$)/.test(name)) return "s";
  return /_bytes(?:_|$)/.test(name) ? "By" : "";
}

/**
 * The encoded form, as the protocol's own examples write it; `test/kit/servers/otlp-collector.ts` reads the rest
 * strictly.
 */
import assert from "node:assert/strict";
import { test } from "node:test";
import { Counter, Gauge, Histogram, Registry } from "prom-client";
import { VERSION } from "../../lib/version.ts";
import { encodeMetrics } from "./encode-metrics.ts";
import { encodeSpans, nanos } from "./encode-spans.ts";

const RESOURCE = { "service.name": "bellwire", "process.pid": 7 };
const ENCODED_RESOURCE = {
  attributes: [
    { key: "service.name", value: { stringValue: "bellwire" } },
    { key: "process.pid", value: { intValue: "7" } },
  ],
};
const SCOPE = { name: "bellwire", version: VERSION };

test("instants are text in nanoseconds, to the microsecond", () => {
  assert.equal(nanos(1_795_262_400_123.5), "1795262400123500000");
  assert.equal(nanos(1_795_262_400_000), "1795262400000000000");
});

test("a span has everything under the protocol's names", () => {
  const json = encodeSpans(
    [
      {
        traceId: "4bf92f3577b34da6a3ce929d0e0e4736",
        spanId: "00f067aa0ba902b7",
        parent: { spanId: "b7ad6b7169203331", isRemote: true },
        traceState: "vendor=opaque",
        name: "deliver demo_viewed",
        kind: "consumer",
        startMs: 1_000,
        endMs: 999,
        attributes: { text: "a", whole: 3, part: 0.5, flag: false },
        events: [{ name: "bellwire.connected", atMs: 1_000.5 }],
        linkTo: "b7ad6b7169203331",
        isError: true,
      },
    ],
    RESOURCE,
  );
  const span = {
    traceId: "4bf92f3577b34da6a3ce929d0e0e4736",
    spanId: "00f067aa0ba902b7",
    traceState: "vendor=opaque",
    parentSpanId: "b7ad6b7169203331",
    flags: 0x301,
    name: "deliver demo_viewed",
    kind: 5,
    startTimeUnixNano: "1000000000",
    // A clock that was set back: no span ends before it begins.
    endTimeUnixNano: "1000000000",
    attributes: [
      { key: "text", value: { stringValue: "a" } },
      { key: "whole", value: { intValue: "3" } },
      { key: "part", value: { doubleValue: 0.5 } },
      { key: "flag", value: { boolValue: false } },
    ],
    events: [{ timeUnixNano: "1000500000", name: "bellwire.connected" }],
    links: [{ traceId: "4bf92f3577b34da6a3ce929d0e0e4736", spanId: "b7ad6b7169203331" }],
    status: { code: 2 },
  };
  assert.deepEqual(JSON.parse(json), {
    resourceSpans: [{ resource: ENCODED_RESOURCE, scopeSpans: [{ scope: SCOPE, spans: [span] }] }],
  });
});

test("counters, gauges and histograms become sums, gauges and histograms of single bins", async () => {
  const registry = new Registry();
  const registers = [registry];
  new Counter({ name: "hits_total", help: "Hits.", labelNames: ["kind"], registers }).inc({ kind: "a" }, 3);
  new Gauge({ name: "size_bytes", help: "Size.", registers }).set(1.5);
  new Gauge({ name: "lag_seconds", help: "Lag.", registers }).set(Number.NaN);
  const took = new Histogram({
    name: "took_seconds",
    help: "Time.",
    buckets: [0.1, 1],
    labelNames: ["kind"],
    registers,
  });
  for (const seconds of [0.05, 0.1, 0.5, 7]) took.observe({ kind: "a" }, seconds);
  took.observe({ kind: "b" }, 2);
  const moment = { resource: RESOURCE, startedAtMs: 1_000, nowMs: 2_000 };
  const attributes = (kind: string) => [{ key: "kind", value: { stringValue: kind } }];
  const times = { startTimeUnixNano: "1000000000", timeUnixNano: "2000000000" };
  const bins = (kind: string) => ({ attributes: attributes(kind), ...times, explicitBounds: [0.1, 1] });
  assert.deepEqual(JSON.parse(encodeMetrics(await registry.getMetricsAsJSON(), moment)), {
    resourceMetrics: [
      {
        resource: ENCODED_RESOURCE,
        scopeMetrics: [
          {
            scope: SCOPE,
            metrics: [
              {
                name: "hits_total",
                description: "Hits.",
                unit: "",
                sum: {
                  dataPoints: [{ attributes: attributes("a"), ...times, asDouble: 3 }],
                  aggregationTemporality: 2,
                  isMonotonic: true,
                },
              },
              {
                name: "size_bytes",
                description: "Size.",
                unit: "By",
                gauge: { dataPoints: [{ attributes: [], timeUnixNano: "2000000000", asDouble: 1.5 }] },
              },
              // A value that is not a number makes no point: JSON has no text for it that all collectors read.
              { name: "lag_seconds", description: "Lag.", unit: "s", gauge: { dataPoints: [] } },
              {
                name: "took_seconds",
                description: "Time.",
                unit: "s",
                histogram: {
                  dataPoints: [
                    { ...bins("a"), count: "4", sum: 7.65, bucketCounts: ["2", "1", "1"] },
                    { ...bins("b"), count: "1", sum: 2, bucketCounts: ["0", "0", "1"] },
                  ],
                  aggregationTemporality: 2,
                },
              },
            ],
          },
        ],
      },
    ],
  });
});

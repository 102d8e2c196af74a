/** The registry shows these metrics as it shows prom-client's own after the same events. */
import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { Counter, Histogram, Registry } from "prom-client";
import { encodeMetrics } from "./otlp/encode-metrics.ts";
import { createCounters, createHistograms } from "./series.ts";

const BUCKETS = [0.005, 0.01, 0.25, 1, 15];
const COUNTER = { name: "attempts_total", help: "Attempts.", labelNames: ["event", "outcome", "verdict"] };
const HISTOGRAM = { name: "attempt_seconds", help: "Time.", labelNames: ["event", "outcome"], buckets: BUCKETS };

const label = fc.constantFrom("demo_viewed", "status_2xx", 'with "quotes" and \\', "timeout", "/v1/:id");
const seconds = fc.oneof(fc.constantFrom(0, ...BUCKETS), fc.double({ min: 0, max: 100, noNaN: true }));
const event = fc.record({ labels: fc.tuple(label, label, label), by: fc.integer({ min: 0, max: 9 }), seconds });

function stage() {
  const own = new Registry();
  const registers = [own];
  const counters = createCounters<[string, string, string]>({ ...COUNTER, registers });
  const histograms = createHistograms<[string, string]>({ ...HISTOGRAM, registers });
  const proms = new Registry();
  const counter = new Counter({ ...COUNTER, registers: [proms] });
  const histogram = new Histogram({ ...HISTOGRAM, registers: [proms] });
  const note = (given: typeof event extends fc.Arbitrary<infer Event> ? Event : never): void => {
    const [first, second, third] = given.labels;
    counters.of(first, second, third).inc(given.by);
    counter.inc({ event: first, outcome: second, verdict: third }, given.by);
    histograms.of(first, second).observe(given.seconds);
    histogram.observe({ event: first, outcome: second }, given.seconds);
  };
  return { own, proms, note, counters };
}

async function assertSame({ own, proms }: ReturnType<typeof stage>): Promise<void> {
  assert.equal(await own.metrics(), await proms.metrics());
  const pushed = async (registry: Registry): Promise<string> =>
    encodeMetrics(await registry.getMetricsAsJSON(), { resource: {}, startedAtMs: 1, nowMs: 2 });
  assert.equal(await pushed(own), await pushed(proms));
}

test("a scrape and a push read what prom-client would have counted, also when they are repeated", async () => {
  const property = fc.asyncProperty(fc.array(event), fc.array(event), async (before, after) => {
    const both = stage();
    before.forEach(both.note);
    await assertSame(both);
    after.forEach(both.note);
    await assertSame(both);
    await assertSame(both);
  });
  await fc.assert(property, { numRuns: 300 });
});

test("a series that was only named is shown as 0", async () => {
  const { own, counters } = stage();
  counters.of("a", "b", "c");
  assert.match(await own.metrics(), /^attempts_total\{event="a",outcome="b",verdict="c"\} 0$/m);
});

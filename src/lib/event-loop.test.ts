import assert from "node:assert/strict";
import { test } from "node:test";
import { Registry } from "prom-client";
import { collectProcessMetrics, registerLag } from "./event-loop.ts";

const toNanos = (ms: number): number => ms * 1e6;

test("lateness is what a sample took beyond its interval, and each scrape begins anew", async () => {
  const registry = new Registry();
  let resets = 0;
  registerLag([registry], {
    mean: toNanos(260),
    max: toNanos(950),
    percentile: (percentile) => toNanos(percentile === 50 ? 249 : 750),
    reset: () => (resets += 1),
  });
  const shown = await registry.metrics();
  const find = (key: string) =>
    Number(new RegExp(`^nodejs_eventloop_lag_${key}_seconds (\\S+)$`, "m").exec(shown)?.[1]);
  assert.deepEqual(
    ["mean", "p50", "p99", "max"].map(find).map((seconds) => Number(seconds.toFixed(3))),
    [0.01, 0, 0.5, 0.7],
  );
  assert.equal(resets, 1);
});

test("the process' metrics show each name once, and the loop's from the first scrape on", async () => {
  const registry = new Registry();
  collectProcessMetrics(registry);
  const names = registry.getMetricsAsArray().map(({ name }) => name);
  assert.equal(new Set(names).size, names.length);
  assert.ok(names.includes("process_cpu_seconds_total") && names.includes("nodejs_heap_size_used_bytes"));
  assert.match(await registry.metrics(), /^nodejs_eventloop_lag_p99_seconds \d/m);
});

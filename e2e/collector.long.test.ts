/**
 * OpenTelemetry's own collector takes what the service sends: every span and every metric, and what it has understood
 * is what the service says of itself.
 */
import assert from "node:assert/strict";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { newFolder } from "../test/kit/folder.ts";
import { setUpAccount } from "../test/kit/process/account.ts";
import { startChild } from "../test/kit/process/child.ts";
import { sessionRecord } from "../test/kit/process/records.ts";
import { drained, freePort, startService } from "../test/kit/process/running.ts";
import { findCollector } from "../test/kit/servers/collector-program.ts";
import { startReceiver } from "../test/kit/servers/receiver.ts";
import { eventually } from "../test/kit/wait.ts";
import { uuid } from "../test/kit/world/world.ts";

const found = findCollector();
const skip = "missing" in found && found.missing;
const RECORDS = 200;

interface Collected {
  readonly resourceSpans?: readonly { readonly scopeSpans: readonly { readonly spans: readonly Span[] }[] }[];
  readonly resourceMetrics?: readonly { readonly scopeMetrics: readonly { readonly metrics: readonly Metric[] }[] }[];
}

interface Span {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId: string;
  readonly name: string;
}

interface Point {
  readonly asDouble?: number;
  readonly count?: string;
}

interface Metric {
  readonly name: string;
  readonly sum?: { readonly dataPoints: readonly Point[] };
  readonly gauge?: { readonly dataPoints: readonly Point[] };
  readonly histogram?: { readonly dataPoints: readonly Point[] };
}

const configuration = (port: number, file: string): string => `
receivers: { otlp: { protocols: { http: { endpoint: "127.0.0.1:${port}" } } } }
exporters: { file: { path: "${file}", flush_interval: 100ms } }
service:
  telemetry: { metrics: { level: none } }
  pipelines:
    traces: { receivers: [otlp], exporters: [file] }
    metrics: { receivers: [otlp], exporters: [file] }
`;

function readCollected(file: string): { readonly spans: readonly Span[]; readonly pushes: readonly Metric[][] } {
  const lines = existsSync(file) ? readFileSync(file, "utf8").trim().split("\n") : [];
  const all = lines.filter((line) => line !== "").map((line) => JSON.parse(line) as Collected);
  const spans = all.flatMap(({ resourceSpans = [] }) =>
    resourceSpans.flatMap(({ scopeSpans }) => scopeSpans.flatMap((scope) => scope.spans)),
  );
  const pushes = all.flatMap(({ resourceMetrics }) =>
    resourceMetrics === undefined
      ? []
      : [resourceMetrics.flatMap(({ scopeMetrics }) => scopeMetrics.flatMap(({ metrics }) => metrics))],
  );
  return { spans, pushes };
}

function total(metrics: readonly Metric[], name: string): number {
  const { sum, gauge, histogram } = metrics.find((metric) => metric.name === name) ?? {};
  const points = (sum ?? gauge ?? histogram)?.dataPoints ?? [];
  return points.reduce((all, { asDouble, count }) => all + (asDouble ?? Number(count)), 0);
}

test("spans and metrics arrive whole, and say what the service says", { skip }, async (t) => {
  assert.ok("path" in found);
  using folder = newFolder();
  const [file, config] = [join(folder.path, "collected.json"), join(folder.path, "collector.yaml")];
  const port = await freePort();
  writeFileSync(config, configuration(port, file));
  await using collector = startChild({ node: found.path, args: ["--config", config] });
  await collector.err.match(/Everything is ready/);
  await using receiver = await startReceiver();
  const dataDir = join(folder.path, "data");
  await setUpAccount({ dataDir, alerts: [{ url: receiver.url }] });
  const env = { OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${port}`, BELLWIRE_LOG_LEVEL: "warn" };
  await using service = await startService({ dataDir, env });
  for (let number = 1; number <= RECORDS; number += 1) {
    assert.equal((await service.post("demo-sessions", sessionRecord(uuid(number)))).status, 202);
  }
  await drained(service);
  const own = await eventually("no span waits", async () => {
    const { text } = await service.get("/metrics");
    const sent = Number(/^bellwire_telemetry_spans_total\{result="sent"\} (\d+)$/m.exec(text)?.[1]);
    return sent > 0 && sent === readCollected(file).spans.length;
  });
  const { text } = await service.get("/metrics");
  const { code } = await service.stop();
  assert.equal(code, 0);
  await eventually("the last push", () => readCollected(file).pushes.length > 0);
  const { spans, pushes } = readCollected(file);
  const last = pushes.at(-1) ?? [];

  const attempts = spans.filter(({ name }) => name === "deliver demo_viewed");
  const accepted = new Map(
    spans.filter(({ name }) => name === "accept demo_viewed").map((span) => [span.spanId, span]),
  );
  assert.equal(accepted.size, RECORDS);
  assert.ok(attempts.length > 0);
  for (const { parentSpanId, traceId } of attempts) assert.equal(accepted.get(parentSpanId)?.traceId, traceId);
  assert.equal(total(last, "bellwire_events_accepted_total"), RECORDS);
  assert.equal(total(last, "bellwire_attempts_total"), attempts.length);
  assert.equal(total(last, "bellwire_attempt_seconds"), attempts.length);
  assert.equal(total(last, "bellwire_deliveries_waiting"), 0);
  const names = new Set([...text.matchAll(/^# TYPE (bellwire_\w+) /gm)].map(([, name = ""]) => name));
  const known = new Set(last.map(({ name }) => name));
  // Without a value there is nothing to push.
  const missing = [...names].filter((name) => !known.has(name) && new RegExp(`^${name}[{ _]`, "m").test(text));
  assert.deepEqual(missing, []);
  assert.doesNotMatch(collector.err.text, /\t(?:error|warn)\t/i, collector.err.text);
  assert.doesNotMatch(service.child.out.text, /telemetry/);
  t.diagnostic(`${spans.length} spans after ${Math.round(own)} ms, ${last.length} metrics in ${pushes.length} pushes`);
});

import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { pino } from "pino";
import { type OtlpCollector, startOtlpCollector } from "../../test/kit/servers/otlp-collector.ts";
import { createSeededRandom } from "../../test/kit/world/seeded-random.ts";
import { createVirtualClock, settled } from "../../test/kit/world/virtual-clock.ts";
import { toValue } from "../../test/kit/world/world.ts";
import { readConfig } from "../config/config.ts";
import { createMetrics } from "./metrics.ts";
import { createTelemetry } from "./telemetry.ts";

function stage(env: Record<string, string>) {
  const clock = createVirtualClock();
  const lines: string[] = [];
  const log = pino({ base: null }, { write: (line: string) => void lines.push(line) });
  const metrics = createMetrics();
  const settings = toValue(readConfig(env));
  const telemetry = createTelemetry({ settings, clock, random: createSeededRandom(1), metrics, log });
  telemetry.start();
  const said = () => lines.map((line) => (JSON.parse(line) as { msg: string }).msg);
  /** A call of intake that is traced. */
  const trace = () => {
    const begun = telemetry.traces?.begin({});
    begun?.answered({ method: "PUT", route: "/v1/accounts/:account_id", status: 200, durationMs: 1 });
  };
  return { clock, telemetry, metrics, said, trace };
}

/** Everything that the collector has got after a stop, which sends the rest. */
async function sentTo(collector: OtlpCollector, env: Record<string, string>) {
  const { telemetry, trace } = stage(env);
  trace();
  await telemetry.stop();
  assert.deepEqual(collector.faults, []);
  return collector.requests.map(({ path, headers }) => `${path} ${String(headers["x-token"])}`).toSorted();
}

describe("is on for the signals that the variables name", () => {
  const CASES: readonly [what: string, env: (url: string) => Record<string, string>, paths: string[]][] = [
    ["none without an address", () => ({}), []],
    [
      "both below one address",
      (url) => ({ OTEL_EXPORTER_OTLP_ENDPOINT: `${url}/in/`, OTEL_EXPORTER_OTLP_HEADERS: "x-token=a" }),
      ["/in/v1/metrics a", "/in/v1/traces a"],
    ],
    [
      "traces alone, by turning the others off",
      (url) => ({ OTEL_EXPORTER_OTLP_ENDPOINT: url, OTEL_METRICS_EXPORTER: "none" }),
      ["/v1/traces undefined"],
    ],
    [
      "metrics alone, by a sampler that keeps no trace",
      (url) => ({ OTEL_EXPORTER_OTLP_ENDPOINT: url, OTEL_TRACES_SAMPLER: "always_off" }),
      ["/v1/metrics undefined"],
    ],
    [
      "none when both are off",
      (url) => ({
        OTEL_EXPORTER_OTLP_ENDPOINT: url,
        OTEL_METRICS_EXPORTER: "none",
        OTEL_TRACES_SAMPLER: "always_off",
      }),
      [],
    ],
  ];
  for (const [what, env, paths] of CASES) {
    test(what, async () => {
      await using collector = await startOtlpCollector();
      assert.deepEqual(await sentTo(collector, env(collector.url)), paths);
    });
  }
});

test("says who it is; the operator's words come first", async () => {
  await using collector = await startOtlpCollector();
  const attributes = "service.name=webhooks,host.name=web-1,deployment.environment.name=production";
  await sentTo(collector, {
    OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
    OTEL_RESOURCE_ATTRIBUTES: attributes,
  });
  const resource = collector.spans[0]?.resource ?? {};
  assert.deepEqual(
    ["service.name", "host.name", "deployment.environment.name"].map((key) => resource[key]),
    ["webhooks", "web-1", "production"],
  );
  assert.match(String(resource["service.instance.id"]), /^[0-9a-f-]{36}$/);
});

test("a collector that is away is told once, and once when it is back", async () => {
  await using collector = await startOtlpCollector();
  collector.answer = () => ({ status: 400 });
  const { clock, telemetry, metrics, said, trace } = stage({
    OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
    OTEL_METRICS_EXPORTER: "none",
  });
  for (let batch = 1; batch <= 4; batch += 1) {
    if (batch === 4) collector.answer = () => null;
    trace();
    await clock.advance(5_000);
    while ((await spansCounted(metrics)) < batch) await settled();
  }
  assert.deepEqual(said(), ["telemetry.failed", "telemetry.recovered"]);
  const text = await metrics.registry.metrics();
  assert.match(text, /^bellwire_telemetry_spans_total\{result="failed"\} 3$/m);
  assert.match(text, /^bellwire_telemetry_spans_total\{result="sent"\} 1$/m);
  await telemetry.stop();
  assert.equal(clock.pending(), 0);
});

async function spansCounted({ telemetrySpans }: ReturnType<typeof createMetrics>): Promise<number> {
  return (await telemetrySpans.get()).values.reduce((sum, { value }) => sum + value, 0);
}

test("a stop waits three seconds for a collector that hangs, and no longer", async () => {
  await using collector = await startOtlpCollector();
  collector.answer = () => "hang";
  const { clock, telemetry, trace } = stage({ OTEL_EXPORTER_OTLP_ENDPOINT: collector.url });
  trace();
  let isStopped = false;
  const stopping = telemetry.stop().then(() => (isStopped = true));
  while (collector.requests.length < 2) await settled();
  await clock.advance(2_999);
  assert.equal(isStopped, false);
  await clock.advance(1);
  await stopping;
  await telemetry.stop();
});

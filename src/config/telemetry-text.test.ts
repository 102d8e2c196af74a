/** OpenTelemetry's variables: texts that are accepted, and texts that are reported without repeating a secret. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { describeConfig, describeUnreadTelemetry, readConfig } from "./config.ts";
import type { Config } from "./options.ts";

function read(env: Record<string, string>): Config {
  const config = readConfig(env);
  assert.ok(config.ok, JSON.stringify(config));
  return config.value;
}

describe("takes", () => {
  const TAKEN: readonly [variable: string, text: string, expected: Partial<Config>][] = [
    ["OTEL_EXPORTER_OTLP_ENDPOINT", "http://localhost:4318", { otlpEndpoint: "http://localhost:4318/" }],
    ["OTEL_EXPORTER_OTLP_HEADERS", "a=1, X-B=two%2C%20three=4,", { otlpHeaders: { a: "1", "x-b": "two, three=4" } }],
    ["OTEL_RESOURCE_ATTRIBUTES", "a.b=c%20d,e=f", { otelResourceAttributes: { "a.b": "c d", e: "f" } }],
    ["OTEL_TRACES_SAMPLER", "traceidratio", { otelTracesSampler: "traceidratio" }],
    ["OTEL_TRACES_SAMPLER_ARG", ".25", { otelTracesSamplerRatio: 0.25 }],
    // Values that other programs or a later version know are not mistakes.
    ["OTEL_LOGS_EXPORTER", "otlp", {}],
  ];
  for (const [variable, text, expected] of TAKEN) {
    test(`${variable}=${text}`, () => assert.deepEqual(read({ [variable]: text }), { ...read({}), ...expected }));
  }
});

const ENDPOINT = "OTEL_EXPORTER_OTLP_ENDPOINT";

describe("tells, once there is an address to send to, of", () => {
  const REFUSED: readonly [variable: string, text: string, message: RegExp][] = [
    ["OTEL_EXPORTER_OTLP_ENDPOINT", "localhost:4317", /address of a collector .* http:\/\/localhost:4318/],
    [
      "OTEL_EXPORTER_OTLP_ENDPOINT",
      "http://canary:canary@c.example",
      /user name or password; write OTEL_EXPORTER_OTLP_HEADERS/,
    ],
    ["OTEL_EXPORTER_OTLP_ENDPOINT", "http://c.example/#canary", /fragment/],
    ["OTEL_EXPORTER_OTLP_HEADERS", "canary", /name=value/],
    ["OTEL_EXPORTER_OTLP_HEADERS", "a=%canary", /name=value/],
    ["OTEL_EXPORTER_OTLP_HEADERS", "a=1,b c=canary", /entry 2 has a name/],
    ["OTEL_EXPORTER_OTLP_HEADERS", "a=%0d%0acanary", /entry 1 has characters/],
    ["OTEL_EXPORTER_OTLP_HEADERS", "Content-Type=canary", /entry 1 names a header that Bellwire writes itself/],
    ["OTEL_RESOURCE_ATTRIBUTES", "service.name", /key=value/],
    ["OTEL_TRACES_SAMPLER", "jaeger_remote", /one of parentbased_always_on/],
    ["OTEL_TRACES_SAMPLER_ARG", "10%", /number from 0 to 1/],
    ["OTEL_TRACES_SAMPLER_ARG", "1.5", /number from 0 to 1/],
  ];
  for (const [variable, text, message] of REFUSED) {
    test(`${variable}=${text}`, () => {
      const config = readConfig({ [ENDPOINT]: "http://localhost:4318", [variable]: text });
      assert.ok(!config.ok, "it was taken");
      assert.deepEqual(
        config.error.map(({ path }) => path),
        [variable],
      );
      assert.match(config.error[0]?.message ?? "", message);
      assert.ok(!config.error[0]?.message.includes("canary"));
    });
  }
});

describe("starts with what is set for every program of a cluster, while nothing is sent", () => {
  const OFF: readonly Record<string, string>[] = [{}, { [ENDPOINT]: "" }];
  const OF_OTHERS: readonly [variable: string, text: string][] = [
    ["OTEL_METRICS_EXPORTER", "prometheus"],
    ["OTEL_TRACES_SAMPLER", "jaeger_remote"],
  ];
  for (const [variable, text] of OF_OTHERS) {
    test(`${variable}=${text}`, () => {
      for (const off of OFF) assert.deepEqual(read({ ...off, [variable]: text }), read(off));
      assert.equal(readConfig({ [ENDPOINT]: "http://localhost:4318", [variable]: text }).ok, false);
    });
  }

  test("but with every mistake in what is Bellwire's own", () => {
    assert.equal(readConfig({ BELLWIRE_PORT: "seven", [ENDPOINT]: "" }).ok, false);
  });
});

test("prints where traces go, and no token", () => {
  const config = read({
    OTEL_EXPORTER_OTLP_ENDPOINT: "https://c.example/canary?key=canary",
    OTEL_EXPORTER_OTLP_HEADERS: "authorization=canary",
    OTEL_RESOURCE_ATTRIBUTES: "deployment.environment.name=canary",
  });
  const shown = new Map(describeConfig(config).map((each) => [each.variable, each.shown]));
  assert.equal(shown.get("OTEL_EXPORTER_OTLP_ENDPOINT"), "https://c.example");
  assert.equal(shown.get("OTEL_EXPORTER_OTLP_HEADERS"), "set (1, not shown)");
  assert.equal(shown.get("OTEL_RESOURCE_ATTRIBUTES"), "deployment.environment.name");
  assert.ok(![...shown.values()].join("\n").includes("canary"));
});

test("a start names variables of OpenTelemetry that are set and not read, once there is an address", () => {
  const unread = { OTEL_BSP_SCHEDULE_DELAY: "50", OTEL_EXPORTER_OTLP_PROTOCOL: "grpc", OTEL_LOGS_EXPORTER: "" };
  const told = /^Bellwire does not read OTEL_BSP_SCHEDULE_DELAY, OTEL_EXPORTER_OTLP_PROTOCOL; docs\/config\.md/;
  assert.match(describeUnreadTelemetry({ ...unread, [ENDPOINT]: "http://localhost:4318" }) ?? "", told);
  const alone = { OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: "http://localhost:4318" };
  assert.match(describeUnreadTelemetry(alone) ?? "", /read OTEL_EXPORTER_OTLP_TRACES_ENDPOINT;/);
  assert.equal(describeUnreadTelemetry(unread), null);
  assert.match(describeUnreadTelemetry({ OTEL_SDK_DISABLED: "true", ...alone }) ?? "", /OTEL_SDK_DISABLED;/);
  assert.equal(describeUnreadTelemetry({ [ENDPOINT]: "http://localhost:4318" }), null);
});

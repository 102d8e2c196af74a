/** A bridge's settings: their defaults, secrets in files, what is refused and what is passed over, and their page. */
import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, test } from "node:test";
import { newFolder } from "../test/kit/folder.ts";
import { toValue } from "../test/kit/world/world.ts";
import { LIMITS } from "../src/domain/limits.ts";
import { parseSubjectRule } from "./option-text.ts";
import { BRIDGE_OPTIONS } from "./options.ts";
import { RECORD_BYTES_MAX } from "./records.ts";
import { describePassedOver, documentBridgeSettings, readBridgeSettings } from "./settings.ts";

const NEEDED = {
  BELLWIRE_BRIDGE_BROKER: "nats://nats:4222",
  BELLWIRE_BRIDGE_SOURCE: "records",
  BELLWIRE_BRIDGE_DEAD_LETTERS: "refused",
};

function refused(env: Readonly<Record<string, string>>): string[] {
  const read = readBridgeSettings(env);
  assert.ok(!read.ok, `was taken: ${JSON.stringify(env)}`);
  return read.error.map(({ path, message }) => `${path} ${message}`);
}

test("a bridge needs a broker, a source and a place for dead letters, and has defaults for all else", () => {
  assert.deepEqual(toValue(readBridgeSettings(NEEDED)), {
    bridgeBroker: ["nats://nats:4222"],
    bridgeSource: "records",
    bridgeGroup: "bellwire",
    bridgeDeadLetters: "refused",
    bridgeUser: "",
    bridgePassword: "",
    bridgeSasl: "SCRAM-SHA-512",
    bridgeCredentials: "",
    bridgeTlsCa: "",
    bridgeTlsCertificate: "",
    bridgeSubject: toValue(parseSubjectRule("bellwire.{account}.{event}")),
    bridgeAccount: "",
    bridgeEvent: null,
    bridgeInHandMax: 1_000,
    bridgeServiceUrl: null,
    bridgePort: 7077,
    apiKeys: [],
    host: "127.0.0.1",
    port: 7070,
    dataDir: "data",
    shutdownDeadlineMs: 20_000,
    logLevel: "info",
  });
  const names = refused({}).map((line) => line.split(" ")[0]);
  assert.deepEqual(names, Object.keys(NEEDED));
});

test("every mistake is reported at once, a mistyped setting of a bridge too", () => {
  const lines = refused({
    ...NEEDED,
    BELLWIRE_BRIDGE_SUBJECT: "{acount}",
    BELLWIRE_BRIDGE_PORT: "seven",
    BELLWIRE_API_KEY: "short",
    BELLWIRE_BRIDGE_SUORCE: "x",
  });
  assert.deepEqual(
    lines.map((line) => line.split(" ")[0]),
    ["BELLWIRE_BRIDGE_SUBJECT", "BELLWIRE_BRIDGE_PORT", "BELLWIRE_API_KEY", "BELLWIRE_BRIDGE_SUORCE"],
  );
  assert.match(lines.at(-1) ?? "", /is not a setting; did you mean BELLWIRE_BRIDGE_SOURCE\?$/);
});

test("settings of the service and of the platform beside a bridge are named and passed over", () => {
  const beside = {
    BELLWIRE_DATABASE: "canary",
    BELLWIRE_SMTP_URL: "canary",
    BELLWIRE_BRIDGE_PORT: "tcp://192.0.2.1:7077",
  };
  assert.deepEqual(readBridgeSettings({ ...NEEDED, ...beside }), readBridgeSettings(NEEDED));
  const [platform = "", others = "", ...more] = describePassedOver({ ...NEEDED, ...beside });
  assert.match(platform, /BELLWIRE_BRIDGE_PORT is the address of such a Service here/);
  assert.equal(others, "Passed over, because a bridge has no such settings: BELLWIRE_DATABASE, BELLWIRE_SMTP_URL.");
  assert.deepEqual(more, []);
  assert.deepEqual(describePassedOver(NEEDED), []);
});

const pem = (kind: string): string => `-----BEGIN ${kind}-----\ncanary\n-----END ${kind}-----`;

/** A valid text for each secret setting, some of them of several lines. */
const SECRETS: Readonly<Record<string, string>> = {
  BELLWIRE_BRIDGE_BROKER: "nats://name:canary@nats.internal:4222",
  BELLWIRE_BRIDGE_PASSWORD: "canary",
  BELLWIRE_BRIDGE_CREDENTIALS: pem("NATS USER JWT"),
  BELLWIRE_BRIDGE_TLS_CA: `${pem("CERTIFICATE")}\n${pem("CERTIFICATE")}`,
  BELLWIRE_BRIDGE_TLS_CERTIFICATE: `${pem("CERTIFICATE")}\n${pem("PRIVATE KEY")}`,
  BELLWIRE_API_KEY: "canary-first-0123456789,canary-second-012345",
};

describe("a secret", () => {
  test("is each of these settings", () => {
    const marked = Object.values(BRIDGE_OPTIONS).flatMap(({ variable, isSecret = false }) =>
      isSecret ? [variable] : [],
    );
    assert.deepEqual(marked.toSorted(), Object.keys(SECRETS).toSorted());
  });

  for (const [variable, text] of Object.entries(SECRETS)) {
    test(`${variable} may stand in a file, and not in both places`, () => {
      using folder = newFolder();
      const file = join(folder.path, "secret");
      writeFileSync(file, `${text}\n`);
      const { [variable as keyof typeof NEEDED]: _, ...others } = NEEDED;
      const byFile = { ...others, [`${variable}_FILE`]: file };
      assert.deepEqual(readBridgeSettings(byFile), readBridgeSettings({ ...others, [variable]: text }));
      const [line = "", ...more] = refused({ ...byFile, [variable]: text });
      assert.match(line, new RegExp(`^${variable}_FILE must not be set together with ${variable};`));
      assert.deepEqual(more, []);
    });
  }
});

test("settings.md is what `npm run docs` writes", () => {
  assert.equal(readFileSync(join(import.meta.dirname, "settings.md"), "utf8"), documentBridgeSettings());
});

test("the most bytes of a record are intake's", () => {
  assert.equal(RECORD_BYTES_MAX, LIMITS.recordBytesMax);
});

/**
 * Settings: each variable with texts that are accepted and texts that are refused, and the promises about all of them.
 */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { daysMs } from "../lib/duration.ts";
import { describeConfig, describePassedOver, publicUrlAt, readConfig } from "./config.ts";
import type { Config } from "./options.ts";

const KEY_TEXT = Buffer.alloc(32, 5).toString("base64");

function read(env: Record<string, string | undefined>): Config {
  const config = readConfig(env);
  assert.ok(config.ok, JSON.stringify(config));
  return config.value;
}

function refused(env: Record<string, string>): string[] {
  const config = readConfig(env);
  assert.ok(!config.ok, `was taken: ${JSON.stringify(env)}`);
  return config.error.map(({ path, message }) => `${path} ${message}`);
}

test("needs no setting at all", () => {
  assert.deepEqual(read({}), {
    database: { kind: "sqlite", path: "data/bellwire.db" },
    dataDir: "data",
    host: "127.0.0.1",
    port: 7070,
    publicUrl: null,
    apiKeys: [],
    encryptionKey: null,
    egressAllow: [],
    egressDeny: [],
    httpsOnly: false,
    egressProxy: null,
    sourceAddresses: [],
    trustedProxies: [],
    hasAccessLog: false,
    upgradeUrl: null,
    embedOrigins: [],
    brandName: "Bellwire",
    brandLogo: null,
    brandColors: null,
    signatureHeader: "x-service-signature",
    inFlightMax: 2048,
    shutdownDeadlineMs: 20_000,
    payloadRetentionMs: daysMs(30),
    attemptBodyRetentionMs: daysMs(7),
    rowRetentionMs: daysMs(90),
    smtpUrl: null,
    mailFrom: "Bellwire <bellwire@localhost>",
    operatorWebhookUrl: null,
    operatorWebhookSecret: null,
    events: null,
    hasPlayground: false,
    hasManagement: false,
    databasePooler: "none",
    logLevel: "info",
    otlpEndpoint: null,
    otlpHeaders: {},
    otelMetricsExporter: "otlp",
    otelResourceAttributes: {},
    otelTracesSampler: "parentbased_always_on",
    otelTracesSamplerRatio: 1,
  } satisfies Config);
});

test("takes an empty variable for one that is not set, and passes over those of others", () => {
  assert.deepEqual(
    read({ BELLWIRE_PORT: "", BELLWIRE_HOST: "  ", BELLWIRE_API_KEY: undefined, PATH: "/bin" }),
    read({}),
  );
});

describe("takes", () => {
  const TAKEN: readonly [variable: string, text: string, expected: Partial<Config>][] = [
    ["BELLWIRE_DATABASE", "sqlite:/var/lib/b.db", { database: { kind: "sqlite", path: "/var/lib/b.db" } }],
    ["BELLWIRE_DATABASE", "sqlite::memory:", { database: { kind: "sqlite", path: ":memory:" } }],
    ["BELLWIRE_DATA_DIR", "/srv/b", { dataDir: "/srv/b", database: { kind: "sqlite", path: "/srv/b/bellwire.db" } }],
    ["BELLWIRE_HOST", "0.0.0.0", { host: "0.0.0.0" }],
    ["BELLWIRE_HOST", "::", { host: "::" }],
    ["BELLWIRE_HOST", "intake.internal", { host: "intake.internal" }],
    ["BELLWIRE_PORT", "0", { port: 0 }],
    [
      "BELLWIRE_DATABASE",
      "postgres://u:p%40@db:5433/x?sslmode=require",
      { database: { kind: "postgres", url: "postgres://u:p%40@db:5433/x?sslmode=require" } },
    ],
    ["BELLWIRE_DATABASE", "postgresql://db/x", { database: { kind: "postgres", url: "postgresql://db/x" } }],
    ["BELLWIRE_PORT", " 8080 ", { port: 8080 }],
    ["BELLWIRE_PUBLIC_URL", "https://hooks.example.com/", { publicUrl: "https://hooks.example.com" }],
    ["BELLWIRE_PUBLIC_URL", "http://localhost:8080", { publicUrl: "http://localhost:8080" }],
    ["BELLWIRE_PUBLIC_URL", "https://example.com/bellwire/", { publicUrl: "https://example.com/bellwire" }],
    ["BELLWIRE_PUBLIC_URL", "https://example.com/a/b", { publicUrl: "https://example.com/a/b" }],
    ["BELLWIRE_PLAYGROUND", "1", { hasPlayground: true }],
    ["BELLWIRE_MANAGEMENT", "1", { hasManagement: true }],
    ["BELLWIRE_EVENTS", "events", { events: "events" }],
    ["BELLWIRE_API_KEY", "0123456789abcdef", { apiKeys: ["0123456789abcdef"] }],
    [
      "BELLWIRE_API_KEY",
      "first-key-0123456, second-key-012345",
      { apiKeys: ["first-key-0123456", "second-key-012345"] },
    ],
    ["BELLWIRE_ENCRYPTION_KEY", KEY_TEXT, { encryptionKey: new Uint8Array(32).fill(5) }],
    [
      "BELLWIRE_EGRESS_PROXY",
      "http://proxy.internal:3128",
      { egressProxy: { host: "proxy.internal", port: 3128, authorization: null } },
    ],
    ["BELLWIRE_HTTPS_ONLY", "1", { httpsOnly: true }],
    ["BELLWIRE_EGRESS_DENY", "::/0", { egressDeny: [{ cidr: "::/0", family: "ipv6", ports: null }] }],
    [
      "BELLWIRE_UPGRADE_URL",
      "https://app.example.com/plans?from=b",
      { upgradeUrl: "https://app.example.com/plans?from=b" },
    ],
    ["BELLWIRE_UPGRADE_URL", "mailto:sales@example.com", { upgradeUrl: "mailto:sales@example.com" }],
    [
      "BELLWIRE_SOURCE_ADDRESSES",
      "203.0.113.7, 2001:db8:12::/64",
      {
        sourceAddresses: [
          { cidr: "203.0.113.7/32", family: "ipv4", ports: null },
          { cidr: "2001:db8:12::/64", family: "ipv6", ports: null },
        ],
      },
    ],
    ["BELLWIRE_SIGNATURE_HEADER", "x-acme-signature", { signatureHeader: "x-acme-signature" }],
    ["BELLWIRE_IN_FLIGHT_MAX", "1", { inFlightMax: 1 }],
    ["BELLWIRE_SHUTDOWN_DEADLINE_SECONDS", "5", { shutdownDeadlineMs: 5000 }],
    ["BELLWIRE_LOG_LEVEL", "debug", { logLevel: "debug" }],
    ["BELLWIRE_DATABASE_POOLER", "transaction", { databasePooler: "transaction" }],
  ];
  for (const [variable, text, expected] of TAKEN) {
    test(`${variable}=${text}`, () => assert.deepEqual(read({ [variable]: text }), { ...read({}), ...expected }));
  }
  test("BELLWIRE_EGRESS_ALLOW, as its own parser reads it", () => {
    const [entry, ...more] = read({ BELLWIRE_EGRESS_ALLOW: "127.0.0.0/8:8000-8099" }).egressAllow;
    assert.deepEqual(entry, { cidr: "127.0.0.0/8", family: "ipv4", ports: [{ from: 8000, to: 8099 }] });
    assert.deepEqual(more, []);
  });
});

describe("refuses", () => {
  const REFUSED: readonly [variable: string, text: string, message: RegExp][] = [
    ["BELLWIRE_DATABASE", "postgres://u:canary@db", /names no database; write one such as postgres:\/\/user:password@/],
    ["BELLWIRE_DATABASE", "postgres://u:canary#ss/word@db/x", /has # in its user or password; write %23 in its place/],
    ["BELLWIRE_DATABASE", "postgres://u:12#canary@db/x", /has # in .* write %23/],
    ["BELLWIRE_DATABASE", "postgres://u:canary/y@db/x", /has \/ in .* write %2F/],
    ["BELLWIRE_DATABASE", "postgres://u:12/canary@db/x", /has \/ in .* write %2F/],
    ["BELLWIRE_DATABASE", "postgres://u:canary?y@db/x", /has \? in .* write %3F/],
    ["BELLWIRE_DATABASE", "postgres://u:canary%e9@db/x", /has % in .* write %25/],
    ["BELLWIRE_DATABASE", "postgres:u:canary@db/x", /needs two slashes/],
    ["BELLWIRE_DATABASE", "postgres://db:canary/x", /is no address; .* with digits for the port/],
    ["BELLWIRE_DATABASE", "postgres://db/x?sslmode=canary", /has an unknown sslmode; write one of disable/],
    ["BELLWIRE_DATABASE", '"postgres://u:canary@db/x"', /has quotes around it/],
    ["BELLWIRE_DATABASE", "jdbc:postgresql://db/x?password=canary", /is written for another program/],
    ["BELLWIRE_DATABASE", "host=db password=canary dbname=x", /is written for another program/],
    ["BELLWIRE_DATABASE", "psql postgres://u:canary@db/x", /is written for another program/],
    ["BELLWIRE_DATABASE", "postgres:///x?user=canary", /names no host/],
    ["BELLWIRE_DATABASE", "postgres://u:canary@db-1:5432,db-2:5432/x", /names several hosts; write one that always/],
    ["BELLWIRE_DATABASE", "postgresql://db/x?options=-c%20canary", /must not have options/],
    ["BELLWIRE_DATABASE", "sqlite:", /must be sqlite: and the path/],
    ["BELLWIRE_DATABASE", "sqlite:///var/b.db", /slashes too many; write sqlite:\/var/],
    ["BELLWIRE_DATABASE", "mysql://u:canary@db/x", /must be sqlite: and the path/],
    ["BELLWIRE_DATABASE", "bellwire.db", /must be sqlite: and the path/],
    ["BELLWIRE_DATA_DIR", "da\0ta", /control character \(U\+0000\) as character 3 of 5/],
    ["BELLWIRE_HOST", "127.0.0.1:7070", /not an address to listen on.*without a port/],
    ["BELLWIRE_HOST", "http://localhost", /not an address to listen on/],
    ["BELLWIRE_HOST", "127.0.0", /not an address to listen on/],
    ["BELLWIRE_PORT", "65536", /"65536" must be a whole number from 0 to 65535/],
    ["BELLWIRE_PORT", "70 70", /whole number/],
    ["BELLWIRE_PORT", "0x50", /whole number/],
    ["BELLWIRE_PORT", "-1", /whole number/],
    ["BELLWIRE_PUBLIC_URL", "hooks.example.com", /such as https:\/\/webhooks\.example\.com/],
    ["BELLWIRE_PUBLIC_URL", "ftp://hooks.example.com", /such as https:/],
    ["BELLWIRE_PUBLIC_URL", "https://u:canary@hooks.example.com", /must not contain a user name or password/],
    ["BELLWIRE_PUBLIC_URL", "https://hooks.example.com/?a=1", /must not have a query.*write https:\/\/hooks/],
    ["BELLWIRE_PUBLIC_URL", 'https://hooks.example.com/a"b', /may have a path of letters/],
    ["BELLWIRE_PUBLIC_URL", "https://hooks.example.com/a//b", /may have a path of letters/],
    ["BELLWIRE_API_KEY", "canary-key-15ch", /key 1 has 15 characters; a key needs at least 16/],
    ["BELLWIRE_API_KEY", "first-key-0123456,", /key 2 has 0 characters/],
    ["BELLWIRE_API_KEY", "canary with a space", /key 1 has a space as character 7 of 19/],
    ["BELLWIRE_API_KEY", "canary-0123456789,canary-0123456789", /key 2 is the same as key 1/],
    ["BELLWIRE_API_KEY", Array.from({ length: 17 }, (_, n) => `canary-0123456789-${n}`).join(), /17 keys; at most 16/],
    ["BELLWIRE_ENCRYPTION_KEY", "canary", /base64 of 32 bytes; make one with: openssl rand -base64 32/],
    ["BELLWIRE_ENCRYPTION_KEY", Buffer.alloc(31).toString("base64"), /base64 of 32 bytes \(this is one of 31\)/],
    ["BELLWIRE_ENCRYPTION_KEY", "ca".repeat(32), /is written in hexadecimal; /],
    ["BELLWIRE_ENCRYPTION_KEY", "whsec_canary", /is a secret for signatures/],
    ["BELLWIRE_ENCRYPTION_KEY", KEY_TEXT.slice(0, -1), /URL's variant of Base64: .* and = at its end/],
    ["BELLWIRE_ENCRYPTION_KEY", Buffer.alloc(32, 0xfb).toString("base64url"), /URL's variant of Base64: write \+ in/],
    ["BELLWIRE_EGRESS_ALLOW", "everything", /"everything" is not a network/],
    ["BELLWIRE_EGRESS_DENY", "everything", /"everything" is not a network/],
    ["BELLWIRE_EGRESS_DENY", "11.1.0.0/8", /bits set behind its prefix length/],
    ["BELLWIRE_HTTPS_ONLY", "true", /"true" must be 1 for on or 0 for off/],
    ["BELLWIRE_EGRESS_PROXY", "proxy-canary:3128", /must be an address such as http:\/\/proxy\.example:3128/],
    ["BELLWIRE_EGRESS_PROXY", "https://u:canary@proxy:3128", /must start with http:/],
    ["BELLWIRE_EGRESS_PROXY", "socks5://u:canary@proxy:1080", /must be an address such as/],
    ["BELLWIRE_EGRESS_PROXY", "http://u:canary@proxy:3128/path", /must end after the port/],
    ["BELLWIRE_EGRESS_PROXY", "http://u:canary%@proxy:3128", /lone %; write %25/],
    ["BELLWIRE_EGRESS_PROXY", "http://u:can#ary@proxy:3128", /has # in its user or password; write %23/],
    ["BELLWIRE_EGRESS_PROXY", "http://u:canary@:3128", /must be an address such as/],
    ["BELLWIRE_SOURCE_ADDRESSES", "webhooks.example.com", /is not a network; write an address such as/],
    ["BELLWIRE_SOURCE_ADDRESSES", "203.0.113.7:443", /"203.0.113.7\/32:443" has a port; write the address alone/],
    ["BELLWIRE_SOURCE_ADDRESSES", "0.0.0.0/0", /is too wide; the widest network that is taken here.* 8$/],
    ["BELLWIRE_SOURCE_ADDRESSES", "203.0.113.7/24", /bits set behind its prefix length/],
    ["BELLWIRE_UPGRADE_URL", "app.example.com/plans", /must be an address such as https:/],
    ["BELLWIRE_UPGRADE_URL", "javascript:alert(1)", /must be an address such as https:/],
    ["BELLWIRE_UPGRADE_URL", "https://u:canary@app.example.com", /must not contain a user name or password/],
    ["BELLWIRE_API_KEY", "canary-canary-\u200bcanary", /has a zero-width space \(U\+200B\) as character 15 of 21/],
    ["BELLWIRE_API_KEY", '"canary-canary-canary"', /has quotes around it; enter it without that/],
    ["BELLWIRE_API_KEY", "Bearer canary-canary-canary", /key 1 begins with "Bearer"/],
    ["BELLWIRE_API_KEY", "BELLWIRE_API_KEY=canary-canary-canary", /begins with its own name, BELLWIRE_API_KEY/],
    ["BELLWIRE_DATABASE", "postgres://u:canary@host/db\u00ad", /has a soft hyphen \(U\+00AD\) as character 28 of 28/],
    ["BELLWIRE_DATABASE", "“sqlite:data/canary.db”", /has quotes around it/],
    ["BELLWIRE_PUBLIC_URL", "<https://canary.example.com>", /has text around the address; enter it without that/],
    ["BELLWIRE_DATABASE", "postgres://u@db/x?sslrootcert=/dev/zero", /names something by sslrootcert that is no file/],
    ["BELLWIRE_EGRESS_ALLOW", "10.0.0.0/8,\u00a0192.168.0.0/16", /has a no-break space \(U\+00A0\)/],
    ["BELLWIRE_HOST", "127.0.0.1\u202c", /has an invisible direction mark \(U\+202C\)/],
    ["BELLWIRE_PORT", "'7070'", /has quotes around it/],
    ["BELLWIRE_SMTP_URL", "smtp://a:canary@mail\u200b.example.com", /has a zero-width space/],
    ["BELLWIRE_ENCRYPTION_KEY", "export BELLWIRE_ENCRYPTION_KEY=canary", /begins with its own name/],
    ["BELLWIRE_SIGNATURE_HEADER", "X-Signature", /lower-case letters/],
    ["BELLWIRE_SIGNATURE_HEADER", "x signature", /lower-case letters/],
    ["BELLWIRE_SIGNATURE_HEADER", "webhook-signature", /a meaning of its own/],
    ["BELLWIRE_SIGNATURE_HEADER", "content-digest", /a meaning of its own/],
    ["BELLWIRE_SIGNATURE_HEADER", "authorization", /a meaning of its own/],
    ["BELLWIRE_IN_FLIGHT_MAX", "0", /whole number from 1 to 10000/],
    ["BELLWIRE_SHUTDOWN_DEADLINE_SECONDS", "601", /whole number from 1 to 600/],
    ["BELLWIRE_LOG_LEVEL", "verbose", /"verbose" must be one of trace, debug, info/],
  ];
  for (const [variable, text, message] of REFUSED) {
    test(`${variable}=${JSON.stringify(text.slice(0, 50))}`, () => {
      const [line, ...more] = refused({ [variable]: text });
      assert.match(line ?? "", message);
      assert.ok(line?.startsWith(`${variable} `), "the message names another variable");
      assert.deepEqual(more, []);
      assert.ok(!line?.includes("canary"), "the message shows what may be secret");
    });
  }
});

test("reports everything that is wrong at once, in the table's order, unknown variables last", () => {
  const lines = refused({
    BELLWIRE_PROT: "7070",
    BELLWIRE_PORT: "none",
    BELLWIRE_API_KEY: "short,also short",
    BELLWIRE_DATABASE: "postgres://db",
    BELLWIRE_EGRESS_ALLOW: "here,there",
  });
  assert.deepEqual(
    lines.map((line) => line.split(" ")[0]),
    [
      "BELLWIRE_DATABASE",
      "BELLWIRE_PORT",
      "BELLWIRE_API_KEY",
      "BELLWIRE_API_KEY",
      "BELLWIRE_EGRESS_ALLOW",
      "BELLWIRE_EGRESS_ALLOW",
      "BELLWIRE_PROT",
    ],
  );
});

test("suggests the setting that an unknown variable is nearest to, and none when none is near", () => {
  assert.deepEqual(refused({ BELLWIRE_PROT: "1" }), ["BELLWIRE_PROT is not a setting; did you mean BELLWIRE_PORT?"]);
  assert.deepEqual(refused({ BELLWIRE_API_KEYS: "x" }), [
    "BELLWIRE_API_KEYS is not a setting; did you mean BELLWIRE_API_KEY?",
  ]);
  assert.match(refused({ BELLWIRE_ZYXWVUTSRQPO: "1" })[0] ?? "", /is not a setting; see docs\/config\.md/);
});

test("a bridge's setting in the service's surroundings is named with its place, and is no mistake", () => {
  const moved = { BELLWIRE_BRIDGE_SOURCE: "orders", BELLWIRE_BRIDGE_PASSWORD: "canary", BELLWIRE_BRIDGE_OLD: "1" };
  assert.deepEqual(read({ ...moved, BELLWIRE_PORT: "8080" }).port, 8080);
  const [line = "", ...more] = describePassedOver(moved);
  assert.match(
    line,
    /a bridge, .*: BELLWIRE_BRIDGE_OLD, BELLWIRE_BRIDGE_PASSWORD, BELLWIRE_BRIDGE_SOURCE\. bridge\/README/,
  );
  assert.ok(!line.includes("canary"));
  assert.deepEqual(more, []);
  assert.deepEqual(describePassedOver({ BELLWIRE_PORT: "8080" }), []);
});

test("takes the operator's webhook and its secret together, or neither", () => {
  const url = { BELLWIRE_OPERATOR_WEBHOOK_URL: "https://alerts.example.com/in" };
  const secret = { BELLWIRE_OPERATOR_WEBHOOK_SECRET: `whsec_${Buffer.alloc(32).toString("base64")}` };
  assert.equal(read({ ...url, ...secret }).operatorWebhookUrl, "https://alerts.example.com/in");
  const [SECRET, URL] = ["BELLWIRE_OPERATOR_WEBHOOK_SECRET", "BELLWIRE_OPERATOR_WEBHOOK_URL"];
  assert.deepEqual(refused(url), [`${SECRET} must be set when ${URL} is`]);
  assert.deepEqual(refused(secret), [`${URL} must be set when ${SECRET} is`]);
});

test("prints where a PostgreSQL database is, and not its password", () => {
  const shown = (url: string) =>
    describeConfig(read({ BELLWIRE_DATABASE: url })).find(({ variable }) => variable === "BELLWIRE_DATABASE")?.shown;
  assert.equal(shown("postgres://u:canary@db:5433/x?password=canary"), "postgres://u:(not shown)@db:5433/x");
  assert.equal(shown("postgresql://u@db/x?sslkey=canary"), "postgresql://u@db/x");
  assert.equal(shown("postgres:///x?host=/run/pg&user=u"), "postgres:///x?host=/run/pg");
});

test("prints every setting and no secret", () => {
  const operatorSecret = `whsec_${Buffer.alloc(32, "canary-operator").toString("base64")}`;
  const secrets = ["canary-api-key-0123456789", KEY_TEXT, "canary-password", "canary-path", operatorSecret];
  const config = read({
    BELLWIRE_API_KEY: secrets[0],
    BELLWIRE_ENCRYPTION_KEY: KEY_TEXT,
    BELLWIRE_EGRESS_ALLOW: "[::1]:80+90-99",
    BELLWIRE_EGRESS_PROXY: "http://name:canary-password@proxy.internal:3128",
    BELLWIRE_OPERATOR_WEBHOOK_URL: "https://alerts.example.com/canary-path",
    BELLWIRE_OPERATOR_WEBHOOK_SECRET: operatorSecret,
  });
  const printed = describeConfig(config).map(({ variable, shown }) => `${variable}=${shown}`);
  assert.equal(printed.length, Object.keys(config).length);
  assert.ok(printed.includes("BELLWIRE_API_KEY=set (1, not shown)"));
  assert.ok(printed.includes("BELLWIRE_ENCRYPTION_KEY=set (not shown)"));
  assert.ok(printed.includes("BELLWIRE_EGRESS_ALLOW=[::1/128]:80+90-99"));
  assert.ok(printed.includes("BELLWIRE_SHUTDOWN_DEADLINE_SECONDS=20"));
  assert.ok(printed.includes("BELLWIRE_EGRESS_PROXY=http://(not shown)@proxy.internal:3128"));
  for (const secret of secrets) assert.ok(!printed.join("\n").includes(secret));
});

test("derives the public address from the port that was taken, unless it is set", () => {
  assert.equal(publicUrlAt(read({}), 7070), "http://localhost:7070");
  assert.equal(publicUrlAt(read({ BELLWIRE_PUBLIC_URL: "https://h.example" }), 7070), "https://h.example");
});

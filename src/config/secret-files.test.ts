/**
 * Secrets in files, on a real disk, as Docker and Kubernetes mount them: accepted files, and the message for each
 * mistake.
 */
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { chmodSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, describe, test } from "node:test";
import { FIELDS, describeConfig, readConfig } from "./config.ts";
import { type Config, OPTIONS } from "./options.ts";
import { fileVariable } from "../lib/settings/secret-files.ts";

const folder = mkdtempSync(join(tmpdir(), "bellwire-secrets-"));
after(() => rmSync(folder, { recursive: true, force: true }));

let made = 0;
function fileWith(content: string | Uint8Array): string {
  made += 1;
  const path = join(folder, `secret-${made}`);
  writeFileSync(path, content);
  return path;
}

function read(env: Record<string, string>): Config {
  const config = readConfig(env);
  assert.ok(config.ok, JSON.stringify(config));
  return config.value;
}

function refused(env: Record<string, string>): string[] {
  const config = readConfig(env);
  assert.ok(!config.ok, `was taken: ${JSON.stringify(env)}`);
  return config.error.map(({ path, message }) => `${path} ${message}`);
}

const KEY = Buffer.alloc(32, "canary").toString("base64");
const WHSEC = `whsec_${KEY}`;

/** A valid text for each secret setting, and the setting that it needs beside it. */
const SECRETS: Readonly<Record<string, string>> = {
  BELLWIRE_DATABASE: "postgres://bellwire:canary@postgres/bellwire",
  BELLWIRE_API_KEY: "canary-first-0123456789,canary-second-012345",
  BELLWIRE_ENCRYPTION_KEY: KEY,
  BELLWIRE_EGRESS_PROXY: "http://name:canary@proxy.internal:3128",
  BELLWIRE_SMTP_URL: "smtps://name:canary@mail.internal:465",
  BELLWIRE_OPERATOR_WEBHOOK_URL: "https://alerts.internal/canary",
  BELLWIRE_OPERATOR_WEBHOOK_SECRET: WHSEC,
  OTEL_EXPORTER_OTLP_ENDPOINT: "http://collector.internal:4318/canary",
  OTEL_EXPORTER_OTLP_HEADERS: "authorization=canary",
};
const PARTNERS: Readonly<Record<string, Record<string, string>>> = {
  BELLWIRE_OPERATOR_WEBHOOK_URL: { BELLWIRE_OPERATOR_WEBHOOK_SECRET: WHSEC },
  BELLWIRE_OPERATOR_WEBHOOK_SECRET: { BELLWIRE_OPERATOR_WEBHOOK_URL: "https://alerts.internal/" },
};

const secretRows = FIELDS.map((field) => OPTIONS[field]).filter(({ isSecret }) => isSecret === true);

test("every setting that is secret takes a file, and these are all", () => {
  assert.deepEqual(secretRows.map(({ variable }) => variable).toSorted(), Object.keys(SECRETS).toSorted());
});

test("every setting that is not printed whole is marked as secret", () => {
  const texts = [...Object.values(SECRETS), "canary", "/canary", "x-canary", "https://h/canary", "http://u:canary@h/"];
  let taken = 0;
  for (const field of FIELDS) {
    const { variable, parse, show, isSecret = false } = OPTIONS[field];
    // The attributes of a process in its traces: printed by name alone, because there may be many.
    if (variable === "OTEL_RESOURCE_ATTRIBUTES") continue;
    for (const text of texts) {
      const parsed = parse(text);
      if (!parsed.ok) continue;
      taken += 1;
      // The value comes from the row that made it, which the compiler cannot see through a union of all rows.
      const shown = (show as (value: unknown) => string)(parsed.value);
      assert.ok(isSecret || shown === text, `${variable} hides a part of ${text}: ${shown}`);
    }
  }
  assert.ok(taken > 20, `${taken} texts were taken`);
});

for (const [variable, text] of Object.entries(SECRETS)) {
  test(`${fileVariable(variable)} is read as ${variable} itself would be`, () => {
    const partner = PARTNERS[variable] ?? {};
    const expected = read({ [variable]: text, ...partner });
    for (const end of ["", "\n", "\r\n"]) {
      const config = read({ [fileVariable(variable)]: fileWith(text + end), ...partner });
      assert.deepEqual(config, expected, JSON.stringify(end));
    }
    const shown = describeConfig(expected).map((line) => line.shown);
    assert.ok(!shown.join("\n").includes("canary"));
  });
}

test("a link is followed, as Kubernetes mounts a Secret", () => {
  mkdirSync(join(folder, "..data"), { recursive: true });
  writeFileSync(join(folder, "..data", "api-key"), "canary-key-0123456789\n");
  symlinkSync(join("..data", "api-key"), join(folder, "api-key"));
  assert.deepEqual(read({ BELLWIRE_API_KEY_FILE: join(folder, "api-key") }).apiKeys, ["canary-key-0123456789"]);
});

test("an empty variable names no file", () => {
  assert.deepEqual(read({ BELLWIRE_API_KEY_FILE: " " }), read({}));
});

const isRoot = process.getuid?.() === 0;
const skipModes = process.platform === "win32" || isRoot ? "modes do not stop this user" : false;
const skipPipes = process.platform === "win32" ? "Windows has no such pipes" : false;

describe("refuses", () => {
  const MISTAKES: readonly [what: string, path: () => string, message: RegExp][] = [
    ["a file that is not there", () => join(folder, "canary"), /^names a file that is not there; write the path/],
    ["a folder", () => folder, /^names a folder; write the path of the file in it$/],
    ["an empty file", () => fileWith(""), /^names a file that is empty/],
    ["a file with a line break alone", () => fileWith("\n"), /^names a file that is empty/],
    ["two lines", () => fileWith("canary-0123456789\ncanary-9876543210\n"), /^names a file with more than one line/],
    ["64 KiB and a byte", () => fileWith("c".repeat(64 * 1024 + 1)), /^names a file of more than 64 KiB/],
    [
      "bytes that are no text",
      () => fileWith(Uint8Array.of(99, 0xff, 0xfe)),
      /^names a file that is not text in UTF-8$/,
    ],
    [
      "UTF-16",
      () => fileWith(Buffer.from("\ufeffcanary-0123456789", "utf16le")),
      /^names a file that is not text in UTF-8 but in UTF-16, as PowerShell writes it; save it as UTF-8$/,
    ],
    ["a device", () => "/dev/null", /^names something that is no file$/],
    ["a path with NUL", () => `${folder}/canary\0`, /^names a file that cannot be read/],
    ["the secret itself, by mistake", () => "canary-key-0123456789", /^names a file that is not there/],
    ["what the setting refuses", () => fileWith("canary"), /^key 1 has 6 characters; a key needs at least 16$/],
  ];
  for (const [what, path, message] of MISTAKES) {
    test(`${what}, without repeating any of it`, () => {
      const [line = "", ...more] = refused({ BELLWIRE_API_KEY_FILE: path() });
      assert.ok(line.startsWith("BELLWIRE_API_KEY_FILE "), line);
      assert.match(line.slice("BELLWIRE_API_KEY_FILE ".length), message);
      assert.deepEqual(more, []);
      assert.ok(!line.includes("canary") && !line.includes(folder), line);
    });
  }

  test("a file that this user may not read", { skip: skipModes }, () => {
    const path = fileWith("canary-key-0123456789");
    chmodSync(path, 0);
    assert.match(refused({ BELLWIRE_API_KEY_FILE: path })[0] ?? "", /cannot be read \(EACCES\)/);
  });

  test("a pipe without a writer, and does not wait for one", { skip: skipPipes }, () => {
    const path = join(folder, "pipe");
    execFileSync("mkfifo", [path]);
    assert.deepEqual(refused({ BELLWIRE_API_KEY_FILE: path }), [
      "BELLWIRE_API_KEY_FILE names something that is no file",
    ]);
  });

  for (const { variable } of secretRows) {
    test(`${variable} together with ${fileVariable(variable)}`, () => {
      const text = SECRETS[variable] ?? "";
      const env = { [variable]: text, [fileVariable(variable)]: fileWith(text), ...PARTNERS[variable] };
      const asked = variable.startsWith("OTEL_") ? { OTEL_EXPORTER_OTLP_ENDPOINT: "http://c.internal:4318" } : {};
      const lines = refused({ ...asked, ...env });
      assert.deepEqual(lines, [
        `${fileVariable(variable)} must not be set together with ${variable}; leave one of them out`,
      ]);
    });
  }

  test("a file for a setting that is not secret", () => {
    assert.deepEqual(refused({ BELLWIRE_PORT_FILE: fileWith("7070") }), [
      "BELLWIRE_PORT_FILE is not a setting; did you mean BELLWIRE_PORT?",
    ]);
  });
});

test("what is wrong with files is reported together with everything else", () => {
  const lines = refused({
    BELLWIRE_PORT: "seven",
    BELLWIRE_DATABASE_FILE: fileWith("mysql://u:canary@db/x"),
    BELLWIRE_API_KEY_FILE: fileWith(""),
    BELLWIRE_ENCRYPTION_KEY_FILE: join(folder, "nowhere"),
    BELLWIRE_OPERATOR_WEBHOOK_SECRET_FILE: join(folder, "nowhere"),
    BELLWIRE_PROT: "7070",
  });
  assert.deepEqual(
    lines.map((line) => line.split(" ")[0]),
    [
      "BELLWIRE_DATABASE_FILE",
      "BELLWIRE_PORT",
      "BELLWIRE_API_KEY_FILE",
      "BELLWIRE_ENCRYPTION_KEY_FILE",
      "BELLWIRE_OPERATOR_WEBHOOK_SECRET_FILE",
      "BELLWIRE_PROT",
      "BELLWIRE_OPERATOR_WEBHOOK_URL",
    ],
  );
  assert.ok(!lines.join("\n").includes("canary"));
});

test("files for OpenTelemetry's variables are passed over until those ask for something", () => {
  const headers = { OTEL_EXPORTER_OTLP_HEADERS_FILE: join(folder, "nowhere") };
  assert.deepEqual(read(headers), read({}));
  const asked = { ...headers, OTEL_EXPORTER_OTLP_ENDPOINT: "http://collector.internal:4318" };
  assert.match(refused(asked)[0] ?? "", /^OTEL_EXPORTER_OTLP_HEADERS_FILE names a file that is not there/);
  const endpoint = { OTEL_EXPORTER_OTLP_ENDPOINT_FILE: join(folder, "nowhere") };
  assert.match(refused(endpoint)[0] ?? "", /^OTEL_EXPORTER_OTLP_ENDPOINT_FILE names a file that is not there/);
});

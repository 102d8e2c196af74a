/** compose.yaml: against the schema of Compose files, and against the program (settings, ports, time to stop). */
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { statSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { describe, test } from "node:test";
import { parse } from "yaml";
import { readConfig } from "../src/config/config.ts";
import { OPTIONS } from "../src/config/options.ts";
import { createTestApp } from "./kit/world/app-under-test.ts";
import { toValue } from "./kit/world/world.ts";
import { findComposeFaults } from "./compose-schema.ts";
import { SECONDS_TO_STOP, SECRETS, read, secretsBelow } from "./deployment.ts";

interface ComposePart {
  readonly image: string;
  readonly environment?: Record<string, string>;
  readonly stop_grace_period?: string;
  readonly healthcheck?: object;
  readonly volumes?: readonly string[];
  readonly secrets?: readonly string[];
}

interface ComposeFile {
  readonly services: Record<string, ComposePart>;
  readonly networks: Record<string, { internal?: boolean } | null>;
  readonly secrets: Record<string, { readonly file: string }>;
}

describe("compose.yaml", () => {
  const compose = parse(read("compose.yaml"), { merge: true }) as ComposeFile;
  const nodes = Object.entries(compose.services).filter(([name]) => name.startsWith("bellwire-"));

  test("keeps the schema of Compose files, and the schema notices a wrong one", () => {
    assert.equal(findComposeFaults(compose), "");
    const wrong = { ...compose, services: { ...compose.services, caddy: { imag: "caddy" } } };
    assert.match(findComposeFaults(wrong), /imag/);
  });

  test("pins every image by a version", () => {
    for (const [name, { image }] of Object.entries(compose.services)) assert.match(image, /:\d+\.\d+/, name);
  });

  /** As a container sees it: the files that its part of the Compose file names. */
  const toConfig = ({ environment = {}, secrets = [] }: ComposePart) => {
    const filled = Object.entries(environment).map(([variable, text]) => [variable, fill(text, {})]);
    const config = toValue(readConfig(Object.fromEntries(filled), secretsBelow("/run/secrets")));
    const named = Object.values(environment).filter((text) => text.startsWith("/run/secrets/"));
    assert.deepEqual(
      named.map((path) => path.slice("/run/secrets/".length)),
      secrets,
    );
    return config;
  };

  test("sets settings that exist, and those are right once their secrets are there", () => {
    for (const [name, part] of nodes) assert.equal(toConfig(part).database.kind, "postgres", name);
    assert.equal(nodes.length, 2);
  });

  test("has no secret in the environment, and the guide makes the file of each", () => {
    const guide = read("docs/containers.md");
    for (const [name, { file }] of Object.entries(compose.secrets)) {
      assert.equal(file, `./secrets/${name}`);
      assert.ok(guide.includes(`> secrets/${name}\n`), name);
    }
    const secret = new Set(Object.values(OPTIONS).flatMap(({ variable, isSecret }) => (isSecret ? [variable] : [])));
    for (const [name, { environment = {}, secrets = [] }] of Object.entries(compose.services)) {
      assert.deepEqual(
        Object.keys(environment).filter((variable) => secret.has(variable) || variable === "POSTGRES_PASSWORD"),
        [],
        name,
      );
      for (const each of secrets) assert.ok(each in compose.secrets, each);
    }
  });

  test("finds settings that are right in the files that the guide's commands make", (t) => {
    const folder = mkdtempSync(join(tmpdir(), "bellwire-guide-"));
    t.after(() => rmSync(folder, { recursive: true, force: true }));
    const [, script = ""] = /```sh\n(mkdir[\s\S]*?)```/.exec(read("docs/containers.md")) ?? [];
    const ran = spawnSync("/bin/sh", ["-euc", `umask 077\n${script}`], { cwd: folder, encoding: "utf8" });
    assert.equal(ran.status, 0, ran.stderr);
    const inFolder = (path: string) => join(folder, "secrets", basename(path));
    for (const [name, { environment = {} }] of nodes) {
      const files = Object.entries(environment).filter(([variable]) => variable.endsWith("_FILE"));
      const env = Object.fromEntries(files.map(([variable, path]) => [variable, inFolder(path)]));
      const { database, apiKeys, encryptionKey } = toValue(readConfig(env));
      const password = readFileSync(inFolder("postgres-password"), "utf8").trim();
      assert.deepEqual(database, { kind: "postgres", url: `postgres://bellwire:${password}@postgres/bellwire` }, name);
      assert.deepEqual([apiKeys.length, encryptionKey?.length], [1, 32]);
    }
    assert.equal(statSync(join(folder, "secrets")).mode & 0o777, 0o700);
    // The containers' users are neither this one nor each other.
    for (const name of Object.keys(compose.secrets)) assert.equal(statSync(inFolder(name)).mode & 0o444, 0o444, name);
  });

  test("is completed by what the guide adds for the operator's webhook", () => {
    const [, text = ""] = /```yaml\n(services:[\s\S]*?)```/.exec(read("docs/containers.md")) ?? [];
    const added = parse(text) as ComposeFile;
    for (const [name, part] of nodes) {
      const extra = added.services[name];
      const environment = { ...part.environment, ...extra?.environment };
      const config = toConfig({ ...part, environment, secrets: [...(part.secrets ?? []), ...(extra?.secrets ?? [])] });
      assert.equal(config.operatorWebhookUrl, SECRETS["operator-webhook-url"]);
      for (const each of extra?.secrets ?? []) assert.equal(added.secrets[each]?.file, `./secrets/${each}`);
    }
  });

  test("gives a node the time that it takes to stop", () => {
    for (const [, { stop_grace_period: grace = "" }] of nodes) assert.ok(Number.parseInt(grace, 10) >= SECONDS_TO_STOP);
  });

  test("has a load balancer that knows the nodes and asks what they answer", async () => {
    const caddyfile = read("ops/caddy/Caddyfile");
    for (const [name] of nodes) assert.ok(caddyfile.includes(`${name}:${OPTIONS.port.default}`), name);
    await using world = await createTestApp();
    const [, uri = ""] = /health_uri (\S+)/.exec(caddyfile) ?? [];
    assert.equal((await world.app.server.inject(uri)).statusCode, 200);
    assert.match(caddyfile, /flush_interval -1/);
  });

  test("keeps the database away from the outside", () => {
    assert.deepEqual((compose.services["postgres"] as { networks?: unknown }).networks, ["inside"]);
    assert.equal(compose.networks["inside"]?.internal, true);
  });
});

test("what operators met stays mended: logs, HTTP/3, tmpfs, health checks, libatomic1, vanished targets", () => {
  const compose = parse(read("compose.yaml"), { merge: true }) as {
    readonly services: Record<string, { logging?: { options?: object }; ports?: string[]; tmpfs?: unknown }>;
  };
  for (const [name, { logging, tmpfs }] of Object.entries(compose.services)) {
    assert.deepEqual(Object.keys(logging?.options ?? {}), ["max-size", "max-file"], name);
    // Podman refuses the form with `uid=`.
    assert.equal(tmpfs, undefined, name);
  }
  assert.ok(compose.services["caddy"]?.ports?.includes("443:443/udp"));
  const guide = read("docs/containers.md");
  for (const flag of ["--log-opt max-size=", "--log-opt max-file=", "--format docker"]) assert.ok(guide.includes(flag));
  assert.ok(read("README.md").includes("apt-get install libatomic1"));
  assert.match(read("ops/prometheus/alarms.yml"), /^ +expr: absent\(up\{job="bellwire"\}\)$/m);
});

/** `${NAME:?…}` and `${NAME:-default}`, as Compose fills them in. */
const fill = (text: string, values: Readonly<Record<string, string>>): string =>
  text.replaceAll(/\$\{(\w+)(?::-([^}]*)|:\?[^}]*)?\}/g, (_, name: string, preset = "") => values[name] ?? preset);

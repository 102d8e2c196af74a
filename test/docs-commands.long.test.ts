/** Every block of commands in the documentation runs as it is, on a stage of its own. */
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { Registry } from "prom-client";
import { readConfig } from "../src/config/config.ts";
import { registerShards } from "../src/observe/shards.ts";
import { ROOT, findKind, parseBlocks, readPages } from "./doc-pages.ts";
import { type Stage, openStage } from "./doc-stage.ts";

const PAGES = readPages();
const SCRIPTS: ReadonlySet<string> = new Set(
  Object.keys(JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8")).scripts),
);

const TOOLS = ["bash", "curl", "openssl"];
const missing = TOOLS.filter((tool) => spawnSync(tool, ["--version"]).error !== undefined);
const skip =
  process.platform === "win32"
    ? "the commands are written for a Unix shell"
    : missing.length > 0 && `this machine has no ${missing.join(", no ")}`;

/** Each block by itself: all of them take longer on a busy machine than any one that hangs. */
const BLOCK = { timeout: 240_000 };

describe("commands", { skip }, () => {
  let stage: Stage;
  before(async () => {
    stage = await openStage();
  });
  after(() => stage[Symbol.asyncDispose]());

  for (const page of PAGES) {
    for (const { line, commands } of parseBlocks(page)) {
      test(`${page.path}:${line} ${commands[0]?.split("\n", 1)[0] ?? ""}`, BLOCK, () => check(commands));
    }
  }

  async function check(commands: readonly string[]): Promise<void> {
    const kinds = commands.map((command) => findKind(command, SCRIPTS));
    for (const kind of kinds) if (kind instanceof Error) throw kind;
    for (const command of commands) assert.deepEqual(settingsFaults(command), [], command);
    const ofKind = (wanted: string): string[] =>
      commands.filter((_, index) => kinds[index] === wanted).map((command) => stage.localize(command));
    for (const command of [...ofKind("runs"), ...ofKind("stays")]) {
      assert.doesNotMatch(command, /…/, "nobody can type that, and the stage knows no better");
    }
    if (ofKind("runs").length > 0) {
      const ran = await stage.run(ofKind("runs"));
      assertDone(ran);
      if (commands.some((command) => command.startsWith("openssl dgst"))) assertSameSignature(ran.output);
    }
    for (const command of ofKind("stays")) assertDone(await stage.startAndStop(command));
  }

  test("every metric that is named exists", async () => {
    const metrics = await (await fetch(`${stage.url}/metrics`)).text();
    const named = /\b(bellwire_[a-z_]+)/g;
    const isKnown = (name: string): boolean => new RegExp(`^${name}[ {]`, "m").test(metrics) || isDeclared(name);
    // Only a database of several servers has these.
    const registry = new Registry();
    registerShards({ registry }, { list: () => [], follow: () => {}, count: () => Promise.resolve(), nowMs: () => 0 });
    const isDeclared = (name: string): boolean =>
      metrics.includes(`# TYPE ${name} `) || registry.getSingleMetric(name) !== undefined;
    const text = PAGES.filter(({ path }) => /^docs\/(?:monitoring|backups)\.md$/.test(path))
      .map((page) => page.text)
      .join();
    assert.ok(text.match(named), "the pages name metrics");
    const unknown = [...text.matchAll(named)].filter(([, name = ""]) => !isKnown(name));
    assert.deepEqual(
      unknown.map(([name]) => name),
      [],
    );
  });

  test("the backup that is made while the service runs is a database that it opens", async () => {
    const ran = await stage.run(["BELLWIRE_DATABASE=sqlite:bellwire-backup.db npx --no bellwire doctor"]);
    assertDone(ran);
    assert.match(ran.output, /^✓ The database bellwire-backup\.db opens and takes a write/m);
  });

  test("a command that fails is noticed, and a refusal of the service is a failure", async () => {
    assert.notEqual((await stage.run(["npx --no bellwire send --account nobody"])).code, 0);
    assert.notEqual((await stage.run([`curl -sS ${stage.url}/v1/accounts/demo/demo-sessions -d '{}'`])).code, 0);
  });
});

function assertDone({ code, output }: { readonly code: number | null; readonly output: string }): void {
  assert.equal(code, 0, output);
}

/** The page says that the two lines show the same one. */
function assertSameSignature(output: string): void {
  const [computed = "", received = ""] = output.split("\n");
  assert.match(computed, /^[A-Za-z0-9+/]{43}=$/);
  assert.equal(received, `x-service-signature: ${computed}`);
}

/** Faults of the settings in front of a command. */
function settingsFaults(command: string): readonly string[] {
  const settings = [...command.matchAll(/^(?:(?:BELLWIRE|OTEL)_\w+=\S+ )+/g)].flatMap(([text]) =>
    text.trim().split(" "),
  );
  const env = Object.fromEntries(settings.map((setting) => setting.split("=", 2) as [string, string]));
  const config = readConfig(env);
  return config.ok ? [] : config.error.map(({ path, message }) => `${path} ${message}`);
}

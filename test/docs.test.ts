/**
 * Keeps the documentation true: links lead somewhere, commands run, and the settings, metrics, scripts and commands
 * that it names exist.
 */
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { Registry } from "prom-client";
import { COMMANDS } from "../src/commands/catalog.ts";
import { VARIABLES, readConfig } from "../src/config/config.ts";
import { registerWorkers } from "../src/observe/workers.ts";
import {
  type Page,
  ROOT,
  listAnchors,
  parseBlocks,
  brokenLinks,
  parseCommands,
  findKind,
  readPages,
  readProject,
} from "./doc-pages.ts";
import { type Stage, openStage } from "./doc-stage.ts";

const PAGES = readPages();
const SCRIPTS: ReadonlySet<string> = new Set(
  Object.keys(JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8")).scripts),
);

/** Pages about the past may name what is gone. */
const PRESENT = PAGES.filter(({ path }) => path !== "CHANGELOG.md");

function findings(pages: readonly Page[], pattern: RegExp, isKnown: (name: string) => boolean): string[] {
  return pages.flatMap(({ path, text }) =>
    [...text.matchAll(pattern)].filter(([, name = ""]) => !isKnown(name)).map(([, name]) => `${path}: ${name}`),
  );
}

test("every link leads somewhere", () => {
  assert.ok(PAGES.length > 15, `${PAGES.length} pages`);
  assert.deepEqual(
    PAGES.flatMap((page) => brokenLinks(page, readProject)),
    [],
  );
});

test("every setting that is named exists", () => {
  const names = new Set(VARIABLES);
  const isKnown = (name: string): boolean => /^(?:BELLWIRE|OTEL)_$/.test(name) || names.has(name);
  assert.deepEqual(findings(PAGES, /\b((?:BELLWIRE|OTEL)_[A-Z_]*)/g, isKnown), []);
});

test("every script and every command that is named exists", () => {
  assert.deepEqual(
    findings(PRESENT, /\bnpm run ([\w-]+)/g, (name) => SCRIPTS.has(name)),
    [],
  );
  assert.deepEqual(
    findings(PAGES, /`(?:npx )?bellwire ([a-z-]+)/g, (name) => name === "help" || name in COMMANDS),
    [],
  );
});

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
    registerWorkers({ registry }, { list: () => [], follow: () => {}, count: () => Promise.resolve(), nowMs: () => 0 });
    const isDeclared = (name: string): boolean =>
      metrics.includes(`# TYPE ${name} `) || registry.getSingleMetric(name) !== undefined;
    const pages = PRESENT.filter(({ path }) => path === "docs/operations.md");
    assert.ok(pages[0]?.text.match(named), "the page names metrics");
    assert.deepEqual(findings(pages, named, isKnown), []);
  });

  test("the backup that is made while the service runs is a database that it opens", async () => {
    const ran = await stage.run(["BELLWIRE_DATABASE=sqlite:bellwire-backup.db npx bellwire doctor"]);
    assertDone(ran);
    assert.match(ran.output, /^✓ The database bellwire-backup\.db opens and takes a write/m);
  });

  test("a command that fails is noticed, and a refusal of the service is a failure", async () => {
    assert.notEqual((await stage.run(["npx bellwire send --account nobody"])).code, 0);
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

describe("the tests of the documentation notice", () => {
  test("links to nothing, and to headings that are not there", () => {
    const text = "[a](b.md) [c](b.md#some-thing) [d](b.md#other) [e](f.md) [g](#here) [h](https://example.com)\n# Here";
    const read = (path: string): string | null =>
      path === "docs/b.md" ? "## Some: thing" : path === "docs/a.md" ? text : null;
    assert.deepEqual(brokenLinks({ path: "docs/a.md", text }, read), ["docs/a.md:1: b.md#other", "docs/a.md:1: f.md"]);
  });

  test("anchors as headings make them, and none in code", () => {
    assert.deepEqual(listAnchors("# A delivery's states\n```sh\n# not this\n```\n## It `works`, or\n"), [
      "a-deliverys-states",
      "it-works-or",
    ]);
  });

  test("where a command begins and ends", () => {
    const block =
      "# first\nnpm ci && npm test     # every test\ncurl x \\\n  -d '{\n  # kept\n}'\n\ngrep 'a # b' c # d's\n";
    assert.deepEqual(parseCommands(block), [
      "npm ci && npm test",
      "curl x \\\n  -d '{\n  # kept\n}'",
      "grep 'a # b' c",
    ]);
  });

  for (const command of [
    "rm -rf /",
    "npm run nothing",
    "npm ci && npm run nothing",
    "npx cowsay",
    "npx bellwire dance",
  ]) {
    test(`that nothing tests: ${command}`, () => assert.ok(findKind(command, SCRIPTS) instanceof Error));
  }
});

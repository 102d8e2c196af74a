/**
 * The linter's rules catch what they are there for. Each fault is written to a folder of its own that is linted with
 * the project's configuration, so a rule that goes quiet (renamed, shadowed by an override) fails here.
 */
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { after, describe, test } from "node:test";
import { BRIDGE, BRIDGE_KNOWS, LAYERS } from "../oxlint.config.ts";

const ROOT = dirname(import.meta.dirname);
const FOLDER = mkdtempSync(join(tmpdir(), "bellwire-lint-"));
after(() => rmSync(FOLDER, { recursive: true, force: true }));

const APP = 'export { demo } from "./demo/demo.ts";\nexport const now = Date.now();';

const WEB_HOOK = [
  'import { useState } from "react";',
  "export function A({ is }: { is: boolean }): void {",
  "  if (is) useState(1);",
  "}",
].join("\n");

/** Where it is written decides whether it is a fault: by rule, the file, and its text. */
const FAULTS: readonly (readonly [rule: string, file: string, text: string])[] = [
  ["no-restricted-properties", "src/delivery/now.ts", "export const now = Date.now();"],
  ["no-restricted-properties", "src/delivery/performance.ts", "export const now = performance.now();"],
  ["no-restricted-properties", "src/domain/chance.ts", "export const chance = Math.random();"],
  ["no-restricted-properties", "src/intake/uuid.ts", "export const id = crypto.randomUUID();"],
  ["no-restricted-properties", "src/accounts/env.ts", "export const home = process.env.HOME;"],
  ["no-restricted-properties", "src/accounts/taken-env.ts", "export const { env } = process;"],
  ["no-restricted-properties", "src/app.ts", APP],
  ["no-restricted-properties", "src/config/config.ts", "export const port = process.env.PORT;"],
  ["no-restricted-globals", "src/delivery/timer.ts", "setTimeout(() => {}, 1);"],
  ["no-restricted-globals", "src/delivery/global-timer.ts", "globalThis.setInterval(() => {}, 1);"],
  ["no-restricted-globals", "src/intake/fetch.ts", 'export const page = fetch("http://localhost");'],
  ["no-restricted-imports", "src/domain/bytes.ts", 'import { randomBytes } from "node:crypto";\nrandomBytes(1);'],
  ["no-restricted-imports", "src/domain/uuid.ts", 'export { randomUUID } from "node:crypto";'],
  ["no-restricted-imports", "src/delivery/sleep.ts", 'export { setTimeout } from "node:timers/promises";'],
  ["no-restricted-imports", "src/delivery/process.ts", 'export { env } from "node:process";'],
  ["no-restricted-imports", "src/delivery/fetch.ts", 'export { request } from "node:http";'],
  ["no-restricted-imports", "src/delivery/sql.ts", 'export { DatabaseSync } from "node:sqlite";'],
  ["no-restricted-imports", "src/delivery/sql.ts", 'export { Pool } from "pg";'],
  ["no-restricted-imports", "src/store/sqlite/sql.ts", 'export { Pool } from "pg";'],
  ["no-restricted-imports", "src/app.ts", APP],
  ["no-restricted-imports", "src/app/web.ts", 'export { createApp } from "../app.ts";'],
  ["no-restricted-imports", "src/delivery/late.ts", 'export const late = import("../intake/late.ts");'],
  ["no-floating-promises", "src/delivery/floating.ts", "Promise.resolve(1);"],
  ["no-misused-promises", "src/delivery/misused.ts", "[1].forEach(async () => {\n  await Promise.resolve();\n});"],
  [
    "switch-exhaustiveness-check",
    "src/domain/switch.ts",
    'export function f(x: "a" | "b"): void {\n  switch (x) {\n    case "a":\n  }\n}',
  ],
  ["no-explicit-any", "src/domain/any.ts", "export const f = (x: any): unknown => x;"],
  ["no-non-null-assertion", "src/domain/sure.ts", "export const f = (x: string | null): string => x!;"],
  ["no-console", "src/intake/console.ts", 'console.log("hello");'],
  ["no-default-export", "src/domain/default.ts", "export default 1;"],
  ["no-barrel-file", "src/domain/barrel.ts", 'export * from "./any.ts";\nexport * from "./sure.ts";'],
  ["no-cycle", "src/domain/one.ts", 'import { two } from "./two.ts";\nexport const one = (): unknown => two;'],
  [
    "no-event-type-name",
    "src/delivery/one.ts",
    'export const isOne = (type: string): boolean => type === "demo_viewed";',
  ],
  ["no-event-type-name", "src/store/key.ts", "export const words = { chat_conversation_completed: 1 };"],
  ["no-event-type-name", "web/ui/text.ts", "export const text = (x: string): string => `${x} demo_viewed`;"],
  ["max-params", "src/domain/many.ts", "export const f = (a: 1, b: 1, c: 1, d: 1): number => a + b + c + d;"],
  ["max-lines-per-function", "src/domain/long.ts", `export function f(): void {\n${"  f();\n".repeat(70)}}`],
  ["max-lines", "src/domain/longer.ts", "// A line.\n".repeat(401)],
  ["max-lines", "src/domain/longer.test.ts", "// A line.\n".repeat(401)],
  ["no-restricted-globals", "web/parts/fetch.ts", 'export const page = fetch("x");'],
  ["no-restricted-globals", "web/ui/stream.tsx", 'export const stream = new window.EventSource("x");'],
  ["no-restricted-globals", "web/ui/node.ts", "export const home = process.env.HOME;"],
  ["no-restricted-imports", "web/pages/domain.ts", 'export { any } from "../../src/domain/any.ts";'],
  ["no-restricted-imports", "web/pages/type.ts", 'export type { Any } from "../../src/domain/any.ts";'],
  ["no-restricted-imports", "web/pages/value.ts", 'export { any } from "../../src/dashboard/contract/any.ts";'],
  ["no-restricted-imports", "web/pages/node.ts", 'export { join } from "node:path";'],
  ["no-danger", "web/ui/danger.tsx", 'export const A = () => <p dangerouslySetInnerHTML={{ __html: "x" }} />;'],
  ["alt-text", "web/ui/image.tsx", 'export const A = () => <img src="x" />;'],
  ["rules-of-hooks", "web/ui/hook.tsx", WEB_HOOK],
  ["max-lines-per-function", "web/ui/long.tsx", `export function A(): void {\n${"  A();\n".repeat(120)}}`],
  ["max-lines-per-function", "web/long.ts", `export function f(): void {\n${"  f();\n".repeat(70)}}`],
];

/** The same texts where they belong. */
const AMBIENT =
  'setTimeout(() => {}, Date.now() + Math.random());\nexport const home = [process.env.HOME, fetch("x")];';
const FINE: readonly (readonly [file: string, text: string])[] = [
  ["src/lib/clock.ts", AMBIENT],
  ["src/config/env.ts", AMBIENT],
  ["src/delivery/send/send.ts", AMBIENT],
  ["src/main.ts", AMBIENT],
  ["src/delivery/engine.test.ts", `${AMBIENT}\nimport { open } from "../store/sqlite/open.ts";\nopen();`],
  ["src/commands/serve.ts", `${AMBIENT}\nimport { app } from "../app.ts";\nconsole.log(app);`],
  ["src/store/sqlite/open.ts", 'export { DatabaseSync } from "node:sqlite";'],
  ["src/store/postgres/open.ts", 'export { Pool } from "pg";'],
  ["src/domain/two.ts", 'import { one } from "./one.ts";\nexport const two = (): unknown => one;'],
  ["web/api.ts", 'export const page = fetch("x");'],
  ["web/live-stream.ts", "export const stream = new EventSource(String(setTimeout(() => {}, Date.now())));"],
  ["web/pages/contract.ts", 'import type { A } from "../../src/dashboard/contract/a.ts";\nexport const a: A = 1;'],
  ["web/ui/drawn.tsx", `export function A() {\n  return (\n    <p>\n${"      <br />\n".repeat(110)}    </p>\n  );\n}`],
  [
    "src/domain/short.test.ts",
    `import { test } from "node:test";\ntest("a", () => {\n${"  (() => 1)();\n".repeat(80)}});`,
  ],
];

const HOUSE_RULES = new Set(FAULTS.map(([rule]) => rule).filter((rule) => rule !== "no-cycle"));
const ROOTS = ["app.ts", "app/any.ts", "main.ts", "commands/any.ts", "demo/any.ts"];
/** The room beside `src`. */
const BESIDE = `../${BRIDGE}/any.ts`;
/** Files that every layer is tried against: each folder, and the files that are opened one by one. */
const TARGETS = [
  ...Object.keys(LAYERS).map((layer) => `${layer}/any.ts`),
  ...new Set([...Object.values(LAYERS), BRIDGE_KNOWS].flatMap((open) => open.filter((name) => name.endsWith(".ts")))),
  "store/sqlite/any.ts",
  ...ROOTS,
  BESIDE,
];

for (const [, file, text] of FAULTS) write(file, `${text}\n`);
for (const [file, text] of FINE) write(file, `${text}\n`);
for (const layer of Object.keys(LAYERS)) {
  write(`src/${layer}/arrows.ts`, TARGETS.map((target, n) => `export { a${n} } from "../${target}";`).join("\n"));
  write(
    `src/${layer}/deep/arrows.ts`,
    TARGETS.map((target, n) => `export { a${n} } from "../../${target}";`).join("\n"),
  );
}
for (const [folder, src] of [
  ["", "../src"],
  ["deep/", "../../src"],
]) {
  write(
    `${BRIDGE}/${folder}arrows.ts`,
    TARGETS.map((target, n) => `export { a${n} } from "${src}/${target}";`).join("\n"),
  );
}
const findings = lint();

for (const [rule, file] of FAULTS) {
  test(`${rule} catches ${file}`, () => {
    const rules = findings.filter((finding) => finding.file === file).map((finding) => finding.rule);
    assert.ok(rules.includes(rule), `found only: ${rules.join(", ") || "nothing"}`);
  });
}

for (const [file] of FINE) {
  test(`finds nothing in ${file}`, () => {
    const found = findings.filter((finding) => finding.file === file && HOUSE_RULES.has(finding.rule));
    assert.deepEqual(found, []);
  });
}

describe("imports point one way", () => {
  for (const [layer, open] of Object.entries(LAYERS)) {
    test(`src/${layer} imports ${open.join(", ") || "nothing"}`, () => {
      const allowed = (target: string) =>
        [layer, ...open].some((name) => target === name || target.startsWith(`${name}/`));
      const closed = TARGETS.filter((target) => !allowed(target));
      assert.deepEqual(restrictedImports(`src/${layer}/arrows.ts`), closed);
      assert.deepEqual(restrictedImports(`src/${layer}/deep/arrows.ts`), closed);
    });
  }

  test(`${BRIDGE} imports ${BRIDGE_KNOWS.join(", ")} of src`, () => {
    const allowed = (target: string) => BRIDGE_KNOWS.some((name) => target === name || target.startsWith(`${name}/`));
    const closed = TARGETS.filter((target) => !allowed(target));
    assert.deepEqual(restrictedImports(`${BRIDGE}/arrows.ts`), closed);
    assert.deepEqual(restrictedImports(`${BRIDGE}/deep/arrows.ts`), closed);
  });

  test("the path knows the store's contract and no driver", () => {
    for (const layer of ["accounts", "delivery", "intake"]) {
      assert.ok(!restrictedImports(`src/${layer}/arrows.ts`).includes("store/contract/store.ts"));
      assert.ok(restrictedImports(`src/${layer}/arrows.ts`).includes("store/sqlite/any.ts"));
    }
  });

  test("every folder of src has its place in the table", () => {
    const folders = readdirSync(join(ROOT, "src"), { withFileTypes: true }).filter((entry) => entry.isDirectory());
    const placed = [...Object.keys(LAYERS), "app", "commands", "demo"];
    const homeless = folders.map(({ name }) => name).filter((name) => !placed.includes(name));
    assert.deepEqual(homeless, [], "add the folder to LAYERS in oxlint.config.ts");
  });

  test("the table itself has no circle", () => {
    const layers = Object.keys(LAYERS);
    for (const [layer, open] of Object.entries(LAYERS)) {
      // One file that is opened alone may lie higher: it is a contract, without imports of its own that lead back.
      const folders = open.filter((name) => !name.endsWith(".ts"));
      for (const below of folders)
        assert.ok(layers.indexOf(below) < layers.indexOf(layer), `${layer} imports ${below}`);
    }
  });
});

interface Finding {
  readonly rule: string;
  readonly file: string;
  readonly line: number;
}

function write(file: string, text: string): void {
  const path = join(FOLDER, file);
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
}

function lint(): Finding[] {
  write("oxlint.config.ts", `export { default } from ${JSON.stringify(join(ROOT, "oxlint.config.ts"))};\n`);
  const types = { types: ["node"], typeRoots: [join(ROOT, "node_modules/@types")] };
  write("tsconfig.json", JSON.stringify({ compilerOptions: { strict: true, noEmit: true, ...types } }));
  const oxlint = join(ROOT, "node_modules/oxlint/bin/oxlint");
  const run = spawnSync(process.execPath, [oxlint, "--format", "json", "src", "web", BRIDGE], {
    cwd: FOLDER,
    encoding: "utf8",
  });
  assert.equal(run.stderr, "");
  return (JSON.parse(run.stdout) as { diagnostics: Diagnostic[] }).diagnostics.map(({ code, filename, labels }) => ({
    rule: /\((.+)\)$/.exec(code)?.[1] ?? code,
    file: filename.replaceAll("\\", "/"),
    line: labels[0]?.span.line ?? 0,
  }));
}

interface Diagnostic {
  readonly code: string;
  readonly filename: string;
  readonly labels: readonly { readonly span: { readonly line: number } }[];
}

/** The targets of a file with one import a line that the linter refused, in the file's order. */
function restrictedImports(file: string): string[] {
  const lines = findings
    .filter((finding) => finding.file === file && finding.rule === "no-restricted-imports")
    .map(({ line }) => line);
  return TARGETS.filter((_, index) => lines.includes(index + 1));
}

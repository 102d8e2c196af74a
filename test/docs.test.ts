/** Keeps the documentation true: links lead somewhere, and the settings, scripts and commands that it names exist. */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { COMMANDS } from "../src/commands/catalog.ts";
import { VARIABLES } from "../src/config/config.ts";
import { type Page, ROOT, brokenLinks, readPages, readProject } from "./doc-pages.ts";

const PAGES = readPages();
const SCRIPTS: ReadonlySet<string> = new Set(
  Object.keys(JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8")).scripts),
);

/** Pages about the past may name what is gone. */
const PRESENT = PAGES.filter(({ path }) => !["CHANGELOG.md", "bench/RESULTS.md"].includes(path));

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
  assert.deepEqual(findings(PRESENT, /\b((?:BELLWIRE|OTEL)_[A-Z_]*)/g, isKnown), []);
});

test("every script and every command that is named exists", () => {
  assert.deepEqual(
    findings(PRESENT, /\bnpm run ([\w-]+)/g, (name) => SCRIPTS.has(name)),
    [],
  );
  assert.deepEqual(
    findings(PAGES, /`(?:npx (?:--no )?)?bellwire ([a-z-]+)/g, (name) => name === "help" || name in COMMANDS),
    [],
  );
});

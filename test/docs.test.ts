/** Keeps the documentation true: links lead somewhere, and the settings, scripts and commands that it names exist. */
import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { COMMANDS } from "../src/commands/catalog.ts";
import { SETTINGS } from "./deployment.ts";
import {
  OFF_STAGE,
  type Page,
  ROOT,
  brokenLinks,
  linkedPages,
  listOffStage,
  readPages,
  readProject,
} from "./doc-pages.ts";

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
  const isKnown = (name: string): boolean => /^(?:BELLWIRE(?:_BRIDGE)?|OTEL)_$/.test(name) || SETTINGS.has(name);
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

test("each command that the stage cannot run says which test runs it, or why none does", () => {
  assert.deepEqual([...new Set(PRESENT.flatMap(listOffStage))].toSorted(), Object.keys(OFF_STAGE).toSorted());
  const isTrue = (by: string): boolean => by.startsWith("none: ") || existsSync(join(ROOT, by));
  assert.deepEqual(
    Object.values(OFF_STAGE).filter((by) => !isTrue(by)),
    [],
  );
});

test("every page but a decision's is two clicks away from the README", () => {
  const pagesFrom = (path: string): string[] => PAGES.filter((page) => page.path === path).flatMap(linkedPages);
  const near = new Set(["README.md", ...pagesFrom("README.md"), ...pagesFrom("README.md").flatMap(pagesFrom)]);
  const far = PAGES.map(({ path }) => path).filter((path) => !near.has(path) && !path.startsWith("docs/adr/"));
  assert.deepEqual(far, []);
});

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

/**
 * Words of `docs/` without decisions. A page that needs more takes them from another, or says why here: bodies,
 * reading, managing and asking by programs, many webhooks at once, copies that are held, copies each second, a client
 * that manages and a frame that looks like the product have pages or parts of their own (26,000 before them).
 */
const DOCS_WORDS_MAX = 31_200;

const isOnShelf = ({ path }: Page): boolean => /^docs\/[^/]+\.md$/.test(path);

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

test("llms.txt has a line for every page, under its title, on one of the four shelves of the README", () => {
  const text = readFileSync(join(ROOT, "llms.txt"), "utf8");
  const shelves = [...text.matchAll(/^## (.*)$/gm)].map(([, shelf = ""]) => shelf);
  const readme = PAGES.find(({ path }) => path === "README.md")?.text ?? "";
  assert.deepEqual(
    [...readme.matchAll(/^\*\*(\w+)\*\*$/gm)].map(([, shelf]) => shelf),
    shelves,
  );
  const lines = text.split("\n").filter((line) => line.startsWith("- "));
  const titles = lines.map((line) => /^- (\[.+\]\(.+\)): \S/.exec(line)?.[1] ?? line);
  const titleOf = ({ path, text: page }: Page): string => `[${/^# (.*)$/m.exec(page)?.[1] ?? ""}](${path})`;
  assert.deepEqual(
    titles.filter((title) => title.includes("](docs/")).toSorted(),
    PAGES.filter(isOnShelf).map(titleOf).toSorted(),
  );
  assert.deepEqual(
    titles.filter((title) => !PAGES.map(titleOf).includes(title)),
    [],
  );
});

test("the pages of docs/ do not grow", () => {
  const words = PAGES.filter(isOnShelf).flatMap(({ text }) => text.match(/\S+/g) ?? []).length;
  assert.ok(words <= DOCS_WORDS_MAX, `${words} words, at most ${DOCS_WORDS_MAX}`);
});

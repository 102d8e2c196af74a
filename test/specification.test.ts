/**
 * Keeps `docs/specification.md` true: every row names files that are there and tests that are still called so, every
 * section is there, and every field of both payloads has its row.
 */
import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { test } from "node:test";
import { listFields } from "../src/events/schema/fields.ts";
import { eventType } from "./kit/event-type.ts";

const ROOT = dirname(import.meta.dirname);

/** Tests that `npm test` or `npm run test:long` runs, or the suite that its stores' tests run. */
const RUN = /\.test\.ts$|^src\/store\/conformance\/[\w-]+\.ts$/;

interface Row {
  /** From 1. */
  readonly line: number;
  readonly section: string;
  readonly says: string;
  readonly where: string;
  readonly shown: string;
}

const HEADINGS = /^#+ (.*)$/;

function parseRows(page: string): Row[] {
  let section = "";
  return page.split("\n").flatMap((text, index) => {
    section = HEADINGS.exec(text)?.[1] ?? section;
    if (!text.startsWith("| ") || text.includes(" | Where | ")) return [];
    const [says = "", where = "", ...shown] = text.slice(2, -2).split(" | ");
    return [{ line: index + 1, section, says, where, shown: shown.join(" | ") }];
  });
}

/** Faults of a row, as sentences. */
function findFaults({ line, where, shown }: Row, read: (path: string) => string | null): string[] {
  const files = [...where.matchAll(/`([^`]+)`/g)].map(([, path = ""]) => path);
  const tests = [...shown.matchAll(/`([^`]+)`: "(.*?)"(?=; `|$)/g)].map(([, path = "", name = ""]) => ({ path, name }));
  return [
    ...(files.length === 0 ? ["names no file"] : []),
    ...(tests.map(({ path, name }) => `\`${path}\`: "${name}"`).join("; ") === shown
      ? []
      : ["the tests cannot be read"]),
    ...(tests.length === 0 ? ["names no test"] : []),
    ...files.filter((path) => read(path) === null).map((path) => `${path} is gone`),
    ...tests.filter(({ path }) => !RUN.test(path)).map(({ path }) => `${path} is not run by npm test`),
    ...tests.filter(({ path, name }) => !hasTest(read(path), name)).map((at) => `${at.path} has no "${at.name}"`),
  ].map((fault) => `line ${line}: ${fault}`);
}

/** As a whole string: a name that has only been lengthened is another one. */
const hasTest = (text: string | null, name: string): boolean =>
  text !== null && ['"', "`"].some((quote) => text.includes(quote + name + quote));

const readProject = (path: string): string | null =>
  existsSync(join(ROOT, path)) ? readFileSync(join(ROOT, path), "utf8") : null;

const ROWS = parseRows(readFileSync(join(ROOT, "docs", "specification.md"), "utf8"));

test("each row has its files and its tests", () => {
  assert.deepEqual(
    ROWS.flatMap((row) => findFaults(row, readProject)),
    [],
  );
});

/** Headings of the given specification, and of the decisions that fill what it leaves open. */
const SECTIONS = [
  ...[1, 2, 3, 4, 5, 6, 7, 8, 9].map((number) => `Specification ${number}:`),
  ...[1, 2, 3, 4, 5, 6].map((number) => `2.${number} `),
  ...[1, 2, 3, 4, 5, 6, 7].map((number) => `Decision ${number}:`),
];

test("each section has its rows", () => {
  const missing = SECTIONS.filter((start) => !ROWS.some(({ section }) => section.startsWith(start)));
  assert.deepEqual(missing, []);
});

const FIELD_SECTIONS = { demo_viewed: /^2\.[1-4] /, chat_conversation_completed: /^2\.[2-5] / } as const;

for (const [type, sections] of Object.entries(FIELD_SECTIONS)) {
  test(`each field of ${type} has its row`, () => {
    const family = eventType(type);
    const said = ROWS.filter(({ section }) => sections.test(section)).map(({ says }) => says);
    const fields = listFields(family.bodySchema).map(({ path }) => path);
    assert.ok(fields.length > 20, `${fields.length} fields`);
    assert.deepEqual(
      fields.filter((path) => !said.some((text) => text.includes(`\`${path}\``))),
      [],
    );
  });
}

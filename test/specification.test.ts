/**
 * Keeps `specification.txt` true, which goes through the given specification and our own decisions section by section.
 * A heading begins with `# `. Below it stand the rows: an id, and indented the tests that show it, as `file: name`.
 * Tests right below a heading show every row of their section. A name with `${…}` in it is the pattern of a table of
 * cases. Every test is still called so, every section is there, and every field of both payloads has its row.
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
  readonly ids: readonly string[];
  /** Its section's and its own, as `file: name`. */
  readonly tests: readonly string[];
}

function parseRows(text: string): Row[] {
  let section = "";
  let shared: string[] = [];
  let tests = shared;
  const rows: Row[] = [];
  for (const [index, line] of text.trimEnd().split("\n").entries()) {
    if (line.startsWith("# ")) {
      section = line.slice(2);
      shared = tests = [];
    } else if (line.startsWith("  ")) {
      tests.push(line.trim());
    } else if (line !== "") {
      tests = [...shared];
      rows.push({ line: index + 1, section, ids: line.split(", "), tests });
    }
  }
  return rows;
}

/** Faults of a row, as sentences. */
function findFaults({ line, tests }: Row): string[] {
  const faults = tests.flatMap((shown) => {
    const [path = "", name = ""] = shown.split(/: (.*)/);
    if (!RUN.test(path)) return [`${path} is not run by npm test`];
    return hasTest(readProject(path), name) ? [] : [`${path} has no "${name}"`];
  });
  return [...(tests.length === 0 ? ["names no test"] : []), ...faults].map((fault) => `line ${line}: ${fault}`);
}

/** As a whole string: a name that has only been lengthened is another one. */
const hasTest = (text: string | null, name: string): boolean =>
  text !== null && ['"', "`"].some((quote) => text.includes(quote + name + quote));

const readProject = (path: string): string | null =>
  existsSync(join(ROOT, path)) ? readFileSync(join(ROOT, path), "utf8") : null;

const ROWS = parseRows(readFileSync(join(ROOT, "test", "specification.txt"), "utf8"));

test("each row has tests that are there", () => {
  assert.ok(ROWS.length > 120, `${ROWS.length} rows`);
  assert.deepEqual(ROWS.flatMap(findFaults), []);
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
    const said = new Set(ROWS.filter(({ section }) => sections.test(section)).flatMap(({ ids }) => ids));
    const fields = listFields(family.bodySchema).map(({ path }) => path);
    assert.ok(fields.length > 20, `${fields.length} fields`);
    assert.deepEqual(
      fields.filter((path) => !said.has(path)),
      [],
    );
  });
}

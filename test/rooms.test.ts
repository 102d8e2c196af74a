/** Rooms import in one direction: those of the stores, of the path, of the dashboard, and those of the page's parts. */
import assert from "node:assert/strict";
import { dirname } from "node:path";
import { test } from "node:test";
import { findTwoWayPairs } from "../tools/house/rooms.ts";
import { readSources } from "../tools/house/sources.ts";

const HELD = ["src/dashboard/", "web/parts/"];
/** Their tests stand in the room of what they begin with, and reach into others. */
const HELD_WITHOUT_TESTS = ["src/store/sql/", "src/store/sqlite/", "src/store/postgres/", "src/delivery/"];

for (const place of HELD) {
  test(`no two rooms of ${place} import from each other, tests and types included`, () => {
    const sources = readSources(dirname(import.meta.dirname)).filter(({ path }) => path.startsWith(place));
    assert.ok(sources.length > 50, `${sources.length} files of ${place} were read`);
    assert.deepEqual(findTwoWayPairs(sources), []);
  });
}

for (const place of HELD_WITHOUT_TESTS) {
  test(`no two rooms of ${place} import from each other, types included`, () => {
    const isOfPlace = ({ path }: { path: string }) => path.startsWith(place) && !path.endsWith(".test.ts");
    const sources = readSources(dirname(import.meta.dirname)).filter(isOfPlace);
    assert.ok(sources.length > 30, `${sources.length} files of ${place} were read`);
    assert.deepEqual(findTwoWayPairs(sources), []);
  });
}

test("a room and the folder around it are no pair", () => {
  const sources = [
    { path: "src/store/verbs.ts", text: 'import { accept } from "./path/accept.ts";\n' },
    { path: "src/store/path/accept.ts", text: 'import { begin } from "../transaction.ts";\n' },
    { path: "src/store/transaction.ts", text: "export const begin = 1;\n" },
  ];
  assert.deepEqual(findTwoWayPairs(sources), []);
});

test("a pair is found though no file of it is part of a cycle, and one way alone is none", () => {
  const sources = [
    { path: "web/parts/a/one.ts", text: 'import type { Two } from "../b/two.ts";\n' },
    { path: "web/parts/a/three.ts", text: "export const three = 3;\n" },
    { path: "web/parts/b/two.ts", text: 'import { four } from "../c/four.ts";\nimport "./style.css";\n' },
    { path: "web/parts/b/five.ts", text: 'const late = await import("../a/three.ts");\n' },
    { path: "web/parts/c/four.ts", text: 'import { words } from "../../words.ts";\n' },
  ];
  assert.deepEqual(findTwoWayPairs(sources), [
    "web/parts/a ⇄ web/parts/b: web/parts/a/one.ts → web/parts/b/two.ts, web/parts/b/five.ts → web/parts/a/three.ts",
  ]);
});

/** What `npm run house` prints and this project holds to. */
import assert from "node:assert/strict";
import { dirname } from "node:path";
import { test } from "node:test";
import { findCycles } from "../tools/house/cycles.ts";
import { findImportsOfHarnesses } from "../tools/house/leaves.ts";
import { findLongFunctions } from "../tools/house/long-functions.ts";
import { saysSomething, shareOfMirroredLines } from "../tools/house/mirrored.ts";
import { readSources } from "../tools/house/sources.ts";

test("no import leads back to where it began, types included", () => {
  assert.deepEqual(findCycles(readSources(dirname(import.meta.dirname))), []);
});

test("the harnesses are leaves: they stand on the kit and the program, and nothing stands on them", () => {
  assert.deepEqual(findImportsOfHarnesses(readSources(dirname(import.meta.dirname))), []);
});

test("no function is longer than the linter's limit, in tests too; a suite is none", () => {
  assert.deepEqual(findLongFunctions(dirname(import.meta.dirname)), []);
});

test("of what SQLite's files say, at most 15 % stands in PostgreSQL's files of the same name", () => {
  const { shared, lines } = shareOfMirroredLines(readSources(dirname(import.meta.dirname)), saysSomething);
  assert.ok(shared / lines <= 0.15, `${shared} of ${lines} lines: say them once, in src/store/sql or src/store`);
});

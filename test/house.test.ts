/** What `npm run house` prints and this project holds to. */
import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { describe, test } from "node:test";
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

describe("the figures of the house", () => {
  test("a long function of a test is found, and a suite of the same length is not", (t) => {
    const folder = mkdtempSync(join(tmpdir(), "bellwire-house-"));
    t.after(() => rmSync(folder, { recursive: true }));
    const body = "  f();\n".repeat(70);
    writeFileSync(join(folder, "long.test.ts"), `function f() {\n${body}}\n`);
    writeFileSync(join(folder, "suite.test.ts"), `describe("f", () => {\n  test("a", f);\n${body}});\n`);
    assert.deepEqual(findLongFunctions(folder, ["."]), ["long.test.ts:1: a function of 72 lines"]);
  });

  test("a cycle is found that types alone hold, and a file that others share is none", () => {
    const sources = [
      { path: "src/a.ts", text: 'import type { B } from "./deep/b.ts";\nimport { c } from "./c.ts";\n' },
      { path: "src/deep/b.ts", text: 'import {\n  a,\n  c,\n} from "../a.ts";\nimport { d } from "../c.ts";\n' },
      { path: "src/c.ts", text: 'import { readFileSync } from "node:fs";\n' },
    ];
    assert.deepEqual(findCycles(sources), [["src/a.ts", "src/deep/b.ts"]]);
  });

  test("an import of a harness is found from another harness and from a test, and its own is none", () => {
    const sources = [
      { path: "bench/postgres/run.ts", text: 'import { a } from "../a.ts";\nimport { b } from "../../chaos/b.ts";\n' },
      { path: "test/kit/wait.ts", text: 'import { c } from "../../e2e/c.ts";\nimport { d } from "../../src/d.ts";\n' },
    ];
    assert.deepEqual(findImportsOfHarnesses(sources), [
      "bench/postgres/run.ts imports chaos/b.ts",
      "test/kit/wait.ts imports e2e/c.ts",
    ]);
  });

  test("of what SQLite's files say, at most 15 % stands in PostgreSQL's files of the same name", () => {
    const { shared, lines } = shareOfMirroredLines(readSources(dirname(import.meta.dirname)), saysSomething);
    assert.ok(shared / lines <= 0.15, `${shared} of ${lines} lines: say them once, in src/store/sql or src/store`);
  });

  test("lines count as mirrored when the other file has them in the same order", () => {
    const sources = [
      { path: "src/store/sqlite/a.ts", text: "one\ntwo\nthree" },
      { path: "src/store/postgres/a.ts", text: "three\none\nthree" },
      { path: "src/store/sqlite/alone.ts", text: "one" },
    ];
    assert.deepEqual(shareOfMirroredLines(sources), { files: 1, lines: 3, shared: 2, allLines: 4 });
  });
});

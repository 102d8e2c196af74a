/** One word for one thing: words that the field's have replaced do not come back in names. */
import assert from "node:assert/strict";
import { dirname } from "node:path";
import { test } from "node:test";
import { readSources } from "../tools/house/sources.ts";
import { findReplacedWords } from "../tools/house/words.ts";

test("no name of the product has a word that was replaced", () => {
  const sources = readSources(dirname(import.meta.dirname));
  assert.ok(sources.length > 500, `${sources.length} files were read`);
  assert.deepEqual(findReplacedWords(sources), []);
});

test("a replaced word is found in a name, in SQL too, and not in a comment or a text", () => {
  const source = (path: string, text: string) => [{ path, text }];
  assert.deepEqual(findReplacedWords(source("src/a.ts", "const haulMax = 1; // a haul\n")), [
    'src/a.ts: haulMax: say "batch"',
  ]);
  assert.deepEqual(findReplacedWords(source("src/a.sql", "-- the strain\n  strain integer\n")), [
    'src/a.sql: strain: say "failure score"',
  ]);
  assert.deepEqual(findReplacedWords(source("src/a.ts", '/** A haul. */\nconst text = "a haul";\n')), []);
  assert.deepEqual(findReplacedWords(source("src/a.test.ts", "const haul = 1;\n")), []);
});

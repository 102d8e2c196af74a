import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { cutIntoPieces } from "./highlight-plugin.ts";

const EXAMPLES: Readonly<Record<string, string>> = {
  "node/express.js": "javascript",
  "php/receiver.php": "php",
  "bash/receiver.cgi": "bash",
};

test("the pieces of an example are the file, sign for sign", () => {
  for (const [file, language] of Object.entries(EXAMPLES)) {
    const code = readFileSync(new URL(`../examples/verify/${file}`, import.meta.url), "utf8");
    const pieces = cutIntoPieces(code, language);
    assert.equal(pieces.map(([, text]) => text).join(""), code, file);
    assert.ok(new Set(pieces.map(([kind]) => kind)).size >= 4, `${file} has colours`);
  }
});

test("signs that mean something in HTML come out as they were", () => {
  const code = `const a = "<b> & 'c'"; // x < y && "z"`;
  assert.deepEqual(cutIntoPieces(code, "javascript"), [
    ["keyword", "const"],
    ["plain", " a = "],
    ["string", `"<b> & 'c'"`],
    ["plain", "; "],
    ["comment", `// x < y && "z"`],
  ]);
});

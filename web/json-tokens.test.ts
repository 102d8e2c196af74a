import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { formatJson, jsonTokens } from "./json-tokens.ts";

const findKinds = (text: string): string[] =>
  jsonTokens(text)
    .filter((token) => token.kind !== "plain")
    .map((token) => `${token.kind} ${token.text}`);

test("keys are told from strings, also when a string looks like a key", () => {
  assert.deepEqual(findKinds('{"a" : "b:", "c\\":": ["d"]}'), ['key "a"', 'string "b:"', 'key "c\\":"', 'string "d"']);
});

test("numbers stay as they were written", () => {
  assert.deepEqual(findKinds("[12345678901234567890, -0.10, 1E+2]"), [
    "number 12345678901234567890",
    "number -0.10",
    "number 1E+2",
  ]);
  assert.equal(formatJson('{"n":12345678901234567890}'), '{\n  "n": 12345678901234567890\n}');
});

test("what is not JSON is one plain piece and has no format", () => {
  assert.deepEqual(jsonTokens("<b>{"), [{ kind: "plain", text: "<b>{" }]);
  assert.equal(formatJson('{"a":'), null);
});

test("empty objects and lists stay on one line, keys that occur twice stay two", () => {
  assert.equal(
    formatJson('{"a":{},"a":[ ],"b":[1,{}]}'),
    '{\n  "a": {},\n  "a": [],\n  "b": [\n    1,\n    {}\n  ]\n}',
  );
});

test("of any JSON, the pieces joined are the text, and the format changes blanks alone", () => {
  fc.assert(
    fc.property(fc.json(), (text) => {
      assert.equal(
        jsonTokens(text)
          .map((token) => token.text)
          .join(""),
        text,
      );
      // Not through parse and stringify, which would lose "-0" and doubled keys: blanks are all that may differ.
      const tight = (json: string): string[] =>
        jsonTokens(json)
          .map((token) => token.text.trim())
          .filter(Boolean);
      assert.deepEqual(tight(formatJson(text) ?? ""), tight(text));
    }),
  );
  const value = { a: [1, "x", null], b: { c: true } };
  assert.equal(formatJson(JSON.stringify(value)), JSON.stringify(value, null, 2));
});

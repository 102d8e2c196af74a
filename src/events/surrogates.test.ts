import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { withoutLoneSurrogates } from "./surrogates.ts";

const CASES: [text: string, becomes: string][] = [
  ['{"a":"\\ud800"}', '{"a":"\\ufffd"}'],
  ['{"a":"\\uDFFF!"}', '{"a":"\\ufffd!"}'],
  ['{"\\ud800":{"\\udc00":[]}}', '{"\\ufffd":{"\\ufffd":[]}}'],
  ['"\\ud83d\\ude00"', '"\\ud83d\\ude00"'],
  ['"\\ud83d\\ud83d\\ude00"', '"\\ufffd\\ud83d\\ude00"'],
  ['"\\ude00\\ud83d"', '"\\ufffd\\ufffd"'],
  // A backslash followed by letters; then a backslash and a half.
  ['"\\\\ud800"', '"\\\\ud800"'],
  ['"\\\\\\ud800"', '"\\\\\\ufffd"'],
  ['"\ud800"', '"\ufffd"'],
];

for (const [text, becomes] of CASES) {
  test(`makes ${JSON.stringify(becomes)} of ${JSON.stringify(text)}`, () => {
    assert.equal(withoutLoneSurrogates(text), becomes);
  });
}

test("reads as every string made well-formed, whether halves are escaped or not", () => {
  const anyString = fc.string({ unit: fc.integer({ min: 0, max: 0xffff }).map((unit) => String.fromCharCode(unit)) });
  const half = fc.integer({ min: 0xd800, max: 0xdfff }).map((unit) => String.fromCharCode(unit));
  const value = fc.array(fc.oneof(anyString, half, fc.constantFrom("\\", "u", '"'))).map((parts) => parts.join(""));
  const toHexUnit = (text: string, at: number): string => text.charCodeAt(at).toString(16).padStart(4, "0");
  const escaped = (text: string): string =>
    `"${Array.from({ length: text.length }, (_, at) => `\\u${toHexUnit(text, at)}`).join("")}"`;
  fc.assert(
    fc.property(value, (text) => {
      for (const json of [JSON.stringify(text), escaped(text), escaped(text).toUpperCase().replaceAll("\\U", "\\u")]) {
        assert.equal(JSON.parse(withoutLoneSurrogates(json)), text.toWellFormed());
        assert.equal(withoutLoneSurrogates(json).length, json.length);
      }
    }),
    { numRuns: 2_000 },
  );
});

import assert from "node:assert/strict";
import { test } from "node:test";
import { findJsonMistake } from "./json-check.ts";

const TEXTS: readonly (readonly [text: string, mistake: RegExp | null])[] = [
  [`{"a": [1, -2.5e3, "x\\u00e9\\"", true, null, {}, []]}`, null],
  ["  {}\n", null],
  ["", /^Enter the body/],
  ["[1]", /must be a JSON object/],
  [`"text"`, /must be a JSON object/],
  ["null", /must be a JSON object/],
  [`{\n  "a": 1,\n  "b": tru\n}`, /line 3, column 8\./],
  [`{\n  "a": 1\n  "b": 2\n}`, /line 3, column 3\./],
  [`{"a": 1,}`, /line 1, column 9\./],
  [`{"a": [1, 2,]}`, /line 1, column 13\./],
  [`{"a": "one\ntwo"}`, /line 1, column 7\./],
  [`{"a": 1]`, /line 1, column 8\./],
  [`{"a": 1}\n}`, /line 2, column 1\./],
  [`{\n"a": 1\n`, /line 3, column 1\./],
  [`{a: 1}`, /line 1, column 2\./],
  [`{"a": 01}`, /line 1, column 8\./],
];

for (const [text, mistake] of TEXTS) {
  test(`the mistake in ${JSON.stringify(text)}`, () => {
    const found = findJsonMistake(text);
    if (mistake === null) assert.equal(found, null);
    else assert.match(found ?? "nothing", mistake);
  });
}

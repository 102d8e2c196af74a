import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { splitFieldValues, toLikePattern } from "./field-values.ts";

/** `field=value`, with a star where it may go on, and what is left. */
const ROWS: readonly [text: string, values: readonly string[], rest: string][] = [
  ["utm_source:google", ["utm_source=google"], ""],
  ["jane utm_source:Google acme", ["utm_source=google"], "jane acme"],
  ['city:"New York" order_no:47*', ["city=new york", "order_no=47*"], ""],
  ['name:"Pro"*', ["name=pro*"], ""],
  ["lead.email:Jane@acme.example", ["lead.email=jane@acme.example"], ""],
  ["sku:a:b", ["sku=a:b"], ""],
  ["https://acme.example/x", [], "https://acme.example/x"],
  ["10:30 visitor: hello", [], "10:30 visitor: hello"],
  ["city: Berlin", [], "city: Berlin"],
  ['a"b:c', [], 'a"b:c'],
  ["über:x", [], "über:x"],
];

describe("values of fields in a search", () => {
  for (const [text, expected, rest] of ROWS) {
    test(`reads ${text}`, () => {
      const split = splitFieldValues(text);
      assert.deepEqual(
        split.values.map(({ field, value, isBeginning }) => `${field}=${value}${isBeginning ? "*" : ""}`),
        expected,
      );
      assert.equal(split.rest.split(/\s+/).filter(Boolean).join(" "), rest);
    });
  }

  test("no sign of a pattern comes from what is typed, and none is longer than it needs", () => {
    const patternOf = (text: string) => splitFieldValues(text).values.map(toLikePattern)[0];
    assert.equal(patternOf("a.City:50%_off'"), '%"city"%off%');
    assert.equal(patternOf("city:Łódź"), '%"city"%d%');
    assert.equal(patternOf(`city:${"x".repeat(100)}`), `%"city"%${"x".repeat(32)}%`);
  });

  test("200 letters are read at once, whatever they are", () => {
    const startedMs = performance.now();
    for (const text of ["a.".repeat(100), "a:".repeat(100), "a-".repeat(99) + ":", ' a:"'.repeat(50)])
      splitFieldValues(text);
    assert.ok(performance.now() - startedMs < 50);
  });
});

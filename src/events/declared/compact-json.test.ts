import assert from "node:assert/strict";
import { describe, test } from "node:test";
import fc from "fast-check";
import { compactJson } from "./compact-json.ts";

const compact = (text: string): string => compactJson(text, JSON.parse(text));

describe("the text of a record without white space", () => {
  const cases: readonly (readonly [name: string, text: string, compacted: string])[] = [
    ["between parts", ' {\r\n\t"b" : [ 1 , 2 ] , "a" : { } }\n', '{"b":[1,2],"a":{}}'],
    ["and not in strings", '{"a b": " x  y "}', '{"a b":" x  y "}'],
    ["with names that are numbers in their order", '{"2": 1, "1": 2}', '{"2":1,"1":2}'],
    [
      "with digits as written",
      '{"a": 12345678901234567890, "b": 1.50, "c": -0, "d": 1E+2}',
      '{"a":12345678901234567890,"b":1.50,"c":-0,"d":1E+2}',
    ],
    [
      "with escapes as written",
      String.raw`{"a": "\u00e9\/\"\\", "b\"": "\\\\"}`,
      String.raw`{"a":"\u00e9\/\"\\","b\"":"\\\\"}`,
    ],
    [
      "with the last of a name that is there twice",
      String.raw`{"a": 1, "b": 2, "\u0061": {"x": 1, "x": 2}}`,
      String.raw`{"b":2,"\u0061":{"x":2}}`,
    ],
    ["of nothing", "{ }", "{}"],
    ["with constants", '[ true , false , null , "" ]', '[true,false,null,""]'],
  ];
  for (const [name, text, compacted] of cases) {
    test(name, () => assert.equal(compact(text), compacted));
  }

  test("is what JSON.stringify writes, for every value that it writes with other spaces", () => {
    const spaces = fc.constantFrom<(number | string)[]>(0, 1, 2, "\t", " \n\r");
    fc.assert(
      fc.property(fc.jsonValue(), spaces, (value, space) => {
        const plain = JSON.stringify(value);
        assert.equal(compact(JSON.stringify(JSON.parse(plain), null, space)), plain);
      }),
    );
  });

  test("takes a string of a megabyte with escapes", () => {
    const text = `{"a": ${JSON.stringify('"\\'.repeat(250_000))}}`;
    assert.equal(compact(text), text.replace(": ", ":"));
  });
});

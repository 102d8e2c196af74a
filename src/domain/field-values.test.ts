import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { foldValue, isSameNumber, splitFieldValues, toLikePattern } from "./field-values.ts";

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
    assert.equal(patternOf("a.City:50%_off'"), '%city"%50%o%');
    assert.equal(patternOf("city:Łódź"), '%city"%d%');
    assert.equal(patternOf(`city:${"x".repeat(100)}`), `%city"%${"x".repeat(32)}%`);
    assert.equal(patternOf("price:5.00"), '%price"%5%');
    assert.equal(patternOf("price:20.50"), '%price"%20%5%');
  });

  const FOLDED: readonly (readonly [one: string, other: string])[] = [
    ["KADİR", "kadir"],
    ["KADİR", "KADIR"],
    ["kadır", "Kadir"],
    ["Straße", "STRASSE"],
    ["ΟΔΟΣ", "οδος"],
    ["Cafe\u0301", "CAFÉ"],
    ["oﬃce", "Office"],
  ];
  for (const [one, other] of FOLDED) test(`${one} is ${other}`, () => assert.equal(foldValue(one), foldValue(other)));

  const NUMBERS: readonly (readonly [one: string, other: string, same: boolean])[] = [
    ["5.00", "5", true],
    ["20.5", "20.50", true],
    ["-3", "-3.0", true],
    ["9007199254740993", "9007199254740992", false],
    ["0.1", "0.10000000000000000001", false],
    ["007", "7", false],
    ["5.00", "50", false],
  ];
  for (const [one, other, same] of NUMBERS) {
    test(`${one} is ${same ? "" : "not "}${other}`, () => assert.equal(isSameNumber(one, other), same));
  }

  /** As both databases compare: ASCII letters alone are folded. */
  const isLike = (body: string, pattern: string): boolean =>
    new RegExp(`^${pattern.replaceAll("%", "[^]*").replaceAll("_", "[^]")}$`).test(
      body.replaceAll(/[A-Z]+/g, (letters) => letters.toLowerCase()),
    );

  test("every text that is the same fits the pattern, whichever of its letters is whichever of Unicode's", () => {
    for (let code = 0x20; code <= 0x1_ff_ff; code += 1) {
      const letter = String.fromCodePoint(code);
      if (/[\p{Cs}\p{Cn}]/u.test(letter)) continue;
      for (const text of [`ae${letter}or`, letter, `s${letter}`, `f${letter}f`]) {
        const value = foldValue(text);
        const pattern = toLikePattern({ field: "name", value, isBeginning: false });
        assert.ok(isLike(`{"name":"${text}"}`, pattern), `U+${code.toString(16)}: ${text} and ${pattern}`);
        for (let end = 1; end < value.length; end += 1) {
          const begun = toLikePattern({ field: "name", value: value.slice(0, end), isBeginning: true });
          assert.ok(isLike(`{"name":"${text}"}`, begun), `U+${code.toString(16)}: ${text} and ${begun}`);
        }
      }
    }
  });

  test("200 letters are read at once, whatever they are", () => {
    const startedMs = performance.now();
    for (const text of ["a.".repeat(100), "a:".repeat(100), "a-".repeat(99) + ":", ' a:"'.repeat(50)])
      splitFieldValues(text);
    assert.ok(performance.now() - startedMs < 50);
  });
});

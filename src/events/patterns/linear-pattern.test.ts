import assert from "node:assert/strict";
import { describe, test } from "node:test";
import fc from "fast-check";
import { Steps } from "../../lib/steps.ts";
import { linearPattern } from "./linear-pattern.ts";
import { isMatch, takenPatterns, texts } from "./patterns.kit.ts";
import { readPattern } from "./read-pattern.ts";

/** More than any of these needs, but one. */
const STEPS_MAX = 50_000;

function match(source: string, text: string): { readonly isMatch: boolean; readonly steps: number } {
  const steps = new Steps(STEPS_MAX);
  const found = linearPattern(source).test(text, steps);
  return { isMatch: found, steps: STEPS_MAX - steps.left };
}

describe("a linear pattern", () => {
  test("finds what ECMAScript finds", () => {
    const seen = { found: 0, missed: 0 };
    const some = fc.array(texts, { minLength: 10, maxLength: 20 });
    fc.assert(
      fc.property(takenPatterns, some, (source, list) => {
        for (const text of list) {
          const expected = isMatch(source, text);
          seen[expected ? "found" : "missed"] += 1;
          assert.equal(match(source, text).isMatch, expected, JSON.stringify([source, text]));
        }
      }),
      // One seed, as in the long test: V8 itself is wrong on some patterns.
      { numRuns: 400, seed: 43 },
    );
    assert.ok(seen.found > 500 && seen.missed > 500, JSON.stringify(seen));
  });

  const odd: readonly (readonly [source: string, text: string, isMatch: boolean])[] = [
    ["^\\s$", "\u00a0", true],
    ["^.$", "\u2028", false],
    ["^.$", "😀", true],
    ["^[^]$", "\n", true],
    ["[]", "a", false],
    ["(?!)", "", false],
    ["^[[:alpha:]$", ":", true],
    ["^a{2,}?$", "aaa", true],
    ["^a{1001}$", "a".repeat(1001), true],
    ["^\\u{1F600}\\ud83d\\ude00$", "😀😀", true],
    ["^\\p{Script=Greek}+$", "λόγος", true],
    ["^(?<year>\\d{4})-\\d\\d$", "2026-11", true],
    ["\\bb\\B", "a bc", true],
    ["a$", "a\n", false],
    ["", "", true],
  ];
  for (const [source, text, expected] of odd) {
    test(`${expected ? "finds" : "does not find"} /${source}/u in ${JSON.stringify(text.slice(0, 8))}`, () => {
      assert.deepEqual([match(source, text).isMatch, new RegExp(source, "u").test(text)], [expected, expected]);
    });
  }

  // Each takes `RegExp` seconds.
  const slow: readonly (readonly [source: string, text: (length: number) => string])[] = [
    ["^(\\w+\\s?)*$", (length) => `${"a".repeat(length)}!`],
    ["^(([a-z0-9])+-?)+$", (length) => `${"a".repeat(length)}!`],
    [
      "^([a-zA-Z0-9])(([.-]|_+)?([a-zA-Z0-9]+))*@[a-z0-9]+[.](([a-z]{2,3})|([a-z]{2,3}[.][a-z]{2,3}))$",
      (length) => "a".repeat(length),
    ],
    ["\\s+$", (length) => `${" ".repeat(length)}x`],
  ];
  for (const [source, textOf] of slow) {
    test(`takes four times the steps for four times the text: ${source}`, () => {
      const [one, four] = [match(source, textOf(15_000)), match(source, textOf(60_000))];
      assert.deepEqual([one.isMatch, four.isMatch], [false, false]);
      assert.ok(four.steps <= 5 * one.steps && four.steps < 4_000, JSON.stringify([one, four]));
    });
  }

  test("ends when its work is spent, whatever the pattern", () => {
    const text = Array.from({ length: 1 << 18 }, (_, index) => "ab"[((index * 2_654_435_761) >>> 16) % 2]).join("");
    assert.equal(match("^.*a.{1,255}a.{1,255}$", text).steps > STEPS_MAX, true);
    assert.equal(match("^[ab]*$", text).isMatch, true, "others of that size need little");
  });

  const refused: readonly (readonly [source: string, why: RegExp])[] = [
    ["(?=a)", /its \(\?= looks around: demands that hold together stand in allOf/],
    ["(?<!a)b", /its \(\?<! looks around/],
    ["(a)\\1", /its \\1 refers back/],
    ["(?<a>b)\\k<a>", /its \\k<a> refers back/],
    ["(?i:a)", /its \(\?i: changes its flags within: write both cases, such as \[Aa\]/],
    ["a{1,65535}", /is too large: with its repeats written out it has 131072 steps, and at most 10000 may be/],
    ["(?:(?:a{100}){100}){100}", /is too large/],
    [`${"(".repeat(101)}${")".repeat(101)}`, /has groups in more than 100 levels/],
  ];
  for (const [source, why] of refused) {
    test(`is refused with its reason: ${source.slice(0, 30)}`, () => {
      const read = readPattern(source);
      assert.ok(!read.ok);
      assert.match(read.error, why);
    });
  }
});

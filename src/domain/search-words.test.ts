import assert from "node:assert/strict";
import { describe, test } from "node:test";
import fc from "fast-check";
import { findPhrases, parsePhrases, toWords } from "./search-words.ts";

describe("words of a text", () => {
  const ROWS: readonly [string, string, string][] = [
    ["an address is its parts", "Jane.Doe@acme.example", "jane doe acme example"],
    ["umlauts and accents count as their letters", "Müller Crème BRÛLÉE İstanbul", "muller creme brulee istanbul"],
    ["so do letters that cannot be taken apart", "Straße Łódź Æon Ørsted", "strasse lodz aeon orsted"],
    ["composed or not, it is the same", "Mu\u0308ller", "muller"],
    ["digits are words", "Q3/2026: 40 seats", "q3 2026 40 seats"],
    ["other scripts", "Привет Κόσμε", "привет κοσμε"],
    ["a long vowel does not join what is behind it", "ユーザーID サーバーURL", "ユ ー サ ー id サ ー ハ ー url"],
    ["a soft hyphen stands within a word", "Donau\u00addampf\u2060schiff", "donaudampfschiff"],
    ["a lengthened Arabic word", "كتابـــة", "كتابة"],
    ["other scripts without spaces", "ꦲꦏ꧀ꦱ ꀀꀁ ᥖᥭ ㄅㄆ", "ꦲ ꦏ ꦱ ꀀ ꀁ ᥖ ᥭ ㄅ ㄆ"],
    ["scripts without spaces give single characters", "東京タワー", "東 京 タ ワ ー"],
    ["a sigma is one letter, wherever it stands", "ΟΔΟΣ οδος οδοσ ΚΟΣ", "οδοσ οδοσ οδοσ κοσ"],
    [
      "capitals are their small letters",
      "STRASSE STRA\u1e9eE stra\u00dfe I\u0131\u0130 \u212a \ufb01n",
      "strasse strasse strasse iii k fin",
    ],
    ["half width letters", "ｶﾞ ﾊﾟ", "カ ハ"],
    ["Thai, Lao, Khmer and Myanmar", "ไทย ລາວ ខ្មែរ မြန်မာ", "ไ ท ย ລ າ ວ ខ ម រ မ န မ"],
    ["full width letters", "ＡＢＣ", "abc"],
    ["nothing", "—…!? 👍", ""],
  ];
  for (const [what, text, words] of ROWS) test(what, () => assert.equal(toWords(text).join(" "), words));

  test("a very long one is cut", () => assert.equal(toWords("x".repeat(9_000))[0]?.length, 64));

  test("are found again by any beginning of themselves", () => {
    fc.assert(
      fc.property(fc.string({ unit: "grapheme" }), fc.nat(), (text, place) => {
        const words = toWords(text);
        const word = words[place % Math.max(1, words.length)];
        if (word === undefined) return;
        const beginning = Array.from(word).slice(0, 3).join("");
        assert.ok(findPhrases(text, [[beginning]]).length > 0, `"${beginning}" in "${text}"`);
      }),
    );
  });
});

describe("a query", () => {
  const find = (text: string, query: string) =>
    findPhrases(text, parsePhrases(query)).map(([from, to]) => text.slice(from, to));

  test("finds words by their beginning, and marks them whole", () => {
    assert.deepEqual(find("Janet and Jané, not Ejan", "jan"), ["Janet", "Jané"]);
  });

  test("finds an address whole, and not its parts apart from each other", () => {
    assert.deepEqual(find("Write to jane@acme.example, please", "Jane@acme.exa"), ["jane@acme.example"]);
    assert.deepEqual(find("jane of acme.example", "jane@acme.example"), []);
  });

  test("has a phrase for each part between spaces", () => {
    assert.deepEqual(parsePhrases("  Jane  pricing?! — "), [["jane"], ["pricing"]]);
    assert.deepEqual(find("pricing for Jane", "jane pric"), ["pricing", "Jane"]);
  });

  test("without a letter or digit is no query", () => assert.deepEqual(parsePhrases("?! %_"), []));
});

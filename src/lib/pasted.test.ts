/** Pastes and files: what came along with them is found, named with its place, and offered without it. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import fc from "fast-check";
import { takesNoTime } from "../../test/kit/world/takes-no-time.ts";
import { type PasteRules, findPasted, pasteFault } from "./pasted.ts";

const URL_RULES: PasteRules = { kind: "url" };
const KEY_RULES: PasteRules = { kind: "token", name: "BELLWIRE_API_KEY", isSecret: true };
const HEADER_RULES: PasteRules = { kind: "header", name: "X-Key" };

/** The Base64 of 24 bytes. */
const MADE = "MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";

/** Every character that Unicode calls ignorable, a blank, a control character or half a character, by its kind. */
const HIDDEN: readonly (readonly [character: string, name: string])[] = [
  ["\u200b", "a zero-width space (U+200B)"],
  ["\u200c", "an invisible joiner (U+200C)"],
  ["\u200d", "an invisible joiner (U+200D)"],
  ["\u2060", "an invisible joiner (U+2060)"],
  ["\ufeff", "a byte order mark (U+FEFF)"],
  ["\u200e", "an invisible direction mark (U+200E)"],
  ["\u202a", "an invisible direction mark (U+202A)"],
  ["\u202e", "an invisible direction mark (U+202E)"],
  ["\u2066", "an invisible direction mark (U+2066)"],
  ["\u2069", "an invisible direction mark (U+2069)"],
  ["\u00ad", "a soft hyphen (U+00AD)"],
  ["\u00a0", "a no-break space (U+00A0)"],
  ["\u2003", "a blank that is no ordinary space (U+2003)"],
  ["\u202f", "a blank that is no ordinary space (U+202F)"],
  ["\u205f", "a blank that is no ordinary space (U+205F)"],
  ["\u3000", "a blank that is no ordinary space (U+3000)"],
  ["\u1680", "a blank that is no ordinary space (U+1680)"],
  ["\u2028", "a line break (U+2028)"],
  ["\n", "a line break (U+000A)"],
  ["\u0007", "a control character (U+0007)"],
  ["\u007f", "a control character (U+007F)"],
  ["\ufe0f", "an invisible character (U+FE0F)"],
  ["\u{e0041}", "an invisible character (U+E0041)"],
  ["\u2800", "an invisible character (U+2800)"],
  ["\u3164", "an invisible character (U+3164)"],
  ["\ud800", "half a character (U+D800)"],
  ["\ufffd", "a character that could not be read (U+FFFD)"],
];

describe("an invisible character", () => {
  for (const [character, name] of HIDDEN) {
    test(`${name} is named with its place, in a URL, a key and a header`, () => {
      assert.equal(
        pasteFault(`https://exa${character}mple.com/`, URL_RULES),
        `has ${name} after "https://exa"; write https://example.com/`,
      );
      assert.equal(
        pasteFault(`abc${character}def`, KEY_RULES),
        `has ${name} as character 4 of ${`abc${character}def`.length}; enter it without that`,
      );
      assert.match(
        pasteFault(`Bearer${character} abc`, HEADER_RULES) ?? "",
        /^has .* after "Bearer"; write Bearer +abc$/,
      );
    });
  }

  test("is found wherever it stands, and nothing of it is left in what is offered", () => {
    const hidden = fc.constantFrom(...HIDDEN.map(([character]) => character));
    const visible = fc.stringMatching(/^[a-z0-9./:-]{1,12}$/);
    fc.assert(
      fc.property(fc.constantFrom(URL_RULES, KEY_RULES, HEADER_RULES), visible, hidden, visible, (rules, ...parts) => {
        const text = parts.join("");
        assert.equal(findPasted(findPasted(text, rules)?.value ?? text, rules), null);
      }),
    );
  });

  test("is named in its encoded form too, as an address bar writes it", () => {
    for (const [encoded, point] of [
      ["%E2%80%8B", "U+200B"],
      ["%c2%a0", "U+00A0"],
      ["%EF%BB%BF", "U+FEFF"],
      ["%E2%80%AA", "U+202A"],
      ["%0A", "U+000A"],
    ]) {
      const fault = pasteFault(`https://example.com/hook${encoded}`, URL_RULES);
      assert.match(
        fault ?? "",
        new RegExp(`\\(${point?.replace("+", "\\+")}\\).*as ${encoded}; write https://example.com/hook$`),
      );
    }
  });

  test("no space takes the place of one in a key, and one does in a header's value", () => {
    assert.equal(findPasted("Bearer\u00a0abc", HEADER_RULES)?.value, "Bearer abc");
    assert.equal(findPasted("abc\u00a0def", KEY_RULES)?.value, "abcdef");
  });
});

describe("text that is meant", () => {
  const MEANT: readonly (readonly [text: string, rules: PasteRules])[] = [
    ["https://example.com/می‌خواهم", URL_RULES],
    ["https://example.com/%D9%85%DB%8C%E2%80%8C%D8%AE", URL_RULES],
    ["https://example.com/❤️‍🔥", URL_RULES],
    ["https://example.com/a–b", URL_RULES],
    ["https://example.com./", URL_RULES],
    ["https://example.com/a%20b%2C", URL_RULES],
    ["https://example.com/(a)/'b'", URL_RULES],
    ["https://example.com/a?to=https://example.org/", URL_RULES],
    ["localhost:3000/a?to=https://example.org/", URL_RULES],
    ["https://bücher.example/ü", URL_RULES],
    ["Bearer abc==", HEADER_RULES],
    ["caffè\tlatte", HEADER_RULES],
    ["", HEADER_RULES],
    ["ABCDEF0123456789==", KEY_RULES],
    [`whsec_${MADE}`, KEY_RULES],
    [`bwk_${MADE}${"a".repeat(12)}`, KEY_RULES],
    ["zoë@bücher.example", { kind: "token" }],
    ["postgres://user:p–w@db.example/データ", { kind: "words" }],
    ["/srv/データ　置き場", { kind: "words" }],
  ];
  for (const [text, rules] of MEANT) {
    test(`${JSON.stringify(text)} passes`, () => assert.equal(findPasted(text, rules), null));
  }

  test("an ampersand from the source of a page is offered as one, and not refused", () => {
    const text = "https://example.com/in?a=1&amp;b=2";
    const value = "https://example.com/in?a=1&b=2";
    assert.deepEqual(findPasted(text, URL_RULES), { fault: 'has "&amp;" in place of "&"', value, isSure: false });
    assert.equal(pasteFault(text, URL_RULES), null);
  });

  test("quotes around a header's value are offered to be taken off, and not refused", () => {
    assert.deepEqual(findPasted('"33a64df5"', HEADER_RULES), {
      fault: "has quotes around it",
      value: "33a64df5",
      isSure: false,
    });
    assert.equal(pasteFault('"33a64df5"', HEADER_RULES), null);
  });
});

describe("what stands around a value", () => {
  const AROUND: readonly (readonly [text: string, rules: PasteRules, fault: string, value: string])[] = [
    ['"https://example.com/a"', URL_RULES, "has quotes around it", "https://example.com/a"],
    ["“https://example.com/a”", URL_RULES, "has quotes around it", "https://example.com/a"],
    ["„https://example.com/a“", URL_RULES, "has quotes around it", "https://example.com/a"],
    ["`https://example.com/a`", URL_RULES, "has quotes around it", "https://example.com/a"],
    ["<https://example.com/a>", URL_RULES, "has text around the address", "https://example.com/a"],
    ["[a](https://example.com/a)", URL_RULES, "has text around the address", "https://example.com/a"],
    [
      "[https://example.com/a](https://example.com/a)",
      URL_RULES,
      "has text around the address",
      "https://example.com/a",
    ],
    ["URL: https://example.com/a", URL_RULES, "has text around the address", "https://example.com/a"],
    ["curl -X POST 'https://example.com/a'", URL_RULES, "has text around the address", "https://example.com/a"],
    ["https://example.com/a,", URL_RULES, 'ends in ",", which no address does', "https://example.com/a"],
    ["https://example.com/a.", URL_RULES, 'ends in ".", which no address does', "https://example.com/a"],
    ["https://example.com/a>", URL_RULES, 'ends in ">", which no address does', "https://example.com/a"],
    [
      "https://example.com：8080/a",
      URL_RULES,
      'has "：" (U+FF1A) after "…ps://example.com", which only looks like ":"',
      "https://example.com:8080/a",
    ],
    [
      "https://my–site.example/a–b",
      URL_RULES,
      'has "–" (U+2013) after "https://my", which only looks like "-"',
      "https://my-site.example/a–b",
    ],
    ["X-Key: abc", HEADER_RULES, "begins with its own name, X-Key", "abc"],
    ["x-key=abc", HEADER_RULES, "begins with its own name, X-Key", "abc"],
    ["“abc”", HEADER_RULES, "has quotes around it", "abc"],
    ["Bearer Bearer abc", HEADER_RULES, 'has "Bearer" twice', "Bearer abc"],
    ["export BELLWIRE_API_KEY='abc'", KEY_RULES, "begins with its own name, BELLWIRE_API_KEY", "abc"],
    ["Bearer abc", KEY_RULES, 'begins with "Bearer"', "abc"],
    ['"abc"', KEY_RULES, "has quotes around it", "abc"],
    ["abc def", KEY_RULES, "has a space as character 4 of 7", "abcdef"],
    ["ab–c", KEY_RULES, 'has a character (U+2013) as character 3 of 4, which only looks like "-"', "ab-c"],
    ["whsec_ab\r\n  cd", KEY_RULES, "has a line break (U+000D) as character 9 of 14", "whsec_abcd"],
    [`<whsec_${MADE}>`, KEY_RULES, "has text around the secret", `whsec_${MADE}`],
    [`whsec_${MADE}.`, KEY_RULES, "has text around the secret", `whsec_${MADE}`],
    [`「whsec_${MADE}」`, KEY_RULES, "has quotes around it", `whsec_${MADE}`],
    [`whs\u0435c_${MADE}`, KEY_RULES, "has a character that no key has (U+0435) as character 4 of 38", `whsc_${MADE}`],
    [`[key](bwk_${MADE}${"a".repeat(11)})`, KEY_RULES, "has text around the secret", `bwk_${MADE}${"a".repeat(11)}`],
    ["\uff02abc\uff02", KEY_RULES, "has quotes around it", "abc"],
    ["`abc`", HEADER_RULES, "has quotes around it", "abc"],
    [
      "smtp://user:p–w@mail–1.example:587",
      { kind: "words" },
      'has "–" (U+2013) after "…://user:p–w@mail", which only looks like "-"',
      "smtp://user:p–w@mail-1.example:587",
    ],
    [
      "postgres://db．example/bellwire",
      { kind: "words" },
      'has "．" (U+FF0E) after "postgres://db", which only looks like "."',
      "postgres://db.example/bellwire",
    ],
    ["whsec_ab-c_", KEY_RULES, "is in the URL's variant of Base64, with - and _ in place of + and /", "whsec_ab+c/"],
  ];
  for (const [text, rules, fault, value] of AROUND) {
    test(`${JSON.stringify(text)} as ${rules.kind}`, () => {
      assert.deepEqual(findPasted(text, rules), { fault, value, isSure: true });
    });
  }
});

test("no message about a secret shows a part of it", () => {
  for (const [character] of HIDDEN) {
    const fault = pasteFault(`topsecret${character}value`, { kind: "words", isSecret: true }) ?? "";
    assert.doesNotMatch(fault, /topsecret|value/);
  }
});

test("a long text of nothing but what comes along takes no time", () => {
  const texts = [
    ...HIDDEN.map(([character]) => character.repeat(16_000)),
    `a${"\ufe0f".repeat(16_000)}`,
    '"'.repeat(16_000),
    "https://a/".repeat(1_600),
    `https://a/${",".repeat(16_000)}x`,
    `https://a/${".".repeat(16_000)}x`,
    `https://a/${"%E2".repeat(5_000)}`,
    `${" ".repeat(16_000)}x`,
  ];
  for (const rules of [URL_RULES, KEY_RULES, HEADER_RULES]) {
    for (const text of texts)
      assert.ok(
        takesNoTime(() => findPasted(text, rules)),
        `${rules.kind} ${text.slice(0, 20)}`,
      );
  }
});

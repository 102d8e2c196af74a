import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { joinObjects, mayLoseDigits, parseExactJson, parseJson, withoutLoneSurrogates } from "./exact-json.ts";

/** The family's own way with a text: the exact one only when the quick look asks for it. */
const throughBody = (text: string): string =>
  JSON.stringify(mayLoseDigits(text) ? parseExactJson(text) : JSON.parse(text));

const CHANGED_BY_FLOATS = [
  "9007199254740993",
  "-9007199254740993",
  "12345678901234567890",
  "100000000000000000000000",
  "0.12345678901234567890",
  "1e400",
  "-1E+400",
  "1e5",
  "1e-5",
  "0.0000001",
  "1.0",
  "1.50",
  "-0",
  "-0.0",
  "0.0",
];

for (const number of CHANGED_BY_FLOATS) {
  test(`keeps ${number} as written, in an object, a list and nested`, () => {
    for (const text of [`{"a":${number}}`, `{"a":[${number},${number}]}`, `{"a":{"b":[[${number}]]}}`]) {
      assert.notEqual(JSON.stringify(JSON.parse(text)), text, "this case would prove nothing");
      assert.equal(throughBody(text), text);
    }
    assert.equal(throughBody(`{"a" :\n\t[ 1 , ${number}\n] }`), `{"a":[1,${number}]}`);
  });
}

const number = fc
  .tuple(
    fc.constantFrom("", "-"),
    fc.stringMatching(/^(0|[1-9]\d{0,24})$/),
    fc.oneof(fc.constant(""), fc.stringMatching(/^\.\d{1,25}$/)),
    fc.oneof(
      { weight: 3, arbitrary: fc.constant("") },
      { weight: 1, arbitrary: fc.stringMatching(/^[eE][+-]?\d{1,3}$/) },
    ),
  )
  .map((parts) => parts.join(""));

test("gives every number back with the digits it came with", () => {
  const text = fc.array(number, { minLength: 1, maxLength: 4 }).map((numbers) => `{"a":[${numbers.join(",")}]}`);
  fc.assert(
    fc.property(text, (json) => assert.equal(throughBody(json), json)),
    { numRuns: 5_000 },
  );
});

test("takes the quick way for ordinary records", () => {
  const ordinary = [
    '{"id":"5b0f6c1e-4d0a-4c53-9a41-2f4f0a7f6d11","n":1,"m":72.5,"k":-3,"big":1795176000000}',
    '{"at":"2026-11-20T12:00:00.000+00:00","list":[0,10,100,0.001,123456789012345]}',
    '{"note":"rooms 10, 20 and 3.5, all of them: 40"}',
  ];
  for (const text of ordinary) assert.equal(mayLoseDigits(text), false, text);
});

test("keeps keys that objects of JavaScript treat in a special way", () => {
  const text = '{"__proto__":{"a":9007199254740993},"constructor":1.0,"toString":[1.0]}';
  assert.equal(throughBody(text), text);
  assert.equal(({} as Record<string, unknown>)["a"], undefined);
});

test("writes lone surrogates as escapes, so that the text stays valid UTF-8", () => {
  const anyString = fc.string({ unit: fc.integer({ min: 0, max: 0xffff }).map((unit) => String.fromCharCode(unit)) });
  fc.assert(
    fc.property(anyString, (value) => {
      const text = throughBody(JSON.stringify({ value, exact: 1 }).replace('"exact":1', '"exact":1.0'));
      assert.ok(text.isWellFormed());
      assert.equal((JSON.parse(Buffer.from(text).toString()) as { value: string }).value, value);
    }),
  );
  assert.equal(throughBody('{"a":"\\ud800","b":1.0}'), '{"a":"\\ud800","b":1.0}');
});

const BROKEN: [text: string, detail: RegExp][] = [
  ["", /^The text is empty/],
  [" \n", /^The text is empty/],
  ['{"a":1', /ends too early, after 6 characters\.$/],
  ['{"a":1,}', /line 1, column 8 \(position 7\)/],
  ["{'a':1}", /line 1, column 2 \(position 1\)/],
  ['{"a":1}\n{"b":2}', /line 2, column 1 \(position 8\)/],
  ['{"a":', /ends too early, after 5 characters\.$/],
  ["[", /ends too early, after 1 character\.$/],
  ['{"a":NaN}', /not valid JSON/],
];

for (const [text, detail] of BROKEN) {
  test(`refuses ${JSON.stringify(text)} as invalid_json`, () => {
    const parsed = parseJson(text);
    assert.ok(!parsed.ok);
    assert.equal(parsed.error.code, "invalid_json");
    assert.match(parsed.error.detail, detail);
  });
}

test("does not quote the text it refuses", () => {
  for (const text of ['{"email": ada@example.com}', '{"email":"ada@example.com" x}', "ada@example.com"]) {
    const parsed = parseJson(text);
    assert.ok(!parsed.ok);
    assert.doesNotMatch(parsed.error.detail, /ada|example/);
  }
});

test("joins objects in order and leaves out empty ones", () => {
  assert.equal(joinObjects('{"a":1}', "{}", '{"7":2,"b":3}'), '{"a":1,"7":2,"b":3}');
  assert.equal(joinObjects("{}", "{}"), "{}");
});

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

/** Templates as owners write them: what is refused, in which words, and what is only pointed out. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { eventType } from "../../test/kit/event-type.ts";
import { LIMITS } from "../domain/limits.ts";
import type { FieldError } from "../domain/problem.ts";
import { withProperties } from "../events/declared/declared.kit.ts";
import { checkTemplate, parseTemplate } from "./template.ts";

function messagesOf(errors: readonly FieldError[]): string[] {
  for (const { path } of errors) assert.equal(path, "template");
  return errors.map(({ message }) => message);
}

function findMistakes(template: string): string[] {
  const parsed = parseTemplate(template);
  return parsed.ok ? [] : messagesOf(parsed.error);
}

const REFUSED: readonly (readonly [template: string, ...mistakes: (string | RegExp)[]])[] = [
  ["", "is empty; a JSON object is needed"],
  ["[1]", "must be a JSON object: begin it with { and end it with }"],
  ['"{{lead}}"', "must be a JSON object: begin it with { and end it with }"],
  ["null", "must be a JSON object: begin it with { and end it with }"],
  ['{\n  "a": 1,\n}', /^is not valid JSON: line 3, column 1 .* no comma stands before \}$/],
  ['{\n  "a": {{lead.email}}\n}', /^has a mistake in line 2: a placeholder stands in quotes/],
  ['{"a": [{{ lead }}]}', /^has a mistake in line 1: a placeholder stands in quotes/],
  ['{"a": "x, {{lead}}", b}', /^is not valid JSON: .* names and strings stand in double quotes$/],
  ['{\n"a": "{{lead.email"}', "has a mistake in line 2: {{lead.email has no end: write }} behind the name"],
  ['{"a": "{{lead.email}"}', "has a mistake in line 1: {{lead.email} has no end: write }} behind the name"],
  ['{"a": "{{ lead {{name}}"}', /line 1: \{\{ lead \{\{name has another placeholder inside: write \}\} first$/],
  ['{"a": "{{lead|{{name}}"}', /line 1: \{\{lead\|\{\{name has another placeholder inside/],
  ['{"a": "{{}}"}', "has a mistake in line 1: {{}} has no name: write a field's, as {{lead.email}}"],
  ['{"a": "{{ | x }}"}', /line 1: \{\{ \| x \}\} has no name/],
  ['{"{{a}}": 1}', "has a mistake in line 1: {{a}} is a name, which takes no placeholder"],
  [String.raw`{"\u007b{a}}" : 1}`, "has a mistake in line 1: {{a}} is a name, which takes no placeholder"],
  ['{"a": {"x{{": 1}}', "has a mistake in line 1: x{{ is a name, which takes no placeholder"],
  [
    `{"a": "{{${"x".repeat(100)}"}`,
    `has a mistake in line 1: {{${"x".repeat(38)}… has no end: write }} behind the name`,
  ],
  ['{\n"a": "{{}}",\n\n"b": "{{b",\n"{{c}}": 0}', /line 2: /, /line 4: /, /line 5: /],
];
for (const [template, ...mistakes] of REFUSED) {
  test(`${JSON.stringify(template).slice(0, 60)} is refused in words`, () => {
    const found = findMistakes(template);
    assert.equal(found.length, mistakes.length, found.join("\n"));
    for (const [n, mistake] of mistakes.entries()) {
      if (typeof mistake === "string") assert.equal(found[n], mistake);
      else assert.match(found[n] ?? "", mistake);
    }
  });
}

test("the first ten of many mistakes are said", () => {
  const many = Object.fromEntries(Array.from({ length: 11 }, (_, n) => [`a${n}`, "{{"]));
  assert.equal(findMistakes(JSON.stringify(many)).length, 10);
});

describe("limits", () => {
  const { templateBytesMax, templatePlaceholdersMax, templateLevelsMax, conditionFieldCharsMax } = LIMITS;
  const ofBytes = (bytes: number): string => JSON.stringify({ é: "x".repeat(bytes - '{"é":""}'.length - 1) });
  const placeholders = (count: number): string => JSON.stringify({ a: "{{lead}}".repeat(count) });
  const levels = (count: number): string => `${'{"a":'.repeat(count)}0${"}".repeat(count)}`;
  const ofPath = (chars: number): string => JSON.stringify({ a: `{{ ${"x".repeat(chars)} | nothing }}` });
  const CASES: readonly (readonly [of: (size: number) => string, max: number, message: RegExp])[] = [
    [ofBytes, templateBytesMax, /^has 16385 bytes, and at most 16384 are taken$/],
    [placeholders, templatePlaceholdersMax, /^has 201 placeholders, and at most 200 are taken$/],
    [levels, templateLevelsMax, /^has more than 32 levels of objects and lists$/],
    [ofPath, conditionFieldCharsMax, /^has a mistake in line 1: \{\{ x{37}… has more than 300 characters$/],
  ];
  for (const [of, max, message] of CASES) {
    test(`${message.source.replaceAll("\\", "")} is said above ${max}, and not at it and below`, () => {
      assert.deepEqual([findMistakes(of(max - 1)), findMistakes(of(max))], [[], []]);
      assert.match(findMistakes(of(max + 1))[0] ?? "", message);
    });
  }

  test("a text of brackets alone is refused without a walk", () => {
    assert.match(findMistakes(`{"a":${"[".repeat(8_000)}${"]".repeat(8_000)}}`)[0] ?? "", /more than 32 levels/);
    assert.match(findMistakes("[".repeat(16_384))[0] ?? "", /^is not valid JSON/);
  });
});

const items = {
  type: "array",
  items: {
    type: "object",
    properties: { sku: { type: "string" }, sizes: { type: "array", items: { type: "integer" } } },
  },
} as const;
const ORDER = withProperties({ items, lead: { type: "object", properties: { email: { type: "string" } } } });
const DEMO = eventType("demo_viewed");

const POINTED_OUT: readonly (readonly [path: string, fault: string | null])[] = [
  ["id", null],
  ["items", null],
  ["items[].sku", null],
  ["items.0.sku", null],
  ["items.12", null],
  ["items.0.sizes.3", null],
  ["lead.email", null],
  ["lead.emial", "which is none of the payload of thing_happened: did you mean lead.email?"],
  ["email", "which is none of the payload of thing_happened: did you mean lead.email?"],
  ["items.0.skus", "which is none of the payload of thing_happened: did you mean items[].sku?"],
  ["#if lead", "which is none of the payload of thing_happened"],
  ["utm_params.utm_source", "which is none of the payload of thing_happened"],
  ["payload", null],
  ["webhook_id", null],
  ["accepted_at", null],
  ["payload.id", "which is none of the payload of thing_happened: did you mean id?"],
];
for (const [path, fault] of POINTED_OUT) {
  test(`{{${path}}} is ${fault === null ? "taken without a word" : "pointed out"}`, () => {
    const checked = checkTemplate([ORDER], `{\n"a": ["x", "{{ ${path} | none }}"]}`);
    assert.ok(checked.ok);
    assert.deepEqual(messagesOf(checked.value), fault === null ? [] : [`has in line 2 {{${path}}}, ${fault}`]);
  });
}

test("what one of the wanted types has is not pointed out, and each other is in its line", () => {
  const template =
    '{\n"a": "{{lead.email}} {{utm_params.utm_source}}",\n"b": "{{nothing_of_both}}",\n"c": "{{utm_params.}}"}';
  const checked = checkTemplate([ORDER, DEMO], template);
  assert.ok(checked.ok);
  assert.deepEqual(messagesOf(checked.value), [
    "has in line 3 {{nothing_of_both}}, which is none of the payload of thing_happened or demo_viewed",
    "has in line 4 {{utm_params.}}, which needs a name behind utm_params, such as utm_params.utm_source",
  ]);
});

test("the first ten of many are pointed out", () => {
  const names = Array.from({ length: 11 }, (_, n) => `{{nothing_${n}}}`);
  const checked = checkTemplate([ORDER], JSON.stringify({ a: names.join("") }));
  assert.deepEqual(checked.ok && checked.value.length, 10);
});

test("a name that stands there often is pointed out once, where it stands first", () => {
  const checked = checkTemplate([ORDER], '{\n"a": "{{nothing}}",\n"b": "{{nothing}} {{nothing}}"}');
  assert.deepEqual(checked.ok && checked.value.map(({ message }) => message.slice(0, 13)), ["has in line 2"]);
});

test("a template that is refused is not looked through", () => {
  const checked = checkTemplate([ORDER], '{"a": "{{nothing}} {{b"}');
  assert.deepEqual(!checked.ok && messagesOf(checked.error).length, 1);
});

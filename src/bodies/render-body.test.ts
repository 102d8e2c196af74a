/** From a template and an event to the bytes that are sent. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { LIMITS } from "../domain/limits.ts";
import { type BodySource, bodyTextOf } from "./body-text.ts";
import { renderBody } from "./render-body.ts";

const toSource = (body: string): BodySource => ({ body, webhookId: "dlv_1", acceptedAtMs: Date.UTC(2026, 10, 28) });

function render(template: string, body: string) {
  const text = bodyTextOf({ body: "template", template }, { eventType: undefined, name: "thing_happened" });
  assert.ok(text !== null);
  return renderBody(text, toSource(body));
}

function bodyOf(template: string, body: string): string {
  const rendered = render(template, body);
  assert.ok(rendered.ok, JSON.stringify(rendered));
  return rendered.value;
}

const BODY =
  '{"event":"thing_happened","lead":{"name":"Ada \\"L\\"","email":null,"title":""},' +
  '"items":[{"sku":"A"},{"sku":"B"}],"big":123456789012345678,"price":1.10,"new":false}';

/** Whatever was sent once is made the same for ever: a line of this table does not change. */
const MADE: readonly (readonly [template: string, body: string])[] = [
  ["{}", "{}"],
  ['{ "a" : [ 1.0 , -0, 1e400, true, null, {} ],\n\t"b": "c d" }', '{"a":[1.0,-0,1e400,true,null,{}],"b":"c d"}'],
  ['{"7":"b","a":1,"7x":"","__proto__":{"x":"{{new}}"}}', '{"7":"b","a":1,"7x":"","__proto__":{"x":false}}'],
  ['{"a":"{{event}}","b":"{{ event }}!"}', '{"a":"thing_happened","b":"thing_happened!"}'],
  [
    '{"a":"{{big}}","b":"{{price}}","c":"{{big}}/{{price}}"}',
    '{"a":123456789012345678,"b":1.10,"c":"123456789012345678/1.10"}',
  ],
  ['{"a":"{{lead.name}}","b":"Hi {{lead.name}}!"}', String.raw`{"a":"Ada \"L\"","b":"Hi Ada \"L\"!"}`],
  ['{"a":"{{lead.email}}","b":"<{{lead.email}}>","c":"{{none}}{{none}}"}', '{"a":null,"b":"<>","c":""}'],
  [
    '{"a":"{{lead.email|un\\"known}}","b":"<{{ none | un\\"known }}>"}',
    String.raw`{"a":"un\"known","b":"<un\"known>"}`,
  ],
  ['{"a":"{{lead.title|}}","b":"{{lead.title}}","c":"{{lead.title | x | y }}"}', '{"a":"","b":null,"c":"x | y"}'],
  ['{"a":"{{new|x}}","b":"{{new|x}}."}', '{"a":false,"b":"false."}'],
  [
    '{"a":"{{items[].sku}}","b":"skus: {{items[].sku}}","c":"{{items.1.sku}}"}',
    '{"a":["A","B"],"b":"skus: A, B","c":"B"}',
  ],
  ['{"a":"{{items}}","b":"{{items.0}}."}', String.raw`{"a":[{"sku":"A"},{"sku":"B"}],"b":"{\"sku\":\"A\"}."}`],
  ['{"a":"{{payload}}"}', `{"a":${BODY}}`],
  ['{"a":"{{payload}} {{webhook_id}}"}', `{"a":${JSON.stringify(`${BODY} dlv_1`)}}`],
  ['{"a":"{{webhook_id}}","b":"{{accepted_at}}"}', '{"a":"dlv_1","b":"2026-11-28T00:00:00.000Z"}'],
  ['{"a":"}} { {x} }} |"}', '{"a":"}} { {x} }} |"}'],
  [String.raw`{"a":"\u007b{event}} \n\u00e9 é"}`, String.raw`{"a":"thing_happened \n${"é é"}"}`],
  [String.raw`{"a":"\ud800 {{event}}","b\udfff":"\ud83d\ude00"}`, String.raw`{"a":"� thing_happened","b�":"😀"}`],
];
for (const [template, body] of MADE) {
  test(`${JSON.stringify(template).slice(0, 70)} makes ${body.slice(0, 50)}`, () => {
    assert.equal(bodyOf(template, BODY), body);
  });
}

test("white space in strings stays, and that between them is not sent", () => {
  assert.equal(bodyOf('{\r\n "a b" :\t" c  d "\n}', "{}"), '{"a b":" c  d "}');
});

const HOSTILE = [
  '"',
  "\\",
  '\\"',
  '","x":"',
  '"}',
  "{{lead.email}}",
  "{{",
  "}}",
  "|",
  "\u2028\u2029",
  "\u0000\u001f\n",
  "__proto__",
  "</script>",
  "😀",
  "null",
  '{"a":1}',
];
for (const text of HOSTILE) {
  test(`${JSON.stringify(text)} of a visitor stays in its string`, () => {
    const body = JSON.stringify({ text, list: [text, text], object: { [text]: text } });
    const template = '{"a":"{{text}}","b":"<{{text}}>","c":"{{list}}","d":"{{list}}.","e":"{{object}}","f":1}';
    const list = [text, text];
    assert.deepEqual(JSON.parse(bodyOf(template, body)), {
      a: text,
      b: `<${text}>`,
      c: list,
      d: `${text}, ${text}.`,
      e: JSON.parse(JSON.stringify({ [text]: text })),
      f: 1,
    });
  });
}

describe("limits", () => {
  const max = LIMITS.madeBodyBytesMax;
  const around = '{"a":""}'.length;
  const TEMPLATES = ['{"a":"{{text}}"}', '{"a":"{{text}}{{none}}"}', '{"a":"{{none}}{{list.0}}"}'];
  const CASES: readonly (readonly [what: string, unit: string, bytes: number])[] = [
    ["letters", "x", 1],
    ["letters of two bytes", "é", 2],
    ["signs of four bytes", "😀", 4],
    ["quotation marks, escaped", '"', 2],
  ];
  for (const [what, unit, bytes] of CASES) {
    test(`a body of ${what} has 256 KiB at most`, () => {
      const count = Math.floor((max - around) / bytes);
      const rest = "x".repeat(max - around - bytes * count);
      const bodyFor = (text: string): string => JSON.stringify({ text, list: [text] });
      for (const template of TEMPLATES) {
        for (const less of ["", rest.slice(0, -1)]) {
          assert.ok(render(template, bodyFor(unit.repeat(count - 1) + less)).ok, "below");
        }
        assert.equal(Buffer.byteLength(bodyOf(template, bodyFor(unit.repeat(count) + rest))), max, "at it");
        const above = render(template, bodyFor(`${unit.repeat(count)}${rest}x`));
        assert.deepEqual(above, {
          ok: false,
          error: { message: "The body would have more than 256 KiB with the values of this event." },
        });
      }
    });
  }

  test("a text of 1 MB is no body, whatever takes it", () => {
    const body = JSON.stringify({ text: "x".repeat(1_000_000), list: ["y".repeat(1_000_000)] });
    for (const path of ["text", "list", "list.0", "payload"]) {
      for (const template of [`{"a":"{{${path}}}"}`, `{"a":"-{{${path}}}"}`]) {
        assert.equal(render(template, body).ok, false, template);
      }
    }
  });

  test("many placeholders for a large value end at the first that does not fit", () => {
    const body = JSON.stringify({ text: "x".repeat(100_000) });
    assert.equal(render(`{"a":"${"{{text}}".repeat(2)}"}`, body).ok, true);
    assert.equal(render(`{"a":"${"{{text}}".repeat(200)}"}`, body).ok, false);
  });

  test("a template that goes through too many items is told so, although the result would be short", () => {
    const body = JSON.stringify({ list: Array.from({ length: 70_000 }, () => ({})) });
    const rendered = render('{"a":"{{list[].name}}"}', body);
    assert.match(rendered.ok ? "" : rendered.error.message, /^The body would take too much work: .* too many items/);
  });
});

for (const text of [
  '{"kind":"slack","version":1000,"recipe":{}}',
  '{"kind":"fax","version":1}',
  '{"kind":"template","template":"["}',
]) {
  test(`${text} of a newer version is not taken for another`, () => {
    const rendered = renderBody({ id: "", text }, toSource("{}"));
    assert.match(rendered.ok ? "" : rendered.error.message, /a newer version has written it\.$/);
  });
}

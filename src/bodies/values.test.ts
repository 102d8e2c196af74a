/** What a path finds in an event, as JSON and as a text. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import fc from "fast-check";
import { LIMITS } from "../domain/limits.ts";
import { findMembers } from "../events/payload.ts";
import { createValues, type Values } from "./values.ts";

const valuesOf = (body: string): Values =>
  createValues({ body, webhookId: "dlv_1", acceptedAtMs: Date.UTC(2026, 10, 28, 9, 30, 0, 7) });

const BODY = `{
  "event": "thing_happened",
  "lead": {"name": "Ada", "email": null, "title": "", "lead.name": "whole"},
  "a.b": {"c": "dotted"},
  "items": [{"sku": "A", "sizes": [{"cm": 1}, {"cm": 2}]}, {"sku": "B"}, null, "C"],
  "rows": [[{"x": 1}], [{"x": 2}, {"x": 3}]],
  "tags": ["red", "", null, ["green", ["blue"]], 7, true, {"a": 1}],
  "none": [],
  "no_items": {"list": []},
  "odd[]": {"x": 1},
  "big": 123456789012345678, "small": 1.10, "zero": -0, "wide": 1e400,
  "is_new": false,
  "__proto__": {"own": "yes"},
  "length": "a member",
  "payload": "shadowed", "webhook_id": "shadowed", "accepted_at": "shadowed"
}`;

const FOUND: readonly (readonly [path: string, json: string | null, text: string])[] = [
  ["event", '"thing_happened"', "thing_happened"],
  ["lead.name", '"Ada"', "Ada"],
  ["lead.email", null, ""],
  ["lead.title", null, ""],
  ["lead.phone", null, ""],
  ["lead.name.first", null, ""],
  ["lead.lead.name", '"whole"', "whole"],
  [
    "lead",
    '{"name":"Ada","email":null,"title":"","lead.name":"whole"}',
    '{"name":"Ada","email":null,"title":"","lead.name":"whole"}',
  ],
  ["a.b.c", '"dotted"', "dotted"],
  ["items.0.sku", '"A"', "A"],
  ["items.1", '{"sku":"B"}', '{"sku":"B"}'],
  ["items.3", '"C"', "C"],
  ["items.2", null, ""],
  ["items.4", null, ""],
  ["items.00", null, ""],
  ["items.-1", null, ""],
  ["items.length", null, ""],
  ["items.sku", null, ""],
  ["items[].sku", '["A","B"]', "A, B"],
  ["items[].sizes[].cm", "[1,2]", "1, 2"],
  ["items[].sizes.1.cm", "[2]", "2"],
  ["items[].none", "[]", ""],
  ["rows[][].x", "[1,2,3]", "1, 2, 3"],
  ["rows.1.0.x", "2", "2"],
  ["rows.1[].x", "[2,3]", "2, 3"],
  ["rows[].0.x", "[1,2]", "1, 2"],
  ["no_items.list[].sku", "[]", ""],
  ["missing[].sku", null, ""],
  ["lead[].sku", null, ""],
  ["odd[].x", "1", "1"],
  ["tags", '["red","",null,["green",["blue"]],7,true,{"a":1}]', 'red, green, blue, 7, true, {"a":1}'],
  ["none", "[]", ""],
  ["big", "123456789012345678", "123456789012345678"],
  ["small", "1.10", "1.10"],
  ["zero", "-0", "-0"],
  ["wide", "1e400", "1e400"],
  ["big.rawJSON", null, ""],
  ["is_new", "false", "false"],
  ["__proto__.own", '"yes"', "yes"],
  ["__proto__.toString", null, ""],
  ["toString", null, ""],
  ["constructor.name", null, ""],
  ["length", '"a member"', "a member"],
  ["payload", BODY, BODY],
  ["webhook_id", '"dlv_1"', "dlv_1"],
  ["accepted_at", '"2026-11-28T09:30:00.007Z"', "2026-11-28T09:30:00.007Z"],
];
for (const [path, json, text] of FOUND) {
  test(`${path} is ${json?.replaceAll(/\s+/g, " ").slice(0, 60) ?? "nothing"}`, () => {
    const values = valuesOf(BODY);
    assert.deepEqual([values.json(path), values.text(path), values.isSpent], [json, text, false]);
  });
}

const NAMES = ["a", "b", "a.b", "b[]", "c"];
const anyPath = fc
  .array(fc.constantFrom("a", "b", "c", "a[]", "b[]", "b[][]"), { minLength: 1, maxLength: 5 })
  .map((names) => names.join("."));
const anyBody = fc.letrec<{ value: unknown; object: object }>((tie) => ({
  object: fc.dictionary(fc.constantFrom(...NAMES), tie("value"), { maxKeys: 4, depthIdentifier: "body" }),
  value: fc.oneof(
    { depthIdentifier: "body", maxDepth: 5 },
    fc.constantFrom(1, "x", true),
    tie("object"),
    fc.array(tie("value"), { maxLength: 3, depthIdentifier: "body" }),
  ),
})).object;

test("a path finds what a condition finds by it", () => {
  let found = 0;
  fc.assert(
    fc.property(anyBody, anyPath, (body, path) => {
      const members = findMembers(body, path);
      if (members.length === 0) return;
      found += 1;
      const json = valuesOf(JSON.stringify(body)).json(path);
      const [member] = members;
      const isOne = members.length === 1 && JSON.stringify(member) === json;
      assert.ok(isOne || JSON.stringify(members) === json, `${json}, and conditions find ${JSON.stringify(members)}`);
    }),
    { seed: 46, numRuns: 20_000 },
  );
  assert.ok(found > 1_000, `${found} found something`);
});

describe("what is bounded", () => {
  const list = (count: number): string => JSON.stringify({ list: Array.from({ length: count }, () => ({ a: 1 })) });

  test("thousands of items of a list are read, and for a huge list no more than one body may take", () => {
    const [large, huge] = [valuesOf(list(30_000)), valuesOf(list(70_000))];
    assert.equal(large.json("list[].a")?.length, 60_001);
    assert.equal(large.isSpent, false);
    huge.json("list[].a");
    assert.equal(huge.isSpent, true);
  });

  test("all paths of a body share the work", () => {
    const values = valuesOf(list(10_000));
    for (let n = 0; n < 3; n += 1) values.json(`list[].a${n}`);
    assert.equal(values.isSpent, false);
    for (let n = 3; n < 10; n += 1) values.json(`list[].a${n}`);
    assert.equal(values.isSpent, true);
  });

  test("a list's text ends when it is longer than a body may be", () => {
    const texts = Array.from({ length: 1_000 }, () => "x".repeat(1_000));
    const { length } = valuesOf(JSON.stringify({ texts })).text("texts");
    assert.ok(length === LIMITS.madeBodyBytesMax + 1, `${length}`);
  });
});

test("a body that is not JSON has no values", () => {
  assert.deepEqual([valuesOf("").json("a"), valuesOf("{").text("a")], [null, ""]);
});

test("bodies that come in turns are not taken for each other", () => {
  const [one, two] = [valuesOf('{"a":1}'), valuesOf('{"a":2}')];
  assert.deepEqual([one.text("a"), two.text("a"), one.text("a")], ["1", "2", "1"]);
});

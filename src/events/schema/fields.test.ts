import assert from "node:assert/strict";
import { test } from "node:test";
import { listFields } from "./fields.ts";
import type { JsonSchema } from "./keywords.ts";

const tree: JsonSchema = { type: "object", properties: { name: {}, leaves: { type: "array", items: { $ref: "#" } } } };

/** What a schema of one member says, of it and of all below. */
const CASES: readonly (readonly [member: JsonSchema, fields: readonly string[]])[] = [
  [{ type: "string", format: "date-time" }, ["a: string (ISO 8601 time)"]],
  [{ type: ["string", "null"] }, ["a: string or null"]],
  [{ type: ["null", "integer", "string"] }, ["a: string, integer or null"]],
  [{ enum: ["x", 1, null] }, ['a: "x", 1 or null']],
  [{ enum: Array.from({ length: 20 }, (_, n) => n) }, ["a: 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11 or 8 others"]],
  [{ oneOf: [{ enum: ["x"] }, { type: "null" }] }, ['a: "x" or null']],
  [{ anyOf: [{ const: "x" }, { type: "string" }] }, ["a: string"]],
  [{}, ["a: any value, open"]],
  [false, ["a: nothing"]],
  [{ type: "array" }, ["a: array of any values"]],
  [{ type: "array", items: { type: "string", format: "uuid" } }, ["a: array of strings (UUID)"]],
  [{ type: "array", items: { enum: ["x", "y"] } }, ['a: array of "x" or "y"']],
  [
    { type: "array", items: { type: "array", items: { properties: { b: { type: "null" } } } } },
    ["a: array of arrays", "a[][].b: null"],
  ],
  [{ type: "array", items: { type: "object" } }, ["a: array of objects, open"]],
  [{ type: "object" }, ["a: object, open"]],
  [{ type: "object", properties: { b: { type: "boolean" } } }, ["a: object", "a.b: boolean"]],
  [
    { type: "object", properties: { b: true }, additionalProperties: true },
    ["a: object, open", "a.b: any value, open"],
  ],
  [{ type: "object", additionalProperties: false }, ["a: object"]],
  [{ type: "object", additionalProperties: { type: "string" } }, ["a: object, open"]],
  [{ type: "object", patternProperties: { "^x": true } }, ["a: object, open"]],
  [{ $ref: "#/$defs/loop" }, ["a: array of arrays, open"]],
];
for (const [member, expected] of CASES) {
  test(`${JSON.stringify(member)}: ${expected.join("; ")}`, () => {
    const $defs = { loop: { type: "array", items: { $ref: "#/$defs/loop" } } } as const;
    const fields = listFields({ type: "object", properties: { a: member }, $defs });
    const shown = fields.map(({ path, words, isOpen }) => `${path}: ${words}${isOpen ? ", open" : ""}`);
    assert.deepEqual(shown, expected);
  });
}

test("a schema that contains itself is told once, and more may stand below", () => {
  const fields = listFields(tree).map(({ path, isOpen }) => [path, isOpen]);
  assert.deepEqual(fields, [
    ["name", true],
    ["leaves", true],
  ]);
});

test("are read once: parts that lead to one another take up to a second", () => {
  const schema = { type: "object", properties: { a: tree } } as const;
  assert.equal(listFields(schema), listFields(schema));
});

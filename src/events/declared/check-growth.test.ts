import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { readReferences } from "../schema/references.ts";
import type { SchemaObject } from "../schema/keywords.ts";
import { findGrowth } from "./check-growth.ts";

const T = { $ref: "#/$defs/T" };

const find = (schema: unknown) => findGrowth(schema as SchemaObject, readReferences(schema as SchemaObject));
const withT = (schema: unknown, others: object = {}) => ({ properties: { tree: T }, $defs: { T: schema, ...others } });

const branch = (...parts: readonly unknown[]) =>
  Object.fromEntries(["if", "then", "else"].map((keyword, index) => [keyword, parts[index] ?? true]));

/** `d0` leads to `d1` as `link` says, and so on. */
function chain(link: (next: unknown) => unknown): unknown {
  const names = Array.from({ length: 30 }, (_, level) => [`d${level}`, link({ $ref: `#/$defs/d${level + 1}` })]);
  return { properties: { it: { $ref: "#/$defs/d0" } }, $defs: { ...Object.fromEntries(names), d30: {} } };
}

const DOUBLE: readonly (readonly [name: string, schema: unknown])[] = [
  [
    "oneOf whose alternatives overlap",
    {
      oneOf: [
        { required: ["l"], properties: { l: T, r: T } },
        { required: ["r"], properties: { l: T, r: T } },
      ],
    },
  ],
  ["anyOf", { anyOf: [{ properties: { a: T } }, { properties: { a: T } }] }],
  ["not", { properties: { a: T }, not: { properties: { a: T } } }],
  ["if and then", branch({ properties: { a: T } }, { properties: { a: T } })],
  ["dependentSchemas", { properties: { a: T }, dependentSchemas: { b: { properties: { a: T } } } }],
  ["two patterns for one name", { patternProperties: { "^a": T, b$: T } }],
  ["a pattern for a name that is known", { properties: { ab: T }, patternProperties: { "^a": T } }],
  ["unevaluatedProperties", { anyOf: [{ properties: { b: T } }], unevaluatedProperties: T }],
  ["items and contains", { items: T, contains: T }],
  [
    "a constant that is not required",
    { oneOf: [1, 2].map((each) => ({ properties: { kind: { const: each }, a: T } })) },
  ],
  [
    "one constant twice",
    { oneOf: [1, 1].map((each) => ({ required: ["kind"], properties: { kind: { const: each }, a: T } })) },
  ],
  [
    "a constant that is checked behind what it tells apart",
    {
      oneOf: [1, 2].map((each) => ({
        required: ["kind"],
        properties: { kind: { const: each } },
        additionalProperties: T,
      })),
    },
  ],
];

const IN_PROPORTION: readonly (readonly [name: string, schema: unknown])[] = [
  ["a tree", { properties: { children: { items: T } } }],
  ["a tree with two children", { properties: { l: T, r: T } }],
  ["alternatives with names of their own", { oneOf: ["l", "r"].map((each) => ({ properties: { [each]: T } })) }],
  [
    "alternatives that a required constant tells apart",
    { oneOf: [1, [2, 3]].map((each) => ({ required: ["kind"], properties: { a: T, kind: { enum: [each].flat() } } })) },
  ],
  [
    "a constant required above the alternatives",
    {
      required: ["kind"],
      oneOf: ["and", "or"].map((each) => ({ properties: { kind: { const: each }, of: { items: T } } })),
    },
  ],
  ["then and else", branch({ required: ["a"] }, { properties: { a: T } }, { properties: { a: T } })],
  [
    "any JSON",
    { anyOf: [{ type: "string" }, { type: "array", items: T }, { type: "object", additionalProperties: T }] },
  ],
  ["a list that ends with null", { properties: { next: { anyOf: [T, { type: "null" }] } } }],
  ["known names and others", { properties: { a: T }, patternProperties: { "^x-": {} }, additionalProperties: T }],
];

describe("the growth of a check", () => {
  for (const [name, schema] of DOUBLE) {
    test(`is found where a level doubles it: ${name}`, () => {
      const found = find(withT(schema));
      assert.deepEqual(found?.path, ["$defs", "T"]);
      assert.match(
        found?.message ?? "",
        /more than 1000 checks of one value, because \/\$defs\/T\/.* and \/\$defs\/T\/.* multiply:/,
      );
    });
  }

  for (const [name, schema] of IN_PROPORTION) {
    test(`is none for ${name}`, () => assert.equal(find(withT(schema)), null));
  }

  test("is none where another recursion begins at each level, of which a record has 64", () => {
    const any = { additionalProperties: { $ref: "#/$defs/any" } };
    const also = (count: number) =>
      Array.from({ length: count }, () => ({ properties: { x: { $ref: "#/$defs/any" } } }));
    const schema = (count: number) => withT({ allOf: [{ properties: { x: T } }, ...also(count)] }, { any });
    assert.equal(find(schema(1)), null);
    assert.deepEqual(find(schema(20))?.path, ["$defs", "T"]);
  });

  test("is found where a dynamic reference leads back twice", () => {
    const part = { properties: { a: { $dynamicRef: "#node" } } };
    assert.deepEqual(find({ $dynamicAnchor: "node", allOf: [part, part].map((each) => ({ ...each })) })?.path, []);
  });

  test("is found without recursion where ways multiply, for one value or level by level", () => {
    const same = find(chain((next) => ({ allOf: [next, next] })));
    const below = find(chain((next) => ({ anyOf: [{ properties: { x: next } }, { properties: { x: next } }] })));
    for (const found of [same, below])
      assert.match(found?.message ?? "", /^may need more than 1000 checks of one value/);
  });

  test("is none where a union of 50 kinds holds unions of 50", () => {
    const union = (part: unknown) =>
      Array.from({ length: 50 }, (_, kind) => ({ required: ["k"], properties: { k: { const: kind }, of: part } }));
    assert.equal(find({ oneOf: union({ oneOf: union({ type: "string" }) }) }), null);
  });
});

import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { SchemaObject } from "../schema/keywords.ts";
import { createEventType } from "./create-event-type.ts";
import { errorsOf, parse, toDeclaration, withProperties } from "./declared.kit.ts";

describe("the check of a record", () => {
  // Without a bound, each of these goes on for longer than anybody waits.
  const slow = `${"a".repeat(60)}!`;
  const pattern = "^(\\w+\\s?)*$";
  const byKeyword: readonly (readonly [keyword: string, more: SchemaObject, record: object, error: string | null])[] = [
    ["pattern", { properties: { id: {}, a: { pattern } } }, { a: slow }, `a must match the pattern ${pattern}`],
    ["patternProperties", { patternProperties: { "^(a+)+$": false } }, { [slow]: 1 }, null],
    [
      "propertyNames",
      { propertyNames: { pattern } },
      { [slow]: 1 },
      `["${slow}"] has a name that is not accepted: the name must match the pattern ${pattern}`,
    ],
    [
      "additionalProperties",
      { patternProperties: { "^(\\w+\\s?)*x$": {} }, additionalProperties: false },
      { [slow]: 1 },
      `["${slow}"] is not a known field; did you mean id?`,
    ],
    [
      "unevaluatedProperties",
      { allOf: [{ patternProperties: { "^(\\w+\\s?)*x$": {} } }], unevaluatedProperties: false },
      { [slow]: 1 },
      `["${slow}"] is not a known field`,
    ],
  ];
  for (const [keyword, more, record, error] of byKeyword) {
    test(`matches the patterns of ${keyword} in linear time`, () => {
      const type = withProperties({}, more);
      const text = JSON.stringify({ id: "k", ...record });
      if (error === null) parse(type, text);
      else assert.match(errorsOf(type, text)[0] ?? "", new RegExp(`^${RegExp.escape(error.slice(0, 40))}`));
    });
  }

  test("refuses a record with more text than its patterns may be matched with", () => {
    const type = withProperties({ note: { pattern: "^.*a.{1,255}a.{1,255}$" } });
    const note = Array.from({ length: 1 << 18 }, (_, index) => "ab"[((index * 2_654_435_761) >>> 16) % 2]).join("");
    assert.deepEqual(errorsOf(type, { id: "k", note }), [
      " has too much text for the patterns of its type: shorten its texts, or give them a maxLength",
    ]);
    parse(type, JSON.stringify({ id: "k", note: "a to a b" }));
  });

  test("takes a record of a megabyte, with many names and many short texts for patterns", () => {
    const item = { sku: { pattern: "^[A-Z]{2}-\\d{1,10}$" }, name: {}, price: {}, currency: {}, at: {}, note: {} };
    const type = withProperties({
      codes: { items: item.sku },
      items: { items: { properties: item, additionalProperties: false } },
    });
    const codes = Array.from({ length: 10_000 }, (_, index) => `AB-${index}`);
    const items = codes.map((sku) => ({ sku, name: "A thing to buy", price: 1, currency: "EUR", at: "", note: null }));
    parse(type, JSON.stringify({ id: "k", codes, items }));
    parse(type, JSON.stringify({ id: "k", codes: [...codes, ...codes], items: items.slice(0, 1) }));
  });

  test("knows names of every form beside others that are refused or have a schema", () => {
    const names = ["a", "a|b", "x$", "$|^", "a/b", "a\\b", "(c)", "{1}", "[d]", "\n", "", "é", "-", "a.b", "n"];
    const properties = Object.fromEntries(names.map((name) => [name, {}]));
    const type = withProperties(properties, { additionalProperties: { type: "number" } });
    const record = (more: object) => ({ id: "k", ...Object.fromEntries(names.map((name) => [name, "x"])), ...more });
    parse(type, JSON.stringify(record({ other: 1 })));
    for (const name of ["b", "A", "a|", "\\n", "aab", "x", "$"]) {
      assert.equal(errorsOf(type, record({ [name]: "x" })).length, 1, name);
    }
  });

  test("goes into that alternative only which a constant names, wherever it stands", () => {
    const alternatives = ["and", "or"].map((kind) => ({
      required: ["kind"],
      properties: { of: { $ref: "#/$defs/term" }, kind: { const: kind } },
    }));
    const type = withProperties({ term: { $ref: "#/$defs/term" } }, { $defs: { term: { oneOf: alternatives } } });
    const deep = (end: object, kind?: string): object =>
      Array.from({ length: 60 }).reduce<object>((of) => ({ of, kind }), end);
    const path = `term${".of".repeat(60)}`;
    parse(type, JSON.stringify({ id: "k", term: deep({ kind: "and" }, "or") }));
    // Each is explained within the steps of a short record.
    for (const [term, error] of [
      [deep({ kind: "nor" }, "or"), `${path}.kind must be one of and, or`],
      [deep({}, "or"), `${path}.kind is missing: must be one of and, or`],
      [deep({}, "nor"), "term.kind must be one of and, or"],
      [deep({}), "term.kind is missing: must be one of and, or"],
    ] as const) {
      assert.deepEqual(errorsOf(type, { id: "k", term }), [error]);
    }
  });

  test("asserts every format of JSON Schema where the declaration says so", () => {
    const schema = {
      type: "object" as const,
      required: ["id"],
      properties: {
        id: { type: "string" as const },
        day: { format: "date" },
        from: { format: "ipv4" },
        x: { format: "odd" },
      },
    };
    const record = { id: "k", day: "2026-02-30", from: "1.2.3", x: "y" };
    parse(createEventType(toDeclaration({ schema })), JSON.stringify(record));
    const enforced = createEventType(toDeclaration({ schema, enforceFormats: true }));
    assert.deepEqual(errorsOf(enforced, record), [
      "day must be of the format date of JSON Schema",
      "from must be of the format ipv4 of JSON Schema",
    ]);
    assert.deepEqual(errorsOf(enforced, { id: "k", day: "1".repeat(9_000) }).length, 1);
    parse(enforced, JSON.stringify({ id: "k", day: "2028-02-29", from: "192.0.2.1", x: "y" }));
  });
});

import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { FieldValue } from "../domain/field-values.ts";
import { splitFieldValues } from "../domain/field-values.ts";
import { findFields, findIn } from "./find-field.ts";

const values = (query: string): readonly FieldValue[] => splitFieldValues(query).values;

describe("values of fields in a body", () => {
  const body = '{"a":{"City":"Rome","n":5.0},"list":[{"city":"Oslo"},{"b.c":"x"}],"\u212aey":"Kelvin","null":null}';
  const ROWS: readonly (readonly [query: string, field: string | null])[] = [
    ["city:rome", "a.City"],
    ["city:oslo", "list.city"],
    ["a.city:oslo", null],
    ["ity:rome", null],
    ["n:5.00", "a.n"],
    ["n:5.00*", "a.n"],
    ["b.c:x", "list.b.c"],
    ["c:x", "list.b.c"],
    ["key:kelvin", null],
    ["null:null", "null"],
    ["city:oslo n:5 city:rome", "list.city"],
    ["city:oslo n:6", null],
  ];
  for (const [query, field] of ROWS) {
    test(`${query} stands in ${field ?? "none"}`, () => {
      assert.equal(findFields(body, values(query))?.field ?? null, field);
    });
  }

  test("a long name is cut as a long value is, and its end is shown", () => {
    const match = findFields(`{"${"n".repeat(999)}":{"city":"${"o".repeat(999)}"}}`, values(`city:o*`));
    assert.equal(match?.field, `…${"n".repeat(115)}.city`);
    assert.equal(match.text, `${"o".repeat(120)}…`);
  });

  test("reads each member once for all values, and none behind the last that was missing", () => {
    const reads: string[] = [];
    const member = (name: string, value: unknown): PropertyDescriptor => ({
      enumerable: true,
      get: () => (reads.push(name), value),
    });
    const inner = (name: string): object => Object.defineProperty({}, name, member(name, "x"));
    const value = ["a", "b", "c", "d", "e"].map(inner);
    assert.ok(findIn(value, values("a:x b:x c:x d:x")));
    assert.deepEqual(reads, ["a", "b", "c", "d"]);
  });
});

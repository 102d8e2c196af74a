import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { toDeclaration } from "./declared.kit.ts";
import { findBreaks } from "./find-breaks.ts";
import type { JsonSchema } from "../schema/keywords.ts";

const declare = (a: JsonSchema | null, required: readonly string[] = ["id"]) =>
  toDeclaration({
    schema: { type: "object", required, properties: { id: { type: "string" }, ...(a === null ? {} : { a }) } },
  });

const object = (properties: Readonly<Record<string, JsonSchema>>, required: readonly string[] = []) =>
  ({ type: "object", properties, required }) as const;

describe("a change of a declaration", () => {
  const text = declare({ type: "string" });
  const cases: readonly (readonly [name: string, before: ReturnType<typeof declare>, now: typeof text, string[]])[] = [
    ["nothing", text, declare({ type: "string", maxLength: 5, description: "New words." }), []],
    ["a new optional field", declare(null), text, []],
    [
      "a field that must be there from now on",
      text,
      declare({ type: "string" }, ["id", "a"]),
      ["a must be there now: the back end"],
    ],
    [
      "a new field that must be there",
      declare(null),
      declare({}, ["id", "a"]),
      ["a is new, and must be there: the back end"],
    ],
    ["a field that is gone", text, declare(null), ["a is there no more: receivers"]],
    [
      "a field that may be missing from now on",
      declare({}, ["id", "a"]),
      declare({}),
      ["a may be missing now: receivers"],
    ],
    ["null", text, declare({ type: ["string", "null"] }), ["a can be null now: receivers"]],
    ["never null", declare({ type: ["string", "null"] }), text, ["a must not be null any more: the back end"]],
    [
      "another type",
      text,
      declare({ type: "integer" }),
      ["a can be of type integer now: receivers", "a must not be string any more: the back end"],
    ],
    [
      "whole numbers only",
      declare({ type: "number" }),
      declare({ type: "integer" }),
      ["a must not be number any more: the back end"],
    ],
    [
      "a member of a list's items",
      declare({ type: "array", items: object({ b: {}, c: {} }) }),
      declare({ type: "array", items: object({ c: {} }) }),
      ["a[].b is there no more: receivers"],
    ],
    ["what must be in a new object", declare(null), declare(object({ b: {} }, ["b"])), []],
    [
      "what must be in an old one",
      declare(object({})),
      declare(object({ b: {} }, ["b"])),
      ["a.b is new, and must be there: the back end"],
    ],
    [
      "the same through a reference",
      declare({ oneOf: [{ type: "null" }, object({ b: {} }, ["b"])] }),
      declare({ anyOf: [object({ b: {} }, ["b"]), { type: "null" }] }),
      [],
    ],
    [
      "another key",
      text,
      { ...text, key: "/a" },
      [" has the key /a instead of /id: a record that is sent again counts as a new event: receivers"],
    ],
  ];
  for (const [name, before, now, expected] of cases) {
    test(`${name}: ${expected.length === 0 ? "breaks nobody" : expected.join(", ")}`, () => {
      const found = findBreaks([before], [now]).map(({ path, message, breaks }) => `${path} ${message}: ${breaks}`);
      assert.deepEqual(found, expected);
    });
  }

  test("a type that is declared no more breaks the back end, and a new one nobody", () => {
    const [old, other] = [toDeclaration({ type: "old" }), toDeclaration({ type: "other" })];
    assert.deepEqual(findBreaks([old], [other]), [
      { type: "old", path: "", breaks: "the back end", message: "is declared no more" },
    ]);
  });
});

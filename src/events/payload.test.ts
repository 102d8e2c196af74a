import assert from "node:assert/strict";
import { describe, test } from "node:test";
import fc from "fast-check";
import { CHAT_CONVERSATION_SAMPLES } from "./chat-conversation-completed.ts";
import { DEMO_VIEWED_SAMPLES } from "./demo-viewed.ts";
import { parseExactJson } from "./exact-json.ts";
import { createFieldReader, findMembers, listValues } from "./payload.ts";
import { eventType } from "../../test/kit/event-type.ts";

const texts = (value: unknown): string[] => listValues(value).map(({ text }) => text);

const GIVEN = {
  a: { b: 1, "b.c": 2, d: { e: [3] } },
  items: [{ sku: "A", sizes: [{ cm: 1 }, { cm: 2 }] }, { sku: "B" }, null, "C", { sizes: [{ cm: 3 }] }],
  rows: [[{ x: 1 }], [{ x: 2 }, { x: 3 }]],
  "odd[]": { x: 1 },
  "first.name": { given: "Jane", "f.n": 4 },
  "order.lines": [{ sku: "A" }, { sku: "B" }],
};
const FOUND: readonly (readonly [path: string, found: readonly unknown[]])[] = [
  ["a", [GIVEN.a]],
  ["a.b", [1]],
  ["a.b.c", [2]],
  ["a.d.e", [[3]]],
  ["a.d.f", []],
  ["a.b.x", []],
  ["a.d.e.0", []],
  ["toString", []],
  ["a.constructor", []],
  ["items[].sku", ["A", "B"]],
  ["items[].sizes[].cm", [1, 2, 3]],
  ["items.sku", []],
  ["items[][].sku", ["A", "B"]],
  ["rows[][].x", [1, 2, 3]],
  ["rows[].x", []],
  ["a[].b", []],
  ["odd[].x", [1]],
  ["first.name.given", ["Jane"]],
  ["first.name.f.n", [4]],
  ["order.lines[].sku", ["A", "B"]],
  ["[].x", []],
];
for (const [path, found] of FOUND) {
  test(`${path} is ${JSON.stringify(found)}`, () => {
    assert.deepEqual(findMembers(GIVEN, path), found);
  });
}

describe("the values of a field", () => {
  test("null, empty text and empty lists are none; false and zero are values", () => {
    for (const nothing of [undefined, null, "", " \n", [], {}, [null, ""], { a: "" }]) {
      assert.deepEqual(texts(nothing), []);
    }
    assert.deepEqual(texts([false, 0, "a"]), ["false", "0", "a"]);
  });

  test("lists and objects have those inside them", () => {
    assert.deepEqual(texts({ a: ["X", { b: "Y" }], c: 5 }), ["x", "y", "5"]);
  });

  test("numbers keep their digits", () => {
    assert.deepEqual(listValues(parseExactJson('{"a":9007199254740993}')), [
      { kind: "number", text: "9007199254740993" },
    ]);
  });

  test("of a field that has more than anybody compares, the first part is looked at", () => {
    assert.equal(listValues(Array.from({ length: 100_000 }, (_, place) => place)).length, 2_000);
    const [long] = listValues("x".repeat(1_000_000));
    assert.equal(long?.text.length, 64 * 1024);
  });

  test("a number of more digits than are looked at is read as a text: a part of it is another number", () => {
    const digits = "7".repeat(70_000);
    assert.deepEqual(listValues(parseExactJson(`[${digits}]`)), [{ kind: "text", text: digits.slice(0, 64 * 1024) }]);
    assert.deepEqual(listValues(parseExactJson("[1e308]")), [{ kind: "number", text: "1e308" }]);
  });

  test("blank characters are looked at too", () => {
    assert.deepEqual(texts([" ".repeat(70_000), "behind"]), []);
  });

  test("marks without end are read as fast as letters", () => {
    const [read = ""] = texts(`e${"\u0301\u0316".repeat(40_000)}`);
    assert.ok(read.startsWith("é"));
  });
});

test("a payload is asked for with the first field, and once", () => {
  let asked = 0;
  const read = createFieldReader(() => {
    asked += 1;
    return { a: "1", b: "2" };
  });
  assert.equal(asked, 0);
  assert.deepEqual([read("a"), read("b"), read("a")].flatMap(({ list }) => list).length, 3);
  assert.equal(asked, 1);
});

describe("all fields of a record that conditions ask for", () => {
  test("are walked through for a part of a huge list that nothing is in, each time anew, and then no further", () => {
    const list = Array.from({ length: 100_000 }, () => ({}));
    const read = createFieldReader(() => ({ list, late: "x", last: "y" }));
    assert.equal(read("late").list.length, 1);
    assert.equal(read("list[].a").list.length, 0);
    assert.equal(read("last").list.length, 0);
  });

  test("are read as ever beside a list of a thousand items", () => {
    const list = Array.from({ length: 1_000 }, (_, n) => ({ n }));
    const read = createFieldReader(() => ({ list, last: "y" }));
    assert.equal(read("list[].n").list.length, 1_000);
    assert.equal(read("last").list.length, 1);
  });

  test("are taken out of a huge object whose values say nothing only once", () => {
    const inner = Object.fromEntries(Array.from({ length: 100_000 }, (_, n) => [`k${n}`, null]));
    const read = createFieldReader(() => ({ a: { inner } }));
    assert.deepEqual([read("a").list, read("a.inner").list], [[], []]);
  });
});

const RECORDS = {
  demo_viewed: Object.values(DEMO_VIEWED_SAMPLES),
  chat_conversation_completed: Object.values(CHAT_CONVERSATION_SAMPLES),
} as const;

describe("the payload of a record that was accepted", () => {
  for (const type of ["demo_viewed", "chat_conversation_completed"] as const) {
    test(`has the values that the body of a ${type} has`, () => {
      for (const record of RECORDS[type]) {
        fc.assert(
          fc.property(fc.jsonValue({ maxDepth: 3 }), fc.double({ noNaN: true, min: 0, max: 100 }), (custom, number) => {
            const own =
              type === "demo_viewed"
                ? { completion: number, utm_params: { "a.b": String(number) } }
                : { extracted_variables: { custom, "a.b": custom, qualified: null } };
            const parsed = eventType(type).parse(JSON.stringify({ ...record, ...own }));
            assert.ok(parsed.ok);
            const account = { appUrl: "https://app.example.com" };
            const body = parseExactJson(parsed.value.buildBody(account)) as Record<string, unknown>;
            const payload = parsed.value.facts.toPayload(account);
            assert.deepEqual(Object.keys(payload), Object.keys(body));
            for (const name of Object.keys(body)) {
              const [built, sent] = [texts(payload[name]), texts(body[name])];
              assert.deepEqual(built.toSorted(), sent.toSorted(), name);
            }
          }),
          { numRuns: 50 },
        );
      }
    });
  }
});

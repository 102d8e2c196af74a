import assert from "node:assert/strict";
import { describe, test } from "node:test";
import fc from "fast-check";
import { createEventType } from "./create-event-type.ts";
import { toValue } from "../../../test/kit/world/world.ts";
import { EXAMPLE_UUID } from "../fields.ts";
import type { Declaration } from "./declaration.ts";
import { errorsOf, parse, toDeclaration, withProperties } from "./declared.kit.ts";
import type { Members } from "../event-type.ts";
import { parseExactJson } from "../exact-json.ts";
import type { JsonSchema, SchemaObject } from "../schema/keywords.ts";

describe("a record of a declared type", () => {
  const open = withProperties({});

  test("goes out as it came, with its type behind it", () => {
    const text = '{ "z": 12345678901234567890, "2": 1.50, "id": "a\\u00e9", "1": [ ], "bad": "\\ud800" }';
    const expected =
      '{"z":12345678901234567890,"2":1.50,"id":"a\\u00e9","1":[],"bad":"\\ufffd","event":"thing_happened"}';
    assert.equal(parse(open, text).body, expected);
  });

  test("may have its type in it, which stays where it is, and no other", () => {
    const text = '{"event":"thing_happened","id":"1"}';
    assert.equal(parse(open, text).body, text);
    const message = 'event must be "thing_happened", the type that it is sent as, or be left out';
    assert.deepEqual(errorsOf(open, { id: "1", event: "other" }), [message]);
  });

  test("is as it was in each body, for every record", () => {
    const names = fc.string().filter((name) => name !== "event");
    const members = fc.dictionary(names, fc.jsonValue(), { maxKeys: 6 });
    const space = fc.constantFrom(0, 1, "\t");
    fc.assert(
      fc.property(members, fc.uuid(), space, (given, id, indent) => {
        const record = { ...given, id };
        const { body, sourceId, facts } = parse(open, JSON.stringify(record, null, indent));
        const plain = JSON.parse(JSON.stringify(record)) as object;
        assert.equal(body, `${JSON.stringify(plain).slice(0, -1)},"event":"thing_happened"}`);
        assert.deepEqual(facts.toPayload({ appUrl: "" }), { ...plain, event: "thing_happened" });
        assert.equal(sourceId, id);
      }),
    );
  });

  test("has at most 64 levels", () => {
    const nested = (levels: number) => `{"id":"1","a":${"[".repeat(levels - 1)}${"]".repeat(levels - 1)}}`;
    parse(open, nested(64));
    assert.deepEqual(errorsOf(open, nested(65)), [" has more than 64 levels of objects and lists"]);
    assert.deepEqual(errorsOf(open, nested(200_000)), [" has more than 64 levels of objects and lists"]);
  });

  test("with a name like __proto__ is a record like others", () => {
    const { body, facts } = parse(open, '{"id":"1","__proto__":{"x":1},"constructor":2}');
    assert.match(body, /"__proto__":\{"x":1\},"constructor":2/);
    assert.equal(({} as { readonly x?: unknown }).x, undefined);
    assert.deepEqual(Object.keys(facts.toPayload({ appUrl: "" })), ["id", "__proto__", "constructor", "event"]);
  });

  test("that is no JSON says where", () => {
    assert.match(errorsOf(open, '{"id": 1,}')[0] ?? "", /^invalid_json The text is not valid JSON: line 1, column 10/);
  });
});

describe("the key of a record", () => {
  const numbered = createEventType(
    toDeclaration({ schema: { type: "object", required: ["id"], properties: { id: { type: "integer" } } } }),
  );

  test("is a number by its digits", () => {
    const ids = ['{"id":9007199254740993}', '{"id":9007199254740992}', '{"id": 7.0}', '{"id":-0}'];
    const keys = ids.map((text) => parse(numbered, text).sourceId);
    assert.deepEqual(keys, ["9007199254740993", "9007199254740992", "7", "0"]);
    const message = "id must be a whole number, written in digits: it is the key";
    assert.deepEqual(errorsOf(numbered, '{"id":1e300}'), [message]);
    const long = `-${"7".repeat(256)}`;
    assert.equal(parse(numbered, `{"id":${long}}`).sourceId, long);
  });

  test("is read back from a body that keeps its digits, and never as another number", () => {
    const { body } = parse(numbered, '{"id":9007199254740993}');
    assert.equal(numbered.readSourceId(parseExactJson(body) as Members), "9007199254740993");
    assert.equal(numbered.readSourceId(JSON.parse(body) as Members), null);
    assert.equal(numbered.readSourceId({ id: 7 }), "7");
  });

  test("is a text of 1 to 256 visible characters", () => {
    const type = withProperties({});
    assert.equal(parse(type, JSON.stringify({ id: "Ä".repeat(256) })).sourceId.length, 256);
    assert.deepEqual(errorsOf(type, { id: "" }), ["id must have 1 to 256 characters: it is the key"]);
    assert.deepEqual(errorsOf(type, { id: "a".repeat(257) }), ["id must have 1 to 256 characters: it is the key"]);
    assert.deepEqual(errorsOf(type, { id: "a\u0000" }), ["id must have visible characters only: it is the key"]);
  });
});

describe("a key of several values", () => {
  const properties = { id: { type: "integer" }, at: { type: "string" }, of: { type: "string" } } as const;
  const withKey = (key: Declaration["key"]) =>
    createEventType(
      toDeclaration({
        key,
        schema: { type: "object", required: ["id", "at", "of"], properties },
        exampleText: '{"id":1,"at":"a","of":"b"}',
      }),
    );
  const type = withKey(["/id", "/at", "/of"]);

  test("is the list of them as JSON, and of no two lists the same", () => {
    const { sourceId, body } = parse(type, '{"id":4711,"at":"a","of":"b\\",\\"c"}');
    assert.equal(sourceId, '["4711","a","b\\",\\"c"]');
    assert.equal(type.readSourceId(JSON.parse(body) as Members), sourceId);
    assert.equal(type.readSourceId({ id: 4711, at: "a" }), null);
    const keys = ['{"id":1,"at":"a,b","of":"c"}', '{"id":1,"at":"a","of":"b,c"}'];
    assert.equal(new Set(keys.map((text) => parse(type, text).sourceId)).size, 2);
  });

  test("of one value is that value, as where no list stands", () => {
    const record = '{"id":4711,"at":"a","of":"b"}';
    for (const key of ["/at", ["/at"]]) assert.equal(parse(withKey(key), record).sourceId, "a");
  });

  test("has at most 256 characters altogether, and each of them is one", () => {
    const of = (at: string) => JSON.stringify({ id: 1, at, of: "b" });
    assert.equal(parse(type, of("a".repeat(244))).sourceId.length, 256);
    const message = "id must have at most 256 characters together with the other parts of the key";
    assert.deepEqual(errorsOf(type, of("a".repeat(245))), [message]);
    assert.deepEqual(errorsOf(type, of("")), ["at must have 1 to 256 characters: it is the key"]);
  });

  test("of a new example is a new one", () => {
    assert.notEqual(parse(type, type.newExample(0, EXAMPLE_UUID)).sourceId, '["1","a","b"]');
  });
});

describe("a key that the caller names", () => {
  const schema = { type: "object", properties: { id: { type: "integer" } }, additionalProperties: false } as const;
  const type = createEventType(toDeclaration({ key: "caller", schema, exampleText: '{"id":1}' }));

  test("stands in the record or beside it, and never in the body", () => {
    const body = '{"id":9007199254740993,"event":"thing_happened"}';
    const inRecord = parse(type, '{ "idempotency_key": "k\\u0031", "id": 9007199254740993 }');
    assert.deepEqual([inRecord.sourceId, inRecord.body], ["k1", body]);
    const beside = toValue(type.parse('{"id":9007199254740993}', 50, "k1"));
    assert.deepEqual([beside.sourceId, beside.buildBody({ appUrl: "" })], ["k1", body]);
    assert.equal(toValue(type.parse('{"idempotency_key":"k1"}', 50, "k1")).sourceId, "k1");
    assert.equal(type.readSourceId({ id: 1 }), null);
  });

  test("has to be there, to be a text, and to be the same in both places", () => {
    const names = "the header Idempotency-Key, or this member, names the event";
    const faultsOf = (record: object, callerKey?: string) => {
      const parsed = type.parse(JSON.stringify(record), 50, callerKey);
      return parsed.ok ? [] : (parsed.error.errors ?? []).map(({ path, message }) => `${path} ${message}`);
    };
    const fault = (what: string) => [`idempotency_key ${what}: ${names}`];
    assert.deepEqual(faultsOf({ id: 1 }), fault("is missing"));
    assert.deepEqual(faultsOf({ idempotency_key: 7 }), fault("must be a string"));
    assert.deepEqual(faultsOf({ idempotency_key: "" }), fault("must have 1 to 256 characters"));
    assert.deepEqual(faultsOf({}, "k".repeat(257)), fault("must have 1 to 256 characters"));
    assert.deepEqual(faultsOf({ idempotency_key: "a" }, "b"), fault("must be what the header says"));
  });

  test("is no matter of a type that does not ask for it", () => {
    const plain = createEventType(toDeclaration({}));
    assert.equal(toValue(plain.parse('{"id":"1"}', 50, "k1")).sourceId, "1");
    assert.match(parse(plain, '{"id":"1","idempotency_key":"k"}').body, /"idempotency_key":"k"/);
  });

  test("stands in examples, new ones and the published one", () => {
    assert.equal(parse(type, type.newExample(0, EXAMPLE_UUID)).sourceId, EXAMPLE_UUID);
    assert.ok(type.parse(JSON.stringify(type.example)).ok);
    assert.ok("idempotency_key" in ((type.recordSchema as SchemaObject).properties ?? {}));
    assert.ok(!("idempotency_key" in ((type.bodySchema as SchemaObject).properties ?? {})));
  });
});

describe("a refused record is told where and what would be right", () => {
  const cases: readonly (readonly [JsonSchema, unknown, string])[] = [
    [{ type: "string" }, 7, "a must be a string, not a number"],
    [{ type: ["string", "null"] }, 7, "a must be a string or null, not a number"],
    [{ type: "integer" }, 1.5, "a must be a whole number"],
    [{ type: "integer", minimum: 1 }, 0, "a must be a whole number of at least 1"],
    [{ type: "number", minimum: 0, maximum: 100 }, 101, "a must be a number from 0 to 100"],
    [{ exclusiveMinimum: 0 }, 0, "a must be a number above 0"],
    [{ multipleOf: 0.01 }, 0.001, "a must be a multiple of 0.01"],
    [{ enum: ["low", "high"] }, "hgh", "a must be one of low, high; did you mean high?"],
    [{ const: "v1" }, "v2", 'a must be "v1"'],
    [{ minLength: 1 }, "", "a must not be empty"],
    [{ type: "string", maxLength: 2 }, "abc", "a must have at most 2 characters, not 3"],
    [{ type: "string", pattern: "^L-" }, "l-1", "a must match the pattern ^L-"],
    [{ pattern: "^L-", "x-message": "must be a lead such as L-1" }, "l-1", "a must be a lead such as L-1"],
    [{ format: "uri" }, "example.com", "a must be a URI with its scheme, such as https://example.com/a"],
    [{ format: "email" }, "ada\u200b", "a must be an e-mail address, such as ada@example.com; it has a zero-width"],
    [{ type: "array", maxItems: 1 }, [1, 2], "a must have at most 1 item, not 2"],
    [
      { uniqueItems: true },
      [
        { a: 1, b: 2 },
        { b: 2, a: 1 },
      ],
      "a must not have an item twice",
    ],
    [{ items: { type: "string" } }, ["x", 1], "a[1] must be a string, not a number"],
    [
      { contains: { const: 1 } },
      [2],
      "a must have at least 1 of the items that the schema describes (contains), not 0",
    ],
    [{ required: ["b"], properties: { b: { type: "integer" } } }, {}, "a.b is missing: must be a whole number"],
    [{ properties: { email: {} }, additionalProperties: false }, { emal: 1 }, "a.emal is not a known field; did you"],
    [
      { propertyNames: { maxLength: 1 } },
      { ab: 1 },
      "a.ab has a name that is not accepted: the name must have at most",
    ],
    [{ dependentRequired: { b: ["c"] } }, { b: 1 }, "a.c is missing: b asks for it"],
    [{ not: { required: ["b"] } }, { b: 1 }, "a must not have b"],
    [{ not: { const: "x" } }, "x", 'a must not be "x"'],
    [{ not: { type: "string" } }, "x", "a has a form that the schema excludes (not)"],
    [{ oneOf: [{ type: "string" }, { minLength: 1 }] }, "x", "a fits 2 of the 2 forms that it may have, and must fit"],
    [{ anyOf: [{ type: "string" }, { type: "null" }] }, 1, "a must be a string or null, not a number"],
    [{ if: { maximum: 5 }, else: { multipleOf: 5 } }, 6, "a must be a multiple of 5"],
    [{ unevaluatedProperties: false, allOf: [{ properties: { b: {} } }] }, { c: 1 }, "a.c is not a known field;"],
    [false, 1, "a must be left out"],
  ];
  for (const [schema, value, message] of cases) {
    test(message, () => {
      const [first = ""] = errorsOf(withProperties({ a: schema }), { id: "1", a: value });
      assert.ok(first.startsWith(message), first);
    });
  }

  test("of alternatives the one that is meant, by the member that names it", () => {
    const form = (kind: string, name: string) => ({
      type: "object" as const,
      required: ["kind", name],
      properties: { kind: { const: kind }, [name]: { type: "string" as const } },
    });
    const type = withProperties({ a: { oneOf: [form("call", "url"), form("visit", "address")] } });
    assert.deepEqual(errorsOf(type, { id: "1", a: { kind: "visit" } }), ["a.address is missing: must be a string"]);
    assert.deepEqual(errorsOf(type, { id: "1", a: { kind: "vist", url: "" } }), ["a.kind must be one of call, visit"]);
  });

  test("at most as many places as are asked for", () => {
    const type = withProperties({ a: { items: { type: "string" } } });
    const record = { id: 1, a: Array.from({ length: 200_000 }, () => 1) };
    assert.equal(errorsOf(type, record).length, 50);
    assert.deepEqual(errorsOf(type, record, 1), ["id must be a string, not a number"]);
  });

  test("a number by the digits that it is written with, at any depth", () => {
    const type = withProperties({
      a: { items: { properties: { n: { type: "integer", maximum: 9007199254740992 } } } },
    });
    const text = (digits: string) => `{"id":"1","a":[{"n":1},{"n":${digits}}]}`;
    assert.match(parse(type, text("9007199254740992")).body, /9007199254740992/);
    assert.deepEqual(errorsOf(type, text("9007199254740993")), [
      "a[1].n must be a whole number of at most 9007199254740992",
    ]);
    assert.deepEqual(errorsOf(type, text("0.00000000000000000001")), [
      "a[1].n must be a whole number of at most 9007199254740992",
    ]);
    assert.deepEqual(errorsOf(type, text("9".repeat(1_001))), ["a[1].n must be a number between -1.8e308 and 1.8e308"]);
    assert.deepEqual(errorsOf(withProperties({ a: {} }), `{"id":"1","a":0.${"1".repeat(1_000)}}`), [
      "a must be a number of at most 1000 characters, not 1002",
    ]);
  });
});

describe("what lists and search show of a declared type", () => {
  const type = withProperties({ who: { type: "object", properties: { name: {} } }, total: {}, what: {}, lines: {} });

  test("who and what are the first two members that have text, and the last of several is never who", () => {
    assert.deepEqual(type.readAbout({ who: { name: " Ada\n Lovelace " }, total: 12.5 }), {
      who: "Ada Lovelace",
      what: "12.5",
    });
    assert.deepEqual(type.readAbout({ who: null, what: "x".repeat(200) }), { who: null, what: `${"x".repeat(140)}…` });
    assert.deepEqual(type.readAbout({ total: 7, what: "x" }), { who: "7", what: "x" });
    assert.deepEqual(type.readAbout({ total: 7 }), { who: "7", what: null });
    assert.deepEqual(type.readAbout({}), { who: null, what: null });
  });

  test("search finds texts and numbers of a member, and of all that is in it", () => {
    const body = { who: { name: "Ada" }, lines: [{ sku: "A-1", count: 3, gift: true }, "note"], total: null };
    assert.deepEqual(type.listTexts(body), [
      { field: "name", text: "Ada" },
      { field: "lines", text: "A-1" },
      { field: "lines", text: "3" },
      { field: "lines", text: "note" },
    ]);
  });
});

describe("a new example", () => {
  const keyOf = (key: SchemaObject, id: unknown) => {
    const schema = { type: "object" as const, required: ["id"], properties: { id: key } };
    const type = createEventType(toDeclaration({ schema, exampleText: JSON.stringify({ id }) }));
    return (JSON.parse(type.newExample(0, "8c5f0a51-1f0e-4d44-9a55-6ad2f4f1c7b2")) as { readonly id: unknown }).id;
  };

  test("has a key of the form that the schema asks for", () => {
    assert.equal(
      keyOf({ type: "string", format: "uuid" }, "0d9f2f0e-8f5e-4f0b-8d5f-6a1f4c1b7e21"),
      "8c5f0a51-1f0e-4d44-9a55-6ad2f4f1c7b2",
    );
    assert.match(String(keyOf({ type: "string", pattern: "^INV-[0-9]{6}$" }, "INV-000001")), /^INV-(?!000001)\d{6}$/);
    assert.match(String(keyOf({ type: "string", pattern: "^[a-z]{3}[0-9]{2}$" }, "abc12")), /^(?!abc12)[a-z]{3}\d\d$/);
    assert.ok(Number.isSafeInteger(keyOf({ type: "integer" }, 4)));
    assert.ok(Number(keyOf({ type: "integer", maximum: 100 }, 4)) <= 100);
  });

  test("keeps the example's key where the schema takes no other", () => {
    assert.equal(keyOf({ const: "only", type: "string" }, "only"), "only");
  });
});

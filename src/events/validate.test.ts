import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import Type from "typebox";
import { Compile } from "typebox/compile";
import { FIELD_ERRORS_MAX } from "./explain.ts";
import { address, nullable, productId, text, timestamp, uuid } from "./fields.ts";
import { createValidator } from "./validate.ts";

const schema = Type.Object(
  {
    id: uuid({}),
    name: text(5, { minLength: 1 }),
    level: Type.Enum(["high", "medium", "low"]),
    share: Type.Number({ minimum: 0, maximum: 100 }),
    count: Type.Optional(Type.Integer({ minimum: 0 })),
    done: Type.Boolean(),
    kind: Type.Optional(Type.Literal("demo")),
    url: Type.Optional(nullable(address({}), {})),
    at: Type.Optional(timestamp({})),
    owner: Type.Optional(nullable(Type.Object({ email: text(20, {}) }, { additionalProperties: false }), {})),
    tags: Type.Optional(Type.Array(text(3, {}), { maxItems: 2 })),
    params: Type.Optional(
      Type.Object({}, { additionalProperties: text(9, {}), propertyNames: { maxLength: 4 }, maxProperties: 2 }),
    ),
    either: Type.Optional(
      Type.Union([Type.Object({ a: Type.Number(), c: Type.Number() }), Type.Object({ b: Type.String() })]),
    ),
  },
  { additionalProperties: false },
);
const validate = createValidator(schema);

const fine = { id: "5b0f6c1e-4d0a-4c53-9a41-2f4f0a7f6d11", name: "tour", level: "low", share: 0, done: false };
const { id: _id, ...withoutId } = fine;
/** `share` is already present, so the caller of `sha_re` did not mean it; then all names are listed. */
const allKnown = `is not a known field; known here are ${Object.keys(schema.properties).join(", ")}`;
const time = "must be an ISO 8601 time that exists, with an offset, such as 2026-11-20T12:00:00.000+00:00";

test("has nothing to say about a good value", () => {
  assert.deepEqual(validate(fine), []);
  const full = { count: 2, kind: "demo", url: null, owner: { email: "" }, tags: ["a"], params: { a: "b" } };
  assert.deepEqual(validate({ ...fine, ...full }), []);
  assert.deepEqual(validate({ ...fine, url: "https://example.com", owner: null, either: { b: "" } }), []);
});

const REFUSED: [title: string, value: unknown, path: string, message: string][] = [
  ["a list for an object", [], "", "must be an object, not an array"],
  ["null for an object", null, "", "must be an object, not null"],
  ["a missing field", withoutId, "id", `is missing: must be a UUID, such as ${fine.id}`],
  ["a number for a string", { ...fine, name: 7 }, "name", "must be a string, not a number"],
  ["null for a string", { ...fine, name: null }, "name", "must be a string, not null"],
  ["a string for a boolean", { ...fine, done: "yes" }, "done", "must be true or false, not a string"],
  ["a boolean for a number", { ...fine, share: true }, "share", "must be a number, not a boolean"],
  ["an empty name", { ...fine, name: "" }, "name", "must not be empty"],
  ["a long name", { ...fine, name: "tourist" }, "name", "must have at most 5 characters, not 7"],
  ["a bad UUID", { ...fine, id: "17" }, "id", `must be a UUID, such as ${fine.id}`],
  ["another choice", { ...fine, level: "none" }, "level", "must be one of high, medium, low"],
  ["a near choice", { ...fine, level: "High" }, "level", "must be one of high, medium, low; did you mean high?"],
  ["a number for a choice", { ...fine, level: 1 }, "level", "must be one of high, medium, low"],
  ["a number out of range", { ...fine, share: 100.5 }, "share", "must be a number from 0 to 100"],
  ["1e400", { ...fine, share: Infinity }, "share", "must be a number between -1.8e308 and 1.8e308"],
  ["a fraction", { ...fine, count: 1.5 }, "count", "must be a whole number of at least 0"],
  ["a negative count", { ...fine, count: -1 }, "count", "must be a whole number of at least 0"],
  ["another constant", { ...fine, kind: "chat" }, "kind", 'must be "demo"'],
  ["a number for a nullable URL", { ...fine, url: 7 }, "url", "must be a string or null, not a number"],
  ["a local time", { ...fine, at: "2026-11-20T12:00:00" }, "at", time],
  ["a string for a nullable object", { ...fine, owner: "Ada" }, "owner", "must be an object or null, not a string"],
  ["a field missing below", { ...fine, owner: {} }, "owner.email", "is missing: must be a string"],
  ["a bad item", { ...fine, tags: ["a", 2] }, "tags[1]", "must be a string, not a number"],
  ["too many items", { ...fine, tags: ["a", "b", "c"] }, "tags", "must have at most 2 items, not 3"],
  ["a bad open value", { ...fine, params: { a: 1 } }, "params.a", "must be a string, not a number"],
  [
    "a value behind a line break",
    { ...fine, params: { "a\n": 1 } },
    'params["a\\n"]',
    "must be a string, not a number",
  ],
  ["too many keys", { ...fine, params: { a: "", b: "", c: "" } }, "params", "must have at most 2 fields, not 3"],
  [
    "a long key",
    { ...fine, params: { abcde: "" } },
    "params.abcde",
    "has a name that is not accepted: the name must have at most 4 characters, not 5",
  ],
  ["a bad branch", { ...fine, either: { b: 1 } }, "either.b", "must be a string, not a number"],
  [
    "a mistyped field",
    { ...withoutId, ident: 1, id: fine.id, tagz: [] },
    "tagz",
    "is not a known field; did you mean tags?",
  ],
  ["a second try at a field", { ...fine, sha_re: 1 }, "sha_re", allKnown],
  [
    "an unknown field below",
    { ...fine, owner: { email: "", age: 4 } },
    "owner.age",
    "is not a known field; known here are email",
  ],
];

for (const [title, value, path, message] of REFUSED) {
  test(`explains ${title}`, () => {
    const found = validate(value).find((error) => error.path === path);
    assert.equal(found?.message, message);
  });
}

test("reports one error for a nullable field, not one for each branch", () => {
  assert.equal(validate({ ...fine, owner: { email: 1 } }).length, 1);
  assert.equal(validate({ ...fine, url: 1 }).length, 1);
});

test("reports every bad field at once, missing and unknown ones too", () => {
  const errors = validate({ id: "17", name: "", level: "low", share: -1, extra: 1 });
  assert.deepEqual(
    errors.map(({ path }) => path),
    ["id", "name", "share", "done", "extra"],
  );
});

test("suggests a field in another style of writing", () => {
  const check = createValidator(Type.Object({ viewed_at: timestamp({}) }, { additionalProperties: false }));
  assert.equal(check({ viewedAt: "" }).at(-1)?.message, "is not a known field; did you mean viewed_at?");
});

test("finds __proto__ as the unknown field it is", () => {
  const errors = validate(JSON.parse(`${JSON.stringify(fine).slice(0, -1)},"__proto__":{"owner":1}}`));
  assert.deepEqual(
    errors.map(({ path }) => path),
    ["__proto__"],
  );
});

test(`stops at ${FIELD_ERRORS_MAX} errors`, () => {
  const many = Object.fromEntries(Array.from({ length: 10_000 }, (_, index) => [`field${index}`, 1]));
  assert.equal(validate({ ...fine, ...many }).length, FIELD_ERRORS_MAX);
  const list = createValidator(Type.Array(Type.Boolean()));
  assert.equal(list(Array.from({ length: 10_000 }, () => 1)).length, FIELD_ERRORS_MAX);
});

test("refuses twenty thousand levels wherever they stand", () => {
  const levels = JSON.parse(`${"[".repeat(20_000)}1${"]".repeat(20_000)}`) as unknown;
  for (const name of Object.keys(schema.properties)) {
    assert.ok(
      validate({ ...fine, [name]: levels }).some(({ path }) => path.startsWith(name)),
      name,
    );
  }
  const unlike = createValidator(Type.Array(Type.String(), { uniqueItems: true }));
  assert.deepEqual(unlike([levels]), [{ path: "[0]", message: "must be a string, not an array" }]);
});

test("quotes no value and cuts long names", () => {
  const secret = "s3cret@example.com";
  const bad = { id: secret, name: secret, level: secret, share: secret, done: secret, url: secret, tags: [secret] };
  const errors = validate({ ...bad, kind: secret, at: secret, owner: secret, params: { a: secret } });
  assert.equal(errors.length, 10);
  assert.doesNotMatch(JSON.stringify(errors), /s3cret/);
  const [longName] = validate({ ...fine, ["k".repeat(100_000)]: 1 });
  assert.ok(longName !== undefined && longName.path.length < 100);
});

test("asks a check in code only about values that are fine in every other way", () => {
  const range = Type.Object({ from: Type.Number(), to: Type.Number() });
  const ordered = Type.Refine(
    range,
    ({ from, to }) => from.valueOf() <= to.valueOf(),
    () => "must not end before it starts",
  );
  const check = createValidator(ordered);
  assert.deepEqual(check({ from: 1 }), [{ path: "to", message: "is missing: must be a number" }]);
  assert.deepEqual(check({ from: 2, to: 1 }), [{ path: "", message: "must not end before it starts" }]);
  assert.deepEqual(check({ from: 1, to: 2 }), []);
});

test("counts characters as JSON Schema does: an emoji is one", () => {
  assert.deepEqual(validate({ ...fine, name: "🙂🙂🙂🙂🙂" }), []);
  assert.equal(validate({ ...fine, name: "🙂🙂🙂🙂🙂🙂" })[0]?.message, "must have at most 5 characters, not 6");
});

test("takes ids of the product with the characters they may have", () => {
  const check = createValidator(productId({}));
  for (const id of ["a", "A-9_b.c:d", "x".repeat(128)]) assert.deepEqual(check(id), [], id);
  for (const id of ["", "a b", "ü", "a/b", "a\n", "x".repeat(129)]) assert.equal(check(id).length, 1, id);
});

test("explains exactly the values that the compiled check refuses, in words of our own", () => {
  const compiled = Compile(schema);
  const part = fc.oneof(fc.jsonValue({ maxDepth: 2 }), fc.constantFrom("low", "demo", 1, null, {}, [], "https://a.b"));
  const keys = fc.constantFrom(...Object.keys(schema.properties), "other");
  fc.assert(
    fc.property(fc.dictionary(keys, part, { maxKeys: 4 }), (changes) => {
      const value = { ...fine, ...changes };
      const errors = validate(value);
      assert.equal(errors.length === 0, compiled.Check(value));
      for (const { message } of errors) assert.notEqual(message, "does not match its schema");
    }),
    { numRuns: 3_000 },
  );
});

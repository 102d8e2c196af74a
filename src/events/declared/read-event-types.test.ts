import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, describe, test } from "node:test";
import { newFolder } from "../../../test/kit/folder.ts";
import { readEventTypes } from "./read-event-types.ts";

const RIGHT = {
  type: "order_paid",
  title: "Order paid",
  key: "/order/id",
  occurred_at: "/paid_at",
  headline: ["/order/id"],
  search: ["/lines"],
  schema: {
    type: "object",
    required: ["order", "paid_at"],
    properties: {
      order: { $ref: "#/$defs/order" },
      paid_at: { type: "string", format: "date-time" },
      note: { type: ["string", "null"] },
      lines: { type: "array", items: { type: "object", properties: { sku: { type: "string" } } } },
    },
    $defs: { order: { type: "object", required: ["id"], properties: { id: { type: "string" } } } },
  },
  example: { order: { id: "A-1" }, paid_at: "2026-11-20T12:00:00Z" },
};

const folders = newFolder();
after(() => folders[Symbol.dispose]());

function read(files: Readonly<Record<string, unknown>>) {
  const folder = mkdtempSync(join(folders.path, "events-"));
  for (const [name, content] of Object.entries(files)) {
    const isText = typeof content === "string" || Buffer.isBuffer(content);
    writeFileSync(join(folder, name), isText ? content : JSON.stringify(content));
  }
  return readEventTypes(folder, { taken: ["demo_viewed"] });
}

function faultsOf(files: Readonly<Record<string, unknown>>): string[] {
  const found = read(files);
  assert.ok(!found.ok, "there are faults");
  return found.error.map(({ file, pointer, message }) => `${file} ${pointer} ${message}`);
}

const MORE = "#/properties/more";
const withSchema = (schema: unknown) => ({ ...RIGHT, schema });
const withProperty = (property: unknown) => ({
  ...RIGHT,
  schema: { ...RIGHT.schema, properties: { ...RIGHT.schema.properties, more: property } },
});

describe("the files of declared types", () => {
  test("may name several pointers as the key, or leave it to the caller", () => {
    for (const key of [["/order/id", "/paid_at"], "caller"]) {
      const found = read({ "a.json": { ...RIGHT, key } });
      assert.ok(found.ok, JSON.stringify(found));
      assert.deepEqual(found.value[0]?.key, key);
    }
  });

  test("are read in the order of their names, and other files are passed over", () => {
    const found = read({ "b.json": RIGHT, "a.json": { ...RIGHT, type: "order.sent" }, "a.md": "# no", ".c.json": "{" });
    assert.ok(found.ok);
    assert.deepEqual(
      found.value.map(({ type, plan, description }) => [type, plan, description]),
      [
        ["order.sent", null, ""],
        ["order_paid", null, ""],
      ],
    );
  });

  test("report all faults of all files together", () => {
    const faults = faultsOf({
      "a.json": { ...RIGHT, key: "/order/number", headline: ["/order"], titel: "x", plan: "gold" },
      "b.json": { ...RIGHT, type: "Order Paid", example: [] },
      "c.json": '{\n  "type": "x",\n}',
      "d.json": withSchema({ type: "object", requird: [], properties: { id: { type: "strng" } } }),
    });
    assert.deepEqual(faults, [
      "a.json /titel is not a known member; known are type, title, schema, key, example, description, occurred_at, " +
        "headline, search, plan, enforce_formats",
      "a.json /plan must be one of free, starter, growth, premium, enterprise, or be left out",
      "a.json /key leads to /order/number: the schema has no number there; it has id",
      "a.json /headline/0 leads to an object or a list; a headline is a string or a number",
      "b.json /type must be a name of at most 64 characters: words of a-z and 0-9 with _ . or - between them, a " +
        'letter first, such as "lead_identified"',
      "b.json /example must be an object: a record that the schema accepts",
      "c.json  The text is not valid JSON: line 3, column 1 (position 17) is where it goes wrong; no comma stands " +
        "before }.",
      "d.json /schema/requird is no keyword of JSON Schema 2020-12; did you mean required?",
      "d.json /schema/properties/id/type must be one of object, array, string, number, integer, boolean, null, or a " +
        "list of some",
    ]);
  });

  const one: readonly (readonly [name: string, declaration: unknown, fault: string])[] = [
    [
      "a member is missing",
      { ...RIGHT, key: undefined },
      '/key is missing: a pointer to the id of the record, such as "/id"',
    ],
    [
      "a member is mistyped",
      { ...RIGHT, occured_at: "/paid_at", occurred_at: undefined },
      "/occured_at is not a known member; did you mean occurred_at?",
    ],
    [
      "a pointer has no slash",
      { ...RIGHT, key: "order.id" },
      '/key must be a JSON pointer to a member of the record, such as "/lead/email"; write "/order/id"',
    ],
    [
      "the schema has no such member",
      { ...RIGHT, key: "/order/idd" },
      "/key leads to /order/idd: the schema has no idd there; did you mean id?",
    ],
    [
      "the key may be null",
      { ...RIGHT, key: "/note" },
      "/key leads to a value of type string or null; a key is a string or an integer, and never null",
    ],
    [
      "the key may be missing",
      { ...withProperty({ type: "integer" }), key: "/more" },
      "/key leads to a value that may be missing; list its name in required",
    ],
    [
      "one of several pointers of a key leads to nothing",
      { ...RIGHT, key: ["/order/id", "/paid_on"] },
      "/key/1 leads to /paid_on: the schema has no paid_on there; did you mean paid_at?",
    ],
    [
      "one of several pointers of a key is none",
      { ...RIGHT, key: ["/order/id", "paid_at"] },
      "/key has a wrong entry, number 2: it must be a JSON pointer to a member of the record, such as " +
        '"/lead/email"; write "/paid_at"',
    ],
    ["a key has no pointer", { ...RIGHT, key: [] }, "/key must be a list of JSON pointers, each once"],
    [
      "a key has a pointer twice",
      { ...RIGHT, key: ["/order/id", "/order/id"] },
      "/key must be a list of JSON pointers, each once",
    ],
    [
      "a caller names the event in a member of the record",
      { ...withProperty({}), key: "caller", schema: { type: "object", properties: { idempotency_key: {} } } },
      '/key is "caller", and the schema has idempotency_key itself: write "/idempotency_key"',
    ],
    [
      "a time is no time",
      { ...RIGHT, occurred_at: "/note" },
      '/occurred_at leads to a value that is no time; its schema is a string of "format": "date-time"',
    ],
    [
      "a headline is a list",
      { ...RIGHT, headline: ["/order/id", "/lines"] },
      "/headline/1 leads to an object or a list; a headline is a string or a number",
    ],
    [
      "the example is refused",
      { ...RIGHT, example: { ...RIGHT.example, paid_at: "today" } },
      "/example paid_at must be an ISO 8601 time that exists, with an offset, such as 2026-11-20T12:00:00.000+00:00",
    ],
    [
      "the schema is of no object",
      withSchema({ properties: {} }),
      '/schema must be the schema of an object: it needs "type": "object"',
    ],
    [
      "a reference leads elsewhere",
      withProperty({ $ref: "https://example.com/lead.json" }),
      "/schema/properties/more/$ref leads to another document, and none is ever fetched: copy that schema into " +
        "$defs, and refer to #/$defs/…",
    ],
    [
      "a reference leads nowhere",
      withProperty({ $ref: "#/$defs/lead" }),
      "/schema/properties/more/$ref leads to no schema of this file: references are written #/$defs/name",
    ],
    [
      "a reference leads into itself",
      withSchema({ ...RIGHT.schema, anyOf: [{ $ref: "#" }, { not: { $ref: "#" } }] }),
      "/schema leads into itself for ever: between a $ref and what it refers to must be a member or an item",
    ],
    [
      "a pattern cannot be read",
      withProperty({ type: "string", pattern: "(" }),
      "/schema/properties/more/pattern is no regular expression of JavaScript, as it is read with the flag u: " +
        "Unterminated group",
    ],
    [
      "a pattern has no linear form",
      withProperty({ type: "string", pattern: "^(?!x)" }),
      "/schema/properties/more/pattern cannot be matched in linear time: its (?! looks around: demands that hold " +
        "together stand in allOf, and what must not be below not",
    ],
    [
      "a pattern of names has no linear form",
      withProperty({ type: "object", propertyNames: {}, patternProperties: { "^(a)\\1": {} } }),
      "/schema/properties/more/patternProperties has the pattern ^(a)\\1, which cannot be matched in linear time: " +
        "its \\1 refers back to what a group has found: write out what may stand there",
    ],
    [
      "each level of a record would double the work",
      withProperty({ anyOf: [{ properties: { a: { $ref: MORE } } }, { properties: { a: { $ref: MORE } } }] }),
      "/schema/properties/more may need more than 1000 checks of one value, because " +
        "/properties/more/anyOf/0/properties/a and /properties/more/anyOf/1/properties/a multiply: say each demand " +
        'once, or tell alternatives apart by a required constant, such as "kind": {"const": "…"} in each',
    ],
    [
      "a keyword is of an older draft",
      withProperty({ type: "array", items: [{}] }),
      "/schema/properties/more/items must be one schema, for all items; a list of schemas stands in prefixItems",
    ],
    [
      "a keyword is of another language",
      withProperty({ type: "string", nullable: true }),
      '/schema/properties/more/nullable is no keyword of JSON Schema 2020-12: write "type": ["string", "null"]',
    ],
    [
      "the dialect is an older one",
      withSchema({ ...RIGHT.schema, $schema: "http://json-schema.org/draft-07/schema#" }),
      '/schema/$schema must be "https://json-schema.org/draft/2020-12/schema", or be left out',
    ],
    [
      "the name is that of a built-in type",
      { ...RIGHT, type: "demo_viewed" },
      "/type is a built-in type: choose another name for demo_viewed",
    ],
    [
      "event would be refused in a body",
      withSchema({
        ...RIGHT.schema,
        allOf: [{ properties: { order: true, paid_at: true }, additionalProperties: false }],
      }),
      '/schema takes no "event": the body of the example has "event" beside the record\'s members, and is refused: ' +
        "event is not a known field; known here are order, paid_at.",
    ],
  ];
  for (const [name, declaration, fault] of one) {
    test(`say so when ${name}`, () => {
      assert.ok(
        faultsOf({ "a.json": declaration }).includes(`a.json ${fault}`),
        faultsOf({ "a.json": declaration }).join("\n"),
      );
    });
  }

  test("say so when two have one name", () => {
    assert.deepEqual(faultsOf({ "a.json": RIGHT, "b.json": RIGHT }), [
      "b.json /type is declared in a.json already: choose another name for order_paid",
    ]);
  });

  test("say so when one cannot be read", () => {
    const text = JSON.stringify(RIGHT);
    assert.deepEqual(
      faultsOf({
        "a.json": `\uFEFF${text}`,
        "b.json": Buffer.from([0xff, 0xfe, 0x7b, 0x00]),
        "c.json": text.padEnd(300_000),
      }),
      [
        "a.json  begins with a byte order mark, which JSON must not have: save it as UTF-8 without one",
        "b.json  is UTF-16; save it as UTF-8",
        "c.json  has 300000 bytes, and at most 262144 may be",
      ],
    );
    const none = readEventTypes(join(tmpdir(), "bellwire-no-such-folder"), { taken: [] });
    assert.match(none.ok ? "" : (none.error[0]?.message ?? ""), /^cannot be read: it is not there \(ENOENT\)/);
  });

  test("say so when one is a pipe that nobody writes to, or a device without an end", () => {
    const folder = mkdtempSync(join(tmpdir(), "bellwire-pipes-"));
    try {
      execFileSync("mkfifo", [join(folder, "a.json")]);
      symlinkSync("/dev/zero", join(folder, "b.json"));
      const found = readEventTypes(folder, { taken: [] });
      const words = "cannot be read: it is a device, a pipe or a socket, and no file (ENOTFILE). Name a file";
      assert.deepEqual(
        found.ok ? [] : found.error.map(({ file, message }) => [file, message]),
        ["a.json", "b.json"].map((name) => [name, words]),
      );
    } finally {
      rmSync(folder, { recursive: true });
    }
  });

  test("say so when one is nested so deep that its readers would run out of stack", () => {
    const text = JSON.stringify(withProperty("DEEP"));
    const deep = text.replace('"DEEP"', `${'{"items":'.repeat(10_000)}{}${"}".repeat(10_000)}`);
    assert.deepEqual(faultsOf({ "a.json": deep }), ["a.json  has more than 256 levels of objects and lists"]);
  });

  test("may be 200, and no more", () => {
    const files = Object.fromEntries(
      Array.from({ length: 201 }, (_, at) => [`${at}.json`, { ...RIGHT, type: `t${at}` }]),
    );
    assert.deepEqual(faultsOf(files), ["  has 201 types, and at most 200 may be"]);
    delete files["0.json"];
    assert.ok(read(files).ok);
  });
});

import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { ID, importFiles, importSchema, inBody, read, THING } from "./catalogs.kit.ts";

describe("the events of a catalog", () => {
  const callbacks = { onPaid: { "{$request.body#/url}": { post: inBody(THING) } } };
  const cases: readonly (readonly [name: string, catalog: object, types: readonly string[]])[] = [
    ["OpenAPI 3.1: webhooks", { openapi: "3.1.0", webhooks: { OrderPaid: { post: inBody(THING) } } }, ["order_paid"]],
    ["OpenAPI 3.0: callbacks", { openapi: "3.0.3", paths: { "/a": { post: { callbacks } } } }, ["on_paid"]],
    [
      "OpenAPI: path items, bodies and callbacks behind references",
      {
        openapi: "3.1.0",
        webhooks: { "order/paid": { $ref: "#/components/pathItems/paid" } },
        components: {
          pathItems: { paid: { post: { requestBody: { $ref: "#/components/requestBodies/paid" } } } },
          requestBodies: { paid: inBody({ $ref: "#/components/schemas/Thing" }).requestBody },
          schemas: { Thing: THING },
        },
      },
      ["order.paid"],
    ],
    [
      "OpenAPI: one webhook with many kinds of events",
      {
        openapi: "3.1.0",
        webhooks: {
          event: {
            post: inBody({
              oneOf: [{ $ref: "#/components/schemas/Paid" }, { $ref: "#/components/schemas/Sent" }],
              discriminator: { propertyName: "type", mapping: { "order.paid": "#/components/schemas/Paid" } },
            }),
          },
        },
        components: {
          schemas: {
            Paid: THING,
            Sent: { ...THING, properties: { ...ID, type: { const: "order.sent" } } },
          },
        },
      },
      ["order.paid", "order.sent"],
    ],
    [
      "AsyncAPI 2: messages of channels, by name, and one by its channel",
      {
        asyncapi: "2.6.0",
        channels: {
          "order/paid": { subscribe: { message: { payload: THING } } },
          orders: { publish: { message: { oneOf: [{ $ref: "#/components/messages/Sent" }] } } },
        },
        components: { messages: { Sent: { name: "order.sent", payload: THING } } },
      },
      ["order.paid", "order.sent"],
    ],
    [
      "AsyncAPI 3: messages of channels, and those of components once",
      {
        asyncapi: "3.0.0",
        channels: { orders: { messages: { paid: { $ref: "#/components/messages/OrderPaid" } } } },
        components: {
          messages: {
            OrderPaid: { payload: { schemaFormat: "application/schema+json", schema: THING } },
            OrderSent: { payload: { schemaFormat: "application/schema+yaml;version=draft-07", schema: THING } },
          },
        },
      },
      ["order_paid", "order_sent"],
    ],
    ["JSON Schema: one schema a file", THING, ["thing"]],
    [
      "JSON Schema: definitions that are no parts of others",
      {
        definitions: {
          order$paid: { ...THING, properties: { ...ID, customer: { $ref: "#/definitions/customer" } } },
          customer: { type: "object" },
        },
      },
      ["order.paid"],
    ],
    [
      "JSON Schema: a choice",
      { oneOf: [{ $ref: "#/$defs/sent" }, { $ref: "#/$defs/paid" }], $defs: { sent: THING, paid: THING } },
      ["sent", "paid"],
    ],
  ];
  for (const [name, catalog, types] of cases) {
    test(name, () => {
      const imported = importFiles({ "thing.json": catalog });
      assert.deepEqual(
        imported.types.map(({ type, faults }) => [type, faults]),
        types.map((type) => [type, []]),
      );
      assert.deepEqual(imported.unread, []);
      for (const each of imported.types) assert.equal(read(each).key, "/id");
    });
  }

  test("title, description and an example that fits come from the catalog", () => {
    const post = {
      summary: "Order paid",
      description: "The money is there.",
      requestBody: { content: { "application/json": { schema: THING, example: { id: "order-1" } } } },
    };
    const [type] = importFiles({ "a.json": { openapi: "3.1.0", webhooks: { paid: { post } } } }).types;
    assert.ok(type !== undefined);
    const { title, description, example } = read(type);
    assert.deepEqual([title, description, example], ["Order paid", "The money is there.", { id: "order-1" }]);
  });

  const refused: readonly (readonly [string, unknown, RegExp])[] = [
    ["a.yaml", "openapi: 3.1.0", /^is YAML, and JSON is read: npx --yes yaml@2 --json --single < a.yaml > a.json$/],
    ["a.json", "{", /^is no JSON: /],
    ["a.json", [], /^is no catalog: /],
    ["a.json", { swagger: "2.0" }, /^is Swagger 2, /],
    ["a.json", { openapi: "3.1.0", paths: {} }, /^has no webhooks and no callbacks$/],
    ["a.json", { asyncapi: "3.0.0" }, /^has no messages$/],
    ["a.json", { title: "Nothing" }, /^has no schema of an event$/],
    ["a.json", `${"[".repeat(300)}${"]".repeat(300)}`, /^has more than 256 levels/],
  ];
  for (const [name, content, words] of refused) {
    test(`${name} with ${JSON.stringify(content).slice(0, 40)} is refused in words`, () => {
      const [fault] = importFiles({ [name]: content }).unread;
      assert.match(fault?.message ?? "", words);
    });
  }

  test("what is no JSON stays out, with the reason", () => {
    const xml = { requestBody: { content: { "application/xml": {} } } };
    const avro = { payload: { schemaFormat: "application/vnd.apache.avro;version=1.9.0", schema: {} } };
    const faultOf = (catalog: object) => importFiles({ "a.json": catalog }).types[0]?.faults[0]?.message;
    assert.match(
      faultOf({ openapi: "3.1.0", webhooks: { a: { post: xml } } }) ?? "",
      /^has a body of application\/xml/,
    );
    assert.match(faultOf({ asyncapi: "3.0.0", components: { messages: { a: avro } } }) ?? "", /say it in JSON Schema$/);
  });
});

describe("words of earlier drafts and of OpenAPI 3.0", () => {
  const draft = { $schema: "http://json-schema.org/draft-07/schema#" };
  const cases: readonly (readonly [given: object, made: object, now: object])[] = [
    [{ items: [{ type: "string" }], additionalItems: false }, { prefixItems: [{ type: "string" }], items: false }, {}],
    [{ items: { type: "string" }, additionalItems: false }, { items: { type: "string" } }, {}],
    [
      { dependencies: { a: ["b"], c: { required: ["d"] } } },
      { dependentRequired: { a: ["b"] }, dependentSchemas: { c: { required: ["d"] } } },
      {},
    ],
    [{ type: "number", minimum: 1, exclusiveMinimum: true }, { type: "number", exclusiveMinimum: 1 }, {}],
    [{ type: "number", maximum: 1, exclusiveMaximum: false }, { type: "number", maximum: 1 }, {}],
    [{ type: "string", nullable: true, enum: ["a"] }, { type: ["string", "null"], enum: ["a", null] }, {}],
    [
      { nullable: true, allOf: [{ type: "string" }] },
      { anyOf: [{ allOf: [{ type: "string" }] }, { type: "null" }] },
      {},
    ],
    [{ type: "string", example: "a" }, { type: "string", examples: ["a"] }, {}],
    [
      { $ref: "#/definitions/a", maxLength: 3, description: "b" },
      { $ref: "#/$defs/a", description: "b" },
      { a: { type: "string" } },
    ],
    [{ $id: "#name", type: "string", $schema: "http://json-schema.org/draft-07/schema#" }, { type: "string" }, {}],
    [{ type: "string", tsType: "Foo", xml: {}, "x-own": 1 }, { type: "string", "x-tsType": "Foo", "x-own": 1 }, {}],
  ];
  for (const [given, made, definitions] of cases) {
    test(JSON.stringify(given), () => {
      const thing = { ...draft, ...THING, properties: { ...ID, part: given }, definitions };
      const { declaration, faults } = importSchema(thing);
      assert.deepEqual(faults, []);
      assert.deepEqual(declaration.schema.properties.part, made);
    });
  }

  test("a keyword of another tool is told", () => {
    const { decisions } = importSchema({ ...THING, tsType: "Foo" });
    assert.match(decisions[0]?.what ?? "", /^tsType: no keyword/);
  });

  test("a schema that cannot run is named in the words of the check, and the rest is proposed all the same", () => {
    const odd = { code: { type: "string", pattern: "(?=a)" }, kind: { type: "strang" } };
    const { declaration, faults } = importSchema({ ...THING, properties: { ...ID, ...odd, name: { type: "string" } } });
    assert.deepEqual(
      faults.map(({ pointer }) => pointer),
      ["/schema/properties/code/pattern", "/schema/properties/kind/type"],
    );
    assert.match(faults[0]?.message ?? "", /looks around: demands that hold together stand in allOf/);
    assert.deepEqual([declaration.key, declaration.headline], ["/id", ["/name"]]);
  });
});

describe("what a catalog does not say", () => {
  const text = { type: "string" };
  const time = { type: "string", format: "date-time" };
  const of = (properties: object, required = Object.keys(properties)) => ({ type: "object", required, properties });
  const keys: readonly (readonly [type: string, schema: object, key: unknown, decides: boolean])[] = [
    ["thing", of({ id: text, event_id: text }), "/event_id", false],
    ["thing", of({ eventId: { type: "number" } }), "/eventId", true],
    ["thing", of({ context: of({ id: text }), subject: of({ id: text }) }), "/context/id", false],
    ["thing", of({ data: of({ id: text }) }), "/data/id", false],
    ["thing", of({ data: of({ id: text }, []) }), "/data/id", true],
    ["thing", of({ id: { type: ["string", "null"] } }), "/id", true],
    ["order.paid", of({ customer: of({ id: text }), order: of({ id: { type: "integer" } }) }), "/order/id", false],
    ["order.updated", of({ id: text, updated_at: time }), ["/id", "/updated_at"], true],
    ["order.updated", of({ id: text }), "caller", true],
    ["thing", of({ sender_id: text, ticket_id: text }), ["/ticket_id", "/created"], true],
    ["thing", of({ total: { type: "number" } }), "caller", true],
  ];
  for (const [type, given, key, decides] of keys) {
    test(`the key of ${type} with ${JSON.stringify(given)}`, () => {
      const isTimed = JSON.stringify(key).includes("created");
      const schema = isTimed
        ? { ...given, properties: { ...(given as typeof THING).properties, created: time } }
        : given;
      const [made] = importFiles({ [`${type}.json`]: schema }).types;
      assert.ok(made !== undefined);
      assert.deepEqual([made.faults, read(made).key], [[], key]);
      assert.equal(
        made.decisions.some(({ at }) => at === "key" || at.startsWith("/")),
        decides,
      );
    });
  }

  test("time, headline and search go by names, types and formats", () => {
    const more = { created_at: time, occurred_at: time, seen: time, name: text, email: text, title: { const: "a" } };
    const { declaration } = importSchema(of({ id: text, ...more }));
    assert.equal(declaration.occurred_at, "/occurred_at");
    assert.deepEqual(
      [declaration.headline, declaration.search],
      [
        ["/email", "/name"],
        ["/email", "/name"],
      ],
    );
  });

  test("a payload is taken out of an envelope that only names the event, and of no other", () => {
    const inside = of({ id: text });
    const bare = importSchema(of({ type: text, version: text, data: inside }));
    assert.deepEqual(Object.keys(bare.declaration.schema.properties), ["id"]);
    assert.equal(bare.decisions[0]?.proposed, "a record is what stands in data");
    const full = importSchema(of({ id: text, type: text, data: inside }));
    assert.deepEqual(Object.keys(full.declaration.schema.properties), ["id", "type", "data"]);
    const event = importSchema(of({ token: text, event: inside }));
    assert.deepEqual(Object.keys(event.declaration.schema.properties), ["id"]);
  });

  test("the member event names the type, or is left out", () => {
    const named = importSchema(of({ id: text, event: { const: "order.paid" } }));
    assert.deepEqual([named.type, named.faults, named.decisions.length], ["order.paid", [], 1]);
    const shouted = importSchema(of({ id: text, event: { enum: ["ORDER PAID"] } }));
    assert.deepEqual([shouted.type, shouted.faults], ["thing", []]);
    assert.deepEqual(Object.keys(shouted.declaration.schema.properties), ["id"]);
  });

  test("an example is made that the schema takes, and the catalog's is refused with the reason", () => {
    const odd = of({
      id: { type: "string", pattern: "^[A-Z]{8}$" },
      choice: {
        oneOf: [
          { type: "string", maxLength: 0, minLength: 1 },
          { type: "integer", minimum: 7, multipleOf: 5 },
        ],
      },
      none: { allOf: [{ type: ["string", "null"] }, { type: "null" }] },
      list: { type: "array", minItems: 2, items: { enum: ["a", "b"] } },
      pair: { prefixItems: [{ type: "boolean" }], items: false },
      size: { type: "number", exclusiveMinimum: 0, maximum: 0.75 },
      code: { type: "string", minLength: 12 },
    });
    const { declaration, faults, decisions } = importSchema({ ...odd, examples: [{ id: 1 }] });
    assert.deepEqual(faults, []);
    assert.equal(declaration.example.choice, 10);
    assert.match(decisions.at(-1)?.what ?? "", /^the catalog's is refused: id must be a string/);
  });

  test("two events of one name, and built-in names, get others", () => {
    const both = importFiles({ "demo_viewed.json": THING, "a/b.json": THING, "c/b.json": THING }, [
      "demo_viewed.json",
      "a/b.json",
      "c/b.json",
    ]);
    assert.deepEqual(
      both.types.map(({ type }) => type),
      ["demo_viewed_2", "a.b", "c.b"],
    );
  });

  test("two of one name after it was cut get others, which end with a word before the number", () => {
    const long = `${"a".repeat(58)}.${"b".repeat(9)}`;
    const webhooks = { [`${long}.paid`]: { post: inBody(THING) }, [`${long}.sent`]: { post: inBody(THING) } };
    const { types } = importFiles({ "a.json": { openapi: "3.1.0", webhooks } });
    assert.deepEqual(
      types.map(({ type, faults }) => [type, faults]),
      [
        [`${"a".repeat(58)}.bbbbb`, []],
        [`${"a".repeat(58)}_2`, []],
      ],
    );
  });
});

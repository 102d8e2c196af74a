/** The published documents with declared types in them, compared with the official schemas of their kinds. */
import assert from "node:assert/strict";
import { join } from "node:path";
import { test } from "node:test";
import official from "@asyncapi/specs/schemas/3.0.0-without-$id.json" with { type: "json" };
import { Validator } from "@seriousme/openapi-schema-validator";
import { Ajv } from "ajv";
import { Ajv2020 } from "ajv/dist/2020.js";
import formats from "ajv-formats";
import { createTestApp } from "../../test/kit/world/app-under-test.ts";
import { toValue } from "../../test/kit/world/world.ts";
import { toDeclaration } from "../events/declared/declared.kit.ts";
import { readEventTypes } from "../events/declared/read-event-types.ts";
import { createEventTypes } from "../events/event-types.ts";
import { valueAt, parsePointer } from "../events/schema/keywords.ts";

const EXAMPLES = join(import.meta.dirname, "../../examples/events");

/** Everything by which a schema refers to itself, and names that are ours elsewhere. */
const ODD = toDeclaration({
  type: "odd.thing-1",
  schema: {
    $id: "https://example.com/odd",
    type: "object",
    required: ["id"],
    additionalProperties: false,
    properties: {
      id: { type: "integer" },
      "x-format": { type: "string" },
      schema: { type: "object", properties: { value: { const: { "x-message": 1 } } } },
      whole: { $ref: "#" },
      named: { $ref: "#there" },
      apart: { $ref: "/apart" },
      spaced: { $ref: "#/$defs/with%20space~1slash" },
      dynamic: { $dynamicRef: "#there" },
      deep: { $ref: "#/properties/named" },
    },
    $defs: {
      there: { $anchor: "there", type: "object", properties: { more: { $ref: "#there" } } },
      apart: { $id: "/apart", $ref: "#/$defs/inside", $defs: { inside: { type: "boolean" } } },
      "with space/slash": { type: "string", "x-message": "must be right" },
      record: { type: "null" },
    },
  },
  exampleText:
    '{"id":12345678901234567890,"x-format":"a","schema":{"value":{"x-message":1}},"whole":{"id":1},' +
    '"named":{"more":{}},"apart":true,"spaced":"b","dynamic":{},"deep":{}}',
});

const declared = [...toValue(readEventTypes(EXAMPLES, { taken: [] })), ODD];
const types = createEventTypes(declared);

const addFormats = formats as unknown as typeof formats.default;

async function read(url: string) {
  await using intake = await createTestApp({}, { types });
  const answer = await intake.app.server.inject({ method: "GET", url });
  assert.equal(answer.statusCode, 200, url);
  return { text: answer.body, document: answer.json() };
}

/** The places of a document that a reference leads to. */
function listTargets(document: unknown): unknown[] {
  const references = [...JSON.stringify(document).matchAll(/"\$ref":"#([^"]*)"/g)].map(([, to = ""]) => to);
  assert.ok(references.length > 0);
  return references.map((to) => {
    const target = valueAt(document, parsePointer(decodeURI(to)) ?? ["no pointer"]);
    assert.notEqual(target, undefined, to);
    return target;
  });
}

for (const { type, exampleText } of declared) {
  const record = JSON.parse(exampleText);
  const body = { ...record, event: type };

  test(`the JSON Schemas of ${type} take its example as record and as body, and nothing without its key`, async () => {
    for (const [name, value] of [
      [type, body],
      [`${type}.record`, record],
    ] as const) {
      const { document } = await read(`/schemas/${name}.json`);
      const ajv = addFormats(new Ajv2020({ strict: true, allowUnionTypes: true, allErrors: true }));
      const validate = ajv.compile(document);
      assert.equal(validate(value), true, JSON.stringify(validate.errors));
      assert.equal(validate({ event: type }), false);
      assert.equal(document.$id.endsWith(`/schemas/${name}.json`), true);
      assert.deepEqual(document.examples, [value]);
    }
  });

  test(`AsyncAPI and OpenAPI have ${type} with a schema that takes its body where it stands`, async () => {
    const { document: sent } = await read("/asyncapi.json");
    const { document: open } = await read("/openapi.json");
    const place = ["webhooks", type, "post", "requestBody", "content", "application/json", "schema"];
    const path = ["paths", `/v1/accounts/{account_id}/events/${type}`, "post", "requestBody", "content"];
    for (const [document, where, value] of [
      [sent, ["components", "messages", type, "payload"], body],
      [open, place, body],
      [open, [...path, "application/json", "schema"], record],
    ] as const) {
      // The document as a whole is no schema, but its references begin there.
      const ajv = addFormats(new Ajv2020({ strict: false }));
      ajv.addSchema(document, "document");
      const pointer = where.map((part) => `/${part.replaceAll("~", "~0").replaceAll("/", "~1")}`).join("");
      const validate = ajv.compile({ $ref: `document#${encodeURI(pointer)}` });
      assert.equal(validate(value), true, `${pointer} ${JSON.stringify(validate.errors)}`);
      assert.equal(validate({ event: type }), false, pointer);
    }
    assert.deepEqual(valueAt(open, [...path, "application/json", "examples", "sample", "value"]), record);
  });
}

test("each document keeps the official schema of its kind, and none of its references leads nowhere", async () => {
  const { document: sent } = await read("/asyncapi.json");
  const validate = addFormats(new Ajv({ strict: false, allErrors: true })).compile(official);
  assert.equal(validate(sent), true, JSON.stringify(validate.errors, null, 2));
  const { document: open } = await read("/openapi.json");
  const { valid, errors } = await new Validator().validate(structuredClone(open));
  assert.equal(valid, true, JSON.stringify(errors, null, 2));
  for (const document of [sent, open]) listTargets(document);
});

test("examples keep their digits, and members their names", async () => {
  for (const url of ["/openapi.json", "/asyncapi.json", "/schemas/odd.thing-1.json"]) {
    const { text } = await read(url);
    assert.match(text, /"id":12345678901234567890,"x-format":"a","schema":\{"value":\{"x-message":1\}\}/, url);
    assert.match(text, /"x-format":\{"type":"string"\}/, url);
  }
});

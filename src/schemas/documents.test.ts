/** The published documents, compared with the official schemas of their kinds, and with real bodies and records. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import official from "@asyncapi/specs/schemas/3.0.0-without-$id.json" with { type: "json" };
import { Ajv } from "ajv";
import { Ajv2020 } from "ajv/dist/2020.js";
import formats from "ajv-formats";
import { makeTarget } from "../../test/kit/make.ts";
import { createTestApp } from "../../test/kit/world/app-under-test.ts";
import { APP_URL, toValue } from "../../test/kit/world/world.ts";
import { buildRequest } from "../delivery/send/request.ts";
import { BUILT_IN_TYPES } from "../events/event-types.ts";
import { operatorAlertBody } from "../domain/operator-alert.ts";
import { newVerificationSecret } from "../domain/signature.ts";
import { testBody } from "../notify/notification-body.ts";
import { NOTIFICATION_SAMPLE } from "./notification-body.ts";
import { OPERATOR_ALERT_SAMPLES } from "./operator-alerts.ts";
import { eventType } from "../../test/kit/event-type.ts";

const PUBLIC_URL = "https://hooks.example.com/base";
const SCHEMA_TYPE = "application/schema+json; charset=utf-8";

/** Its package writes for CommonJS. */
const addFormats = formats as unknown as typeof formats.default;

async function read(url: string, env: Readonly<Record<string, string>> = {}) {
  await using intake = await createTestApp({ BELLWIRE_PUBLIC_URL: "https://hooks.example.com", ...env });
  return await intake.app.server.inject({ method: "GET", url });
}

async function compiled(name: string) {
  const answer = await read(`/schemas/${name}.json`);
  assert.equal(answer.headers["content-type"], SCHEMA_TYPE);
  // Strict: an unknown keyword is an error, and so is an unknown format.
  const ajv = new Ajv2020({ strict: true, strictRequired: false, allErrors: true });
  addFormats(ajv);
  assert.equal(ajv.validateSchema(answer.json()), true, JSON.stringify(ajv.errors));
  return ajv.compile(answer.json());
}

describe("the JSON Schemas", () => {
  for (const type of BUILT_IN_TYPES.all.map(({ type: name }) => name)) {
    const { example, parse, builtIn } = eventType(type);
    const recordSchema = builtIn?.schema ?? "";

    test(`${type} takes the body that is sent, and no other`, async () => {
      const validate = await compiled(type);
      const body = JSON.parse(toValue(parse(JSON.stringify(example))).buildBody({ appUrl: APP_URL }));
      assert.equal(validate(body), true, JSON.stringify(validate.errors));
      for (const wrong of [{ ...body, surprise: 1 }, { ...body, id: 7 }, { ...body, lead: {} }, [], null]) {
        assert.equal(validate(wrong), false, JSON.stringify(wrong));
      }
    });

    test(`${recordSchema} takes the sample record, and not one without its id`, async () => {
      const validate = await compiled(recordSchema);
      assert.equal(validate(example), true, JSON.stringify(validate.errors));
      const { id: _, ...rest } = example;
      assert.equal(validate(rest), false);
    });
  }

  test("name themselves by the address where they stand", async () => {
    const { $id } = (await read("/schemas/demo_viewed.json")).json();
    assert.equal($id, "https://hooks.example.com/schemas/demo_viewed.json");
  });

  for (const [kind, sample] of Object.entries(OPERATOR_ALERT_SAMPLES)) {
    test(`${kind} takes what the operator is told, and no other`, async () => {
      const validate = await compiled(kind);
      // Each pair belongs together, which its type in the list of all pairs does not say.
      const body = JSON.parse(operatorAlertBody(kind as "operator_test", 0, sample as { node: string }));
      assert.equal(validate(body), true, JSON.stringify(validate.errors));
      const { event: _, ...rest } = body;
      for (const wrong of [{ ...body, surprise: 1 }, { ...body, event: "demo_viewed" }, rest]) {
        assert.equal(validate(wrong), false, JSON.stringify(wrong));
      }
    });
  }

  test("failure_news takes what a channel is notified of and a test of it, and no other", async () => {
    const validate = await compiled("failure_news");
    const tried = JSON.parse(testBody({ accountId: "acme", accountName: "Acme", publicUrl: PUBLIC_URL, nowMs: 0 }));
    for (const body of [NOTIFICATION_SAMPLE, { ...NOTIFICATION_SAMPLE, destinations: [] }, tried])
      assert.equal(validate(body), true, JSON.stringify(validate.errors));
    const { type: _, ...rest } = NOTIFICATION_SAMPLE;
    for (const wrong of [
      { ...NOTIFICATION_SAMPLE, surprise: 1 },
      { ...NOTIFICATION_SAMPLE, type: "demo_viewed" },
      rest,
    ]) {
      assert.equal(validate(wrong), false, JSON.stringify(wrong));
    }
  });

  test("are no others", async () => {
    for (const name of ["lead", "constructor", "__proto__"]) {
      assert.equal((await read(`/schemas/${name}.json`)).statusCode, 404, name);
    }
  });
});

describe("the AsyncAPI document", () => {
  const ajv = new Ajv({ strict: false, allErrors: true });
  addFormats(ajv);
  const validate = ajv.compile(official);

  test("keeps AsyncAPI's own schema", async () => {
    const document = (await read("/asyncapi.json")).json();
    assert.equal(validate(document), true, JSON.stringify(validate.errors, null, 2));
    assert.equal(validate({ ...document, channels: { a: { address: 7 } } }), false, "it notices a wrong document");
  });

  test("has no reference that leads nowhere", async () => {
    const document = (await read("/asyncapi.json")).json();
    const references = [...JSON.stringify(document).matchAll(/"\$ref":"#\/([^"]+)"/g)].map(([, to = ""]) => to);
    assert.ok(references.length >= 8, `${references.length}`);
    for (const to of references) assert.notEqual(at(document, to), undefined, to);
  });

  for (const type of BUILT_IN_TYPES.all.map(({ type: name }) => name)) {
    test(`${type} is sent with POST, and its payload takes the real body`, async () => {
      const { operations, components } = (await read("/asyncapi.json")).json();
      assert.deepEqual([operations[type].action, operations[type].bindings.http.method], ["send", "POST"]);
      const { example, parse } = eventType(type);
      const body = JSON.parse(toValue(parse(JSON.stringify(example))).buildBody({ appUrl: APP_URL }));
      // AsyncAPI's own kind of schema is a superset of draft 7.
      const payload = addFormats(new Ajv({ strict: true })).compile(components.messages[type].payload);
      assert.equal(payload(body), true, JSON.stringify(payload.errors));
      assert.equal(payload({ ...body, surprise: 1 }), false);
    });
  }

  test("describes the headers of an event and of a test, and every one that is sent", async () => {
    const { headers: schema } = (await read("/asyncapi.json")).json().components.messageTraits.signed;
    const takes = new Ajv({ strict: true, strictRequired: false }).compile(schema);
    const [event, marked] = ["dlv_1", "test_dlv_1"].map(headersUnder);
    assert.deepEqual([takes(event), takes(marked)], [true, true], JSON.stringify(takes.errors));
    const own = Object.keys(marked ?? {}).filter((name) => !name.startsWith("content-"));
    assert.deepEqual(Object.keys(schema.properties).toSorted(), own.toSorted());
    assert.equal(takes({ ...event, "bellwire-test": "0" }), false);
    const { parameters } = (await read("/openapi.json")).json().webhooks.demo_viewed.post;
    const [known, needed] = [parameters, parameters.filter(({ required }: { required: boolean }) => required)].map(
      (list: readonly { name: string }[]) => list.map(({ name }) => name).toSorted(),
    );
    assert.deepEqual(
      [known, needed],
      [own.toSorted(), schema.required.toSorted()],
      "the OpenAPI document says the same",
    );
  });

  test("names a renamed signature header, and where the service is reached", async () => {
    const env = { BELLWIRE_SIGNATURE_HEADER: "x-acme", BELLWIRE_PUBLIC_URL: PUBLIC_URL };
    const { components } = (await read("/asyncapi.json", env)).json();
    assert.ok(components.messageTraits.signed.headers.required.includes("x-acme"));
    assert.equal(components.messages.demo_viewed.externalDocs.url, `${PUBLIC_URL}/schemas/demo_viewed.json`);
  });
});

function headersUnder(webhookId: string) {
  const secrets = [newVerificationSecret(new Uint8Array(32))];
  const target = makeTarget({ secrets });
  const names = { signatureHeader: "x-service-signature", userAgent: "Bellwire/0" };
  const { headers } = buildRequest({ webhookId, body: "{}", target, nowMs: 0, names, owner: "acct-1" });
  // The head's writer adds it (write-head.ts).
  return { accept: "*/*", ...headers };
}

function at(document: unknown, path: string): unknown {
  return path
    .split("/")
    .reduce<unknown>((part, name) => (part as Record<string, unknown> | undefined)?.[name], document);
}

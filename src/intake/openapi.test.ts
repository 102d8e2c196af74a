import assert from "node:assert/strict";
import { test } from "node:test";
import { Validator } from "@seriousme/openapi-schema-validator";
import { Compile } from "typebox/compile";
import { createTestApp } from "../../test/kit/world/app-under-test.ts";
import { APP_URL, toValue } from "../../test/kit/world/world.ts";
import { BUILT_IN_TYPES } from "../events/event-types.ts";
import { eventType } from "../../test/kit/event-type.ts";

async function readDocument() {
  await using intake = await createTestApp({ BELLWIRE_PUBLIC_URL: "https://hooks.example.com" });
  return (await intake.app.server.inject({ method: "GET", url: "/openapi.json" })).json();
}

test("the document is OpenAPI 3.1 and names where this service is reached", async () => {
  const { openapi, servers } = await readDocument();
  assert.equal(openapi, "3.1.0");
  assert.deepEqual(servers, [{ url: "https://hooks.example.com" }]);
});

test("it keeps the official schema of OpenAPI", async () => {
  const { valid, errors } = await new Validator().validate(await readDocument());
  assert.equal(valid, true, JSON.stringify(errors, null, 2));
  const { valid: isTaken } = await new Validator().validate({ ...(await readDocument()), servers: "none" });
  assert.equal(isTaken, false, "it notices a wrong document");
});

/** Records, webhooks, and the operator's notices. */
const SCHEMAS = [
  "backlog_cleared",
  "backlog_late",
  "chat_conversation",
  "chat_conversation_completed",
  "demo_session",
  "demo_viewed",
  "destination_failing",
  "destination_recovered",
  "destination_turned_off",
  "failure_news",
  "operator_test",
  "store_healthy",
  "store_unhealthy",
];

test("it lists every call of intake, and none that manages webhooks", async () => {
  const { paths } = await readDocument();
  const calls = Object.entries(paths).flatMap(([path, item]) =>
    Object.keys(item as object).map((method) => `${method} ${path}`),
  );
  assert.deepEqual(calls.toSorted(), [
    "delete /v1/accounts/{account_id}",
    "delete /v1/accounts/{account_id}/people",
    "delete /v1/accounts/{account_id}/sessions",
    "get /asyncapi.json",
    "get /healthz",
    "get /metrics",
    "get /openapi.json",
    "get /readyz",
    ...SCHEMAS.map((name) => `get /schemas/${name}.json`),
    "get /v1/accounts/{account_id}/refused-records",
    "get /v1/accounts/{account_id}/sessions",
    "post /v1/accounts/{account_id}/chat-conversations",
    "post /v1/accounts/{account_id}/dashboard-links",
    "post /v1/accounts/{account_id}/demo-sessions",
    "post /v1/accounts/{account_id}/events/chat_conversation_completed",
    "post /v1/accounts/{account_id}/events/demo_viewed",
    "post /v1/accounts/{account_id}/resume",
    "post /v1/accounts/{account_id}/suspend",
    "put /v1/accounts/{account_id}",
    "put /v1/accounts/{account_id}/chat-assistants/{assistant_id}",
  ]);
});

test("every parameter of an address is described", async () => {
  const { paths } = await readDocument();
  for (const [path, item] of Object.entries(paths)) {
    const names = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name);
    for (const operation of Object.values(item as Record<string, { parameters?: { name: string; in: string }[] }>)) {
      assert.deepEqual(
        (operation.parameters ?? []).filter((parameter) => parameter.in === "path").map(({ name }) => name),
        names,
        path,
      );
    }
  }
});

for (const type of BUILT_IN_TYPES.all.map(({ type: name }) => name)) {
  test(`the webhook ${type} is described by a schema that its own sample passes`, async () => {
    const { webhooks } = await readDocument();
    const { requestBody, parameters } = webhooks[type].post;
    const family = eventType(type);
    const body = toValue(family.parse(JSON.stringify(family.example))).buildBody({ appUrl: APP_URL });
    const schema = Compile(requestBody.content["application/json"].schema);
    assert.equal(schema.Check(JSON.parse(body)), true);
    assert.equal(schema.Check({ ...JSON.parse(body), surprise: 1 }), false);
    assert.ok(parameters.some(({ name }: { name: string }) => name === "x-service-signature"));
  });
}

test("a renamed signature header is named in the contract", async () => {
  await using intake = await createTestApp({ BELLWIRE_SIGNATURE_HEADER: "x-acme-signature" });
  const { webhooks } = (await intake.app.server.inject({ method: "GET", url: "/openapi.json" })).json();
  assert.equal(webhooks.demo_viewed.post.parameters[0].name, "x-acme-signature");
});

/** Ids in addresses that none can be: each call that takes one says what is wrong with it. */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { toDeclaration } from "../events/declared/declared.kit.ts";
import { createEventTypes } from "../events/event-types.ts";
import { API_KEY, type Call, createTestApp } from "../../test/kit/world/app-under-test.ts";
import { toValue } from "../../test/kit/world/world.ts";
import { makeReadKey } from "../accounts/read-keys.ts";
import { BY, openService } from "./manage/manage.kit.ts";

let service: Awaited<ReturnType<typeof openService>>;
before(async () => {
  service = await openService();
});
after(() => service[Symbol.asyncDispose]());

interface Operation {
  readonly operationId: string;
  readonly security?: readonly object[];
}

interface Listed {
  readonly method: Call["method"];
  readonly path: string;
  readonly names: readonly string[];
  readonly isIntakes: boolean;
}

/** Of every call that the document has with an id in its address. */
async function listOperations(): Promise<readonly Listed[]> {
  const { paths } = (await service.app.server.inject("/openapi.json")).json();
  return Object.entries<Readonly<Record<string, Operation>>>(paths).flatMap(([path, item]) =>
    Object.entries(item).flatMap(([method, { security }]) => {
      const names = [...path.matchAll(/\{(\w+)\}/g)].map(([, name = ""]) => name);
      const isIntakes = security === undefined || security.some((scheme) => "intakeKey" in scheme);
      return names.length === 0 ? [] : [{ method: method.toUpperCase() as Call["method"], path, names, isIntakes }];
    }),
  );
}

/** A key makes 50 calls a second: each call's tries have one of their own. */
async function makeKey(): Promise<string> {
  const made = { accountId: "acme", name: "tries", kind: "manage", by: BY } as const;
  return toValue(await makeReadKey(service.app.accounts, made)).key;
}

const GOOD: Readonly<Record<string, string>> = { account_id: "acme" };

/** What an event tells about has an id of the product's, which may be any text of 256 characters. */
const BAD = ["", "%20", "a%20b", "a%2Fb", "%00", "%C3%BC", "a".repeat(129)];
const BAD_OF_EVENT = ["", "%00", "a%00b", "a".repeat(257)];

test("an id that is empty, too long or has other characters is refused by its name, by every call", async () => {
  const operations = await listOperations();
  assert.ok(operations.length > 20, `${operations.length}`);
  const wrong: string[] = [];
  for (const { method, path, names, isIntakes } of operations) {
    const key = isIntakes ? API_KEY : await makeKey();
    for (const name of names) {
      for (const bad of name === "event" ? BAD_OF_EVENT : BAD) {
        const url = path.replace(/\{(\w+)\}/g, (_, each: string) => (each === name ? bad : (GOOD[each] ?? "x")));
        const headers = { authorization: `Bearer ${key}`, "content-type": "application/json" };
        const payload = method === "GET" || method === "DELETE" ? {} : { payload: "{}" };
        const answer = await service.app.server.inject({ method, url, headers, ...payload });
        const { code, errors } = answer.json();
        const isRight = answer.statusCode === 400 && code === "invalid_parameter" && errors?.[0]?.path === name;
        if (!isRight) wrong.push(`${method} ${path} ${name}=${bad.slice(0, 9)}: ${answer.statusCode} ${answer.body}`);
      }
    }
  }
  assert.deepEqual(wrong, []);
});

test("an event is found by the product's id of what it tells about, any text of 256 characters", async () => {
  const id = `Ä/ ${"x".repeat(253)}`;
  const schema = { type: "object", required: ["id"], properties: { id: { type: "string" } } } as const;
  const types = createEventTypes([toDeclaration({ type: "order.paid", key: "/id", schema })]);
  await using shop = await createTestApp({}, { types });
  await shop.put("/v1/accounts/acme", { name: "Acme", plan: "growth", app_url: "https://app.example.com" });
  const { key } = toValue(await makeReadKey(shop.app.accounts, { accountId: "acme", name: "desk", by: BY }));
  const sent = await shop.post("/v1/accounts/acme/events/order.paid", { id });
  assert.equal(sent.statusCode, 202, sent.body);
  const headers = { authorization: `Bearer ${key}` };
  const url = `/v1/accounts/acme/events/${encodeURIComponent(id)}`;
  const found = await shop.app.server.inject({ url, headers });
  assert.deepEqual([found.statusCode, found.json().source_id], [200, id]);
  const call = { jsonrpc: "2.0", id: 1, method: "tools/call", params: { name: "explain_event", arguments: { id } } };
  const asked = await shop.app.server.inject({ method: "POST", url: "/mcp", headers, payload: call });
  assert.match(asked.body, /Deliveries that it fired: 0/);
});

test("an id of ours that names no webhook is not made one, and is told apart from a caller's", async () => {
  const answer = await service.put("dst_mine", {
    kind: "webhook",
    name: "A",
    events: "all",
    webhook: { url: "pull:" },
  });
  assert.deepEqual([answer.status, answer.body.code], [404, "webhook_not_found"]);
  assert.match(answer.body.detail, /An id of yours does not begin with dst_/);
});

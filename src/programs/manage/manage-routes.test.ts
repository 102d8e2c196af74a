/**
 * Every manage route, open and closed. The list is the table of routes, so a new route is tried at once, and its
 * example is run. Whom it refuses is in `../every-key.test.ts`.
 */
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { Ajv2020 } from "ajv/dist/2020.js";
import formats from "ajv-formats";
import { Validator } from "@seriousme/openapi-schema-validator";
import { makeReadKey } from "../../accounts/read-keys.ts";
import { saveWebhook } from "../../accounts/save-webhook.ts";
import { startReceiver } from "../../../test/kit/servers/receiver.ts";
import { makeWebhookForm } from "../../../test/kit/make.ts";
import { closed } from "../../../test/kit/closed-schema.ts";
import { API_KEY, createTestApp } from "../../../test/kit/world/app-under-test.ts";
import { type AccountThings, setUpWithEverything, toCanary } from "../../../test/kit/world/two-accounts.ts";
import { toValue } from "../../../test/kit/world/world.ts";
import { bearer, signAll } from "../callers.kit.ts";
import { readRoutes } from "../routes.ts";
import { type ManageRouteName, manageRoutes } from "./routes.ts";

const addFormats = formats as unknown as typeof formats.default;
const BY = { person: "ada@example.com", role: "owner" } as const;
const ENV = { BELLWIRE_EGRESS_ALLOW: "127.0.0.0/8", BELLWIRE_PUBLIC_URL: "https://hooks.example.com/in" };

let stack: AsyncDisposableStack;
let service: Awaited<ReturnType<typeof createTestApp>>;
let receiver: Awaited<ReturnType<typeof startReceiver>>;
let acme: AccountThings;
let other: AccountThings;
let callers: Awaited<ReturnType<typeof signAll>>;

before(async () => {
  await using building = new AsyncDisposableStack();
  receiver = building.use(await startReceiver({ status: 200 }));
  service = building.use(await createTestApp({ ...ENV, BELLWIRE_MANAGEMENT: "1" }));
  const { app } = service;
  acme = await setUpWithEverything(app, receiver, { accountId: "acme", number: 1 });
  other = await setUpWithEverything(app, receiver, { accountId: "other", number: 2 });
  callers = await signAll({ app, own: acme, other });
  stack = building.move();
});
after(() => stack.disposeAsync());

/** Each answer to who may: of what is there. */
const DONE: Readonly<Record<ManageRouteName, number>> = {
  "GET /v1/accounts/:account_id/webhook-ids": 200,
  "GET /v1/accounts/:account_id/webhooks/:webhook_id": 200,
  "PUT /v1/accounts/:account_id/webhooks/:webhook_id": 200,
  "DELETE /v1/accounts/:account_id/webhooks/:webhook_id": 204,
  "PUT /v1/accounts/:account_id/webhooks/:webhook_id/state": 204,
  // Nothing holds it.
  "POST /v1/accounts/:account_id/webhooks/:webhook_id/skip": 409,
  "POST /v1/accounts/:account_id/webhooks/:webhook_id/test": 200,
  "POST /v1/accounts/:account_id/webhooks/:webhook_id/pull-token": 200,
  "POST /v1/accounts/:account_id/deliveries/:delivery_id/resend": 204,
};

const addressOf = (name: ManageRouteName, { accountId, ids }: AccountThings, webhookId: string): string => {
  const known: Readonly<Record<string, string | undefined>> = {
    account_id: accountId,
    delivery_id: ids["deliveries"],
    webhook_id: webhookId,
  };
  return name.replace(/^\w+ /, "").replace(/:(\w+)/g, (_, part: string) => known[part] ?? assert.fail(part));
};

/** Each from an address of its own, as wrong keys are counted by it. */
let calls = 0;
type Call = readonly [method: string, url: string, headers: Readonly<Record<string, string>>, body?: unknown];
async function send(...[method, url, headers, body]: Call) {
  calls += 1;
  const payload =
    body === undefined
      ? { headers }
      : { headers: { ...headers, "content-type": "application/json" }, payload: JSON.stringify(body) };
  const remoteAddress = `198.51.100.${calls % 250}`;
  return await service.app.server.inject({ method: method as "GET", url, ...payload, remoteAddress });
}

const bodyOf = (name: ManageRouteName): unknown => {
  if (name.endsWith("/state")) return { state: "paused" };
  if (name.endsWith("/skip")) return { delivery_id: acme.ids["deliveries"] };
  if (!name.startsWith("PUT")) return undefined;
  const headers = [{ name: "x-token", value: "secret-of-acme", secret: true }];
  const url = name.includes("pull-token") ? "pull:" : `${receiver.url}/${toCanary("acme")}`;
  return { kind: "webhook", name: "Platform's", events: "all", webhook: { url, headers } };
};

const PUT_ROUTE = "PUT /v1/accounts/:account_id/webhooks/:webhook_id";

/** One for each route, and of deleting one for each try: what a call has deleted, the next cannot. */
const webhooks = new Map<string, Promise<string>>();
function makeWebhook(name: ManageRouteName, { accountId }: Pick<AccountThings, "accountId">): Promise<string> {
  const key = `${name} ${accountId} ${name.startsWith("DELETE") ? (calls += 1) : ""}`;
  const known = webhooks.get(key) ?? makeAnother(name, accountId);
  webhooks.set(key, known);
  return known;
}

async function makeAnother(name: ManageRouteName, accountId: string): Promise<string> {
  const id = `try-${(calls += 1)}`;
  const url = name.endsWith("pull-token") ? "pull:" : `${receiver.url}/${toCanary(accountId)}`;
  const headers = [{ name: "x-token", value: `secret-of-${accountId}`, secret: true }];
  const by = { made: { callerId: id, appliedAtMs: null }, by: BY };
  const draft = { accountId, existing: null, settings: { name: id, events: "all" }, ...by } as const;
  const webhook = makeWebhookForm({ url, headers, oneAtATime: name.endsWith("/skip") });
  toValue(await saveWebhook(service.app.accounts, { ...draft, webhook }));
  return id;
}

for (const [name] of manageRoutes) {
  const [method = ""] = name.split(" ");
  describe(name, () => {
    for (const caller of ["the account's manage key", "a manage key of all"] as const) {
      test(`answers ${caller} with ${DONE[name]}`, async () => {
        const url = addressOf(name, acme, await makeWebhook(name, acme));
        const answer = await send(method, url, callers[caller], bodyOf(name));
        assert.equal(answer.statusCode, DONE[name], answer.body);
        assert.equal(answer.headers["cache-control"], "no-store");
      });
    }

    test("finds nothing of another account, whatever the address names, and shows no secret", async () => {
      const headers = callers["the account's manage key"];
      const theirs = await makeWebhook(name, other);
      const foreign = { ...other, accountId: "acme" };
      const [destination = ""] = [other.ids["destinations"]];
      for (const id of [theirs, destination]) {
        const answer = await send(method, addressOf(name, foreign, id), headers, bodyOf(name));
        if (name === PUT_ROUTE && id === theirs) assert.equal(answer.statusCode, 201, "an id is each account's own");
        else if (!name.endsWith("webhook-ids")) assert.equal(answer.statusCode, 404, answer.body);
        assert.ok(!answer.body.includes(toCanary("other")), answer.body);
      }
      const own = await send(method, addressOf(name, acme, await makeWebhook(name, acme)), headers, bodyOf(name));
      for (const secret of [...acme.secrets, ...other.secrets]) assert.ok(!own.body.includes(secret), own.body);
    });

    test("refuses other methods to those that it knows, and is not there for them otherwise", async () => {
      const url = addressOf(name, acme, "any");
      const patch = async (headers: Readonly<Record<string, string>>) => (await send("PATCH", url, headers)).statusCode;
      assert.deepEqual([await patch(callers["a manage key of all"]), await patch({})], [405, 401]);
    });
  });
}

test("a key that manages reads too", async () => {
  for (const caller of ["the account's manage key", "a manage key of all"] as const) {
    assert.equal((await send("GET", "/v1/accounts/acme/deliveries", callers[caller])).statusCode, 200);
  }
});

test("a key that manages opens nothing else: no intake, no dashboard, no keys", async () => {
  for (const [method, url] of [
    ["POST", "/v1/accounts/acme/demo-sessions"],
    ["PUT", "/v1/accounts/acme"],
    ["POST", "/v1/accounts/acme/read-keys"],
    ["POST", "/v1/read-keys"],
    ["GET", "/dashboard/webhooks"],
    ["POST", "/dashboard/webhooks"],
  ] as const) {
    const answer = await send(method, url, callers["a manage key of all"], method === "GET" ? undefined : {});
    assert.equal(answer.statusCode, 401, `${method} ${url}`);
  }
});

describe("closed, as by default", () => {
  test("each route is what an unknown address is, to every key, and no document has a word of it", async () => {
    await using plain = await createTestApp(ENV);
    await setUpWithEverything(plain.app, receiver, { accountId: "acme", number: 1 });
    const { key } = toValue(
      await makeReadKey(plain.app.accounts, { accountId: null, name: "old", kind: "manage", by: BY }),
    );
    const inject = (method: string, url: string, headers = {}) =>
      plain.app.server.inject({ method: method as "GET", url, headers });
    const { detail: words, ...expected } = (await inject("GET", "/v1/nothing")).json();
    for (const [name] of manageRoutes) {
      const [method = ""] = name.split(" ");
      const url = addressOf(name, acme, "crm");
      for (const headers of [{}, bearer(key), bearer(API_KEY), bearer("wrong")]) {
        const answer = await inject(method, url, headers);
        const { detail, ...rest } = answer.json();
        assert.deepEqual([answer.statusCode, rest], [404, expected]);
        assert.equal(detail, words.replace("GET /v1/nothing", `${method} ${url}`));
      }
    }
    for (const url of ["/openapi.json", "/asyncapi.json"]) {
      const word = /manag(?!er\b)|webhook-ids|resendDelivery|dry_run|precondition|pull-token|if-none-match/i.exec(
        (await inject("GET", url)).body,
      );
      assert.equal(word?.[0], undefined);
    }
    assert.equal((await inject("GET", "/v1/accounts/acme/webhooks", bearer(key))).statusCode, 200, "it reads");
  });

  test("no key that manages is made: not by the intake key, and not by an owner", async () => {
    await using plain = await createTestApp(ENV);
    const { owner } = await setUpWithEverything(plain.app, receiver, { accountId: "acme", number: 1 });
    const body = { name: "platform", kind: "manage" };
    const refused = await plain.post("/v1/accounts/acme/read-keys", body);
    assert.deepEqual([refused.statusCode, refused.json().errors[0].path], [422, "kind"]);
    const { answer } = await owner.call("POST /read-keys", { body });
    assert.deepEqual(
      (answer as { errors: { path: string }[] }).errors.map(({ path }) => path),
      ["kind"],
    );
    const listed = (await plain.call({ method: "GET", url: "/v1/accounts/acme/read-keys" })).json();
    assert.deepEqual(Object.keys(listed.keys[0]), ["id", "name", "made_by", "created_at", "last_used_at"]);
  });
});

test("open, keys have kinds: by the intake key, and by an owner", async () => {
  const made = await service.post("/v1/accounts/acme/read-keys", { name: "from outside", kind: "manage" });
  assert.equal(made.statusCode, 201, made.body);
  const answer = await send("GET", "/v1/accounts/acme/webhook-ids", bearer(made.json().key));
  assert.equal(answer.statusCode, 200);
  const { answer: owned } = await acme.owner.call("POST /read-keys", { body: { name: "mine", kind: "manage" } });
  const { list } = owned as { list: { mayManage: boolean; keys: { name: string; kind: string }[] } };
  const kinds = list.keys.map(({ name, kind }) => `${name} ${kind}`);
  assert.ok(list.mayManage && kinds.includes("mine manage") && kinds.includes("canary-acme read"));
});

describe("the OpenAPI document", () => {
  const read = async () => (await send("GET", "/openapi.json", {})).json();

  test("keeps the official schema, and says that programs manage", async () => {
    const document = await read();
    const { valid, errors } = await new Validator().validate(document);
    assert.equal(valid, true, JSON.stringify(errors, null, 2));
    assert.match(document.info.description, /by programs with a key that manages\.$/);
    assert.equal(readRoutes.length, 7);
  });

  for (const [name, row] of manageRoutes) {
    test(`describes ${name}: its example and what the service answers to it keep the schema`, async () => {
      const [method = "", path = ""] = name.split(" ");
      const operation = (await read()).paths[path.replace(/:(\w+)/g, "{$1}")][method.toLowerCase()];
      const ajv = addFormats(new Ajv2020({ strict: false, allErrors: true }));
      const keeps = (schema: unknown, value: unknown): void => {
        const check = ajv.compile(closed(schema));
        assert.ok(check(value), JSON.stringify(check.errors, null, 2));
      };
      const content = operation.requestBody?.content["application/json"];
      if (content !== undefined) keeps(content.schema, content.examples.body.value);
      const ready = operation.responses["200"]?.content["application/json"];
      if (ready !== undefined) keeps(ready.schema, ready.examples.answer.value);
      const query = new URLSearchParams(row.example.query ?? {}).toString();
      const url = addressOf(name, acme, await makeWebhook(name, acme));
      const body = JSON.parse(
        JSON.stringify(content?.examples.body.value ?? null).replace(/https:\/\/crm[^"]*/, `${receiver.url}/in`),
      );
      const answer = await send(
        method,
        `${url}?${query}`.replace(/\?$/, ""),
        callers["a manage key of all"],
        body ?? undefined,
      );
      assert.equal(answer.statusCode, DONE[name], answer.body);
      assert.ok(operation.responses[answer.statusCode]);
      if (ready !== undefined) keeps(ready.schema, answer.json());
    });
  }
});

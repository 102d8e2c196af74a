/**
 * Every read route: what it shows and never shows. The list is the table of routes, so a new route is tried at once,
 * and its example is run. Whom it refuses is in `every-key.test.ts`.
 */
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { Ajv2020 } from "ajv/dist/2020.js";
import formats from "ajv-formats";
import { Validator } from "@seriousme/openapi-schema-validator";
import { makeReadKey } from "../accounts/read-keys.ts";
import { closed } from "../../test/kit/closed-schema.ts";
import { startReceiver } from "../../test/kit/servers/receiver.ts";
import { createTestApp } from "../../test/kit/world/app-under-test.ts";
import { type AccountThings, setUpWithEverything, toCanary } from "../../test/kit/world/two-accounts.ts";
import { toValue } from "../../test/kit/world/world.ts";
import { bearer, signAll } from "./callers.kit.ts";
import { type ReadRouteName, readRoutes } from "./routes.ts";

const addFormats = formats as unknown as typeof formats.default;
const BY = { person: "ada@example.com", role: "owner" } as const;

let stack: AsyncDisposableStack;
let app: Awaited<ReturnType<typeof createTestApp>>["app"];
let acme: AccountThings;
let other: AccountThings;
let callers: Awaited<ReturnType<typeof signAll>>;

/** More than one of an account where a file asks more than 50 times in a second. */
async function makeKey(accountId: string) {
  return toValue(await makeReadKey(app.accounts, { accountId, name: "support desk", by: BY })).key;
}

before(async () => {
  await using building = new AsyncDisposableStack();
  const receiver = building.use(await startReceiver({ status: 200 }));
  const env = { BELLWIRE_EGRESS_ALLOW: "127.0.0.0/8", BELLWIRE_PUBLIC_URL: "https://hooks.example.com/in" };
  ({ app } = building.use(await createTestApp(env)));
  acme = await setUpWithEverything(app, receiver, { accountId: "acme", number: 1 });
  other = await setUpWithEverything(app, receiver, { accountId: "other", number: 2 });
  callers = await signAll({ app, own: acme, other });
  stack = building.move();
});
after(() => stack.disposeAsync());

/** Its address, with real ids of the account. */
function addressOf(name: ReadRouteName, { accountId, ids }: AccountThings): string {
  const known: Readonly<Record<string, string | undefined>> = {
    account_id: accountId,
    delivery_id: ids["deliveries"],
    event: ids["sessions"],
  };
  return name.replace(/^GET /, "").replace(/:(\w+)/g, (_, part: string) => known[part] ?? assert.fail(part));
}

/** Each from an address of its own, as wrong keys are counted by it. */
let calls = 0;
async function get(url: string, headers: Readonly<Record<string, string>>) {
  calls += 1;
  return await app.server.inject({ method: "GET", url, headers, remoteAddress: `198.51.100.${calls % 250}` });
}

for (const [name] of readRoutes) {
  describe(name, () => {
    test("shows nothing of another account, whatever the address names, and no secret", async () => {
      const headers = callers["the account's read key"];
      const own = addressOf(name, acme);
      const answers = [await get(own, headers), await get(addressOf(name, { ...other, accountId: "acme" }), headers)];
      for (const { body } of answers) {
        assert.ok(!body.includes(toCanary("other")), body);
        for (const secret of [...acme.secrets, ...other.secrets]) assert.ok(!body.includes(secret), body);
      }
    });

    test("refuses other methods to those that it knows, and is not there for them otherwise", async () => {
      const patch = async (headers: Readonly<Record<string, string>>) =>
        (await app.server.inject({ method: "PATCH", url: addressOf(name, acme), headers })).statusCode;
      const known = await Promise.all([callers["the intake key"], callers["a read key of all"]].map(patch));
      assert.ok(known.includes(405), known.join());
      assert.equal(await patch({}), 401);
    });
  });
}

test("a missing account and one that a key does not open are the same to it", async () => {
  const headers = callers["the account's read key"];
  const detail = async (accountId: string) =>
    (await get(`/v1/accounts/${accountId}/webhooks`, headers)).json().detail.replace(accountId, "…");
  assert.equal(await detail("other"), await detail("missing"));
  assert.equal((await get("/v1/accounts/missing/deliveries", callers["a read key of all"])).statusCode, 404);
});

test("a read key opens nothing else: no intake, no dashboard, no keys", async () => {
  for (const caller of ["the account's read key", "a read key of all"] as const) {
    const headers = { ...callers[caller], "content-type": "application/json" };
    for (const [method, url] of [
      ["POST", "/v1/accounts/acme/demo-sessions"],
      ["PUT", "/v1/accounts/acme"],
      ["GET", "/v1/accounts/acme/sessions"],
      ["GET", "/v1/accounts/acme/read-keys"],
      ["POST", "/v1/read-keys"],
      ["DELETE", `/v1/accounts/acme/read-keys/${acme.ids["read-keys"]}`],
      ["GET", "/dashboard/deliveries"],
    ] as const) {
      const payload = method === "GET" ? {} : { payload: "{}" };
      const answer = await app.server.inject({ method, url, headers, ...payload });
      assert.equal(answer.statusCode, 401, `${method} ${url}`);
    }
  }
});

const WRONG_QUERIES = {
  "status=lost": "status",
  "event=No%20Type": "event",
  "since=yesterday": "since",
  "until=2026-02-31": "until",
  "until=2026-13-01T00:00:00Z": "until",
  "person=%2A": "person",
  "cursor=abc": "cursor",
  "limit=5": "limit",
  "status=failed&status=delivered": "status",
  "status=": "status",
  webhook: "webhook",
  "person=%20": "person",
  "cursor=": "cursor",
};
for (const [query, path] of Object.entries(WRONG_QUERIES)) {
  test(`the list of deliveries refuses ${query}, and names the part`, async () => {
    const answer = await get(`/v1/accounts/acme/deliveries?${query}`, callers["the account's read key"]);
    const { code, errors } = answer.json();
    assert.deepEqual([answer.statusCode, code, errors[0].path], [400, "invalid_parameter", path]);
  });
}

test("its filters are the log's: state, type, webhook, person and time", async () => {
  const count = async (query: string) =>
    (await get(`/v1/accounts/acme/deliveries?${query}`, callers["the account's read key"])).json().deliveries.length;
  const [first] = (await get("/v1/accounts/acme/deliveries", callers["the account's read key"])).json().deliveries;
  await app.store.indexEvents({ nowMs: Date.now(), eventsMax: 100, bytesMax: 10 ** 7 });
  for (const [query, expected] of [
    ["", 2],
    ["status=delivered", 2],
    ["status=failed,waiting", 0],
    ["event=demo_viewed", 1],
    [`webhook=${first.webhook.id}`, 1],
    ["webhook=dst_none", 0],
    [`person=${toCanary("acme")}`, 1],
    ["person=nobody", 0],
    [`person=${first.id}`, 1],
    ["until=2026-01-01T00:00:00Z", 0],
    [`since=${encodeURIComponent(first.created_at)}&until=2999-01-01T00:00:00%2B02:00`, 2],
  ] as const) {
    assert.equal(await count(query), expected, query);
  }
});

test("an event is found by its own id, the product's, and one of its deliveries'", async () => {
  const headers = bearer(await makeKey("acme"));
  const delivery = (await get(`/v1/accounts/acme/deliveries/${acme.ids["deliveries"]}`, headers)).json();
  const find = async (id: string) => (await get(`/v1/accounts/acme/events/${id}`, headers)).json();
  // Its session and its conversation have the same id: the newest is shown.
  assert.equal((await find(delivery.source_id)).source_id, delivery.source_id);
  for (const id of [delivery.event_id, delivery.id]) {
    const event = await find(id);
    assert.equal(event.id, delivery.event_id);
    assert.ok(event.deliveries.some((each: { id: string }) => each.id === delivery.id));
  }
  assert.equal((await get("/v1/accounts/acme/events/evt_none", headers)).json().code, "event_not_found");
});

test("events are listed by person and type, newest first, and wrong filters are named", async () => {
  const headers = bearer(await makeKey("acme"));
  const list = async (query: string) => (await get(`/v1/accounts/acme/events?${query}`, headers)).json();
  const types = async (query: string) => (await list(query)).events.map(({ type }: { type: string }) => type);
  await app.store.indexEvents({ nowMs: Date.now(), eventsMax: 100, bytesMax: 10 ** 7 });
  assert.deepEqual((await types("")).toSorted(), ["chat_conversation_completed", "demo_viewed"]);
  assert.deepEqual(await types("event=demo_viewed"), ["demo_viewed"]);
  assert.deepEqual(await types(`person=${toCanary("acme")}&event=demo_viewed`), ["demo_viewed"]);
  assert.deepEqual(await types(`person=${toCanary("other")}`), []);
  for (const [query, path] of [
    ["person=%2A", "person"],
    ["event=No%20Type", "event"],
    ["cursor=abc", "cursor"],
    ["since=2026-01-01T00:00:00Z", "since"],
  ] as const) {
    assert.equal((await list(query)).errors[0].path, path);
  }
});

test("webhooks of all three owners are listed", async () => {
  const { webhooks } = (await get("/v1/accounts/acme/webhooks", bearer(await makeKey("acme")))).json();
  const kinds = webhooks.map(({ owner }: { owner: { kind: string } }) => owner.kind).toSorted();
  assert.deepEqual([...new Set(kinds)], ["alert", "assistant", "webhook"]);
});

describe("the OpenAPI document", () => {
  const read = async () => (await get("/openapi.json", {})).json();

  test("keeps the official schema", async () => {
    const { valid, errors } = await new Validator().validate(await read());
    assert.equal(valid, true, JSON.stringify(errors, null, 2));
  });

  for (const [name, row] of readRoutes) {
    test(`describes ${name}: its example and what the service answers to it keep the schema`, async () => {
      const { paths } = await read();
      const operation = paths[name.replace(/^GET /, "").replace(/:(\w+)/g, "{$1}")].get;
      const { schema, examples } = operation.responses["200"].content["application/json"];
      const ajv = addFormats(new Ajv2020({ strict: false, allErrors: true }));
      const check = ajv.compile(closed(schema));
      const keeps = (value: unknown): void => assert.ok(check(value), JSON.stringify(check.errors, null, 2));
      keeps(examples.answer.value);
      const given = operation.parameters.flatMap((parameter: { in: string; name: string; example?: string }) =>
        parameter.in === "query" && parameter.example !== undefined ? [[parameter.name, parameter.example]] : [],
      );
      assert.equal(given.length, Object.keys(row.example.query ?? {}).length);
      const url = `${addressOf(name, acme)}?${new URLSearchParams(given).toString()}`.replace(/\?$/, "");
      const answer = await get(url, callers["a read key of all"]);
      assert.equal(answer.statusCode, 200, answer.body);
      keeps(answer.json());
    });
  }
});

/** Managing as programs meet it: ids of their own, repeats, secrets, subscriptions; on both stores. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { startReceiver } from "../../../test/kit/servers/receiver.ts";
import { shareCluster } from "../../../test/kit/servers/postgres.ts";
import { createAlert } from "../../../test/kit/world/alerts.ts";
import { uuid } from "../../../test/kit/world/world.ts";
import { demoViewed } from "../../events/demo-viewed.ts";
import { AUTHORIZATION, BY, openService, type Opened, webhookTo } from "./manage.kit.ts";

const CONDITIONS = { join: "all", list: [{ field: "lead.email", operator: "known" }] };
const KINDS: Readonly<Record<string, (url: string) => object>> = {
  webhook: (url) => ({
    kind: "webhook",
    name: "CRM",
    events: [{ type: "demo_viewed", conditions: CONDITIONS }],
    webhook: {
      url,
      headers: [AUTHORIZATION, { name: "X-Team", value: "revops", secret: false }],
      rate_per_second: 5,
      tags: ["crm", "eu"],
    },
  }),
  alert: (url) => ({
    kind: "alert",
    name: "Enterprise leads",
    audience: "known_lead",
    demos: ["Tour"],
    intent_levels: ["high"],
    conditions: CONDITIONS,
    webhooks_on: false,
    webhook: { url, body: "template", template: '{"text": "{{lead.email}}"}' },
  }),
  assistant: (url) => ({
    kind: "assistant",
    assistant_id: "asst",
    webhook: {
      url,
      authentication: {
        oauth: {
          token_url: `${new URL(url).origin}/token`,
          client_id: "bellwire",
          client_secret: "s3cret-value",
          scope: "",
          audience: "",
          client_authentication: "basic",
        },
        certificate: null,
      },
    },
  }),
};

const STORES = { sqlite: () => Promise.resolve(null), postgres: async () => await shareCluster() } as const;

for (const [store, start] of Object.entries(STORES)) {
  for (const [kind, toForm] of Object.entries(KINDS)) {
    test(`a webhook of each owner is made, shown, put again, changed and deleted: ${kind}, ${store}`, async () => {
      await using cluster = await start();
      await using service = await openService(
        cluster === null ? {} : { BELLWIRE_DATABASE: await cluster.createStoreDatabase() },
      );
      const { send, put, receiver } = service;
      const form = toForm(`${receiver.url}/in`) as { webhook: object };
      const made = await put("mine", form);
      assert.deepEqual([made.status, made.body.outcome, made.body.id], [201, "created", "mine"], made.text);
      assert.ok(!/c4nary|s3cret/.test(made.text));
      const shown = await send("GET", "webhooks/mine");
      assert.deepEqual([shown.status, shown.etag], [200, made.etag]);
      assert.partialDeepStrictEqual(withoutSecrets(shown.body.settings), withoutSecrets(form));

      const before = (await service.audit()).length;
      for (const again of [form, shown.body.settings]) {
        const repeated = await put("mine", again);
        assert.deepEqual(
          [repeated.status, repeated.body.outcome, repeated.etag],
          [200, "unchanged", made.etag],
          repeated.text,
        );
      }
      assert.equal((await service.audit()).length, before, "what changes nothing is in no audit");

      const changed = await put("mine", { ...form, webhook: { ...form.webhook, url: `${receiver.url}/other` } });
      assert.deepEqual([changed.status, changed.body.outcome, changed.body.changed], [200, "changed", ["webhook.url"]]);
      assert.equal(changed.body.webhook_id, made.body.webhook_id, "what waits goes to the new address");
      assert.notEqual(changed.etag, made.etag);
      const { webhooks } = (await send("GET", "webhook-ids")).body;
      assert.deepEqual(webhooks, [
        {
          id: "mine",
          webhook_id: made.body.webhook_id,
          kind,
          name: webhooks[0].name,
          is_applied: false,
          etag: changed.etag,
        },
      ]);

      assert.equal((await send("DELETE", "webhooks/mine")).status, 204);
      assert.equal((await send("DELETE", "webhooks/mine")).status, 404);
      assert.equal((await send("GET", "webhooks/mine")).status, 404);
      const anew = await put("mine", form);
      assert.deepEqual([anew.status, anew.body.outcome], [201, "created"]);
      assert.notEqual(anew.body.webhook_id, made.body.webhook_id);
      const authors = (await service.audit()).map(({ person, role }) => `${person} ${role}`);
      assert.deepEqual(new Set(authors), new Set(["manage key platform system"]));
    });
  }

  test(`many who make the same id at once make one: ${store}`, async () => {
    await using cluster = await start();
    await using service = await openService(
      cluster === null ? {} : { BELLWIRE_DATABASE: await cluster.createStoreDatabase() },
    );
    const names = ["a", "b", "c", "d"];
    const made = await Promise.all(
      names.map((name) => service.put("same", { ...webhookTo(`${service.receiver.url}/in`), name })),
    );
    assert.deepEqual(
      made.map(({ status }) => status).toSorted((one, two) => one - two),
      [200, 200, 200, 201],
      made.map(({ text }) => text).join("\n"),
    );
    assert.equal((await service.send("GET", "webhook-ids")).body.webhooks.length, 1);
    assert.equal((await service.send("GET", "webhooks")).body.webhooks.length, 1);
  });
}

/** As an answer shows them. */
function withoutSecrets(settings: unknown): object {
  const hide = (name: string, value: unknown): unknown => {
    if (name === "client_secret") return null;
    const isSecret = typeof value === "object" && value !== null && "secret" in value && value.secret === true;
    return isSecret ? { ...value, value: null } : value;
  };
  return JSON.parse(JSON.stringify(settings, hide)) as object;
}

test("a webhook that a person made is changed by its own id, and stays without another", async () => {
  await using service = await openService();
  const { app, put, send, receiver } = service;
  const { destinationId } = await createAlert(app.accounts, { accountId: "acme", url: `${receiver.url}/in`, by: BY });
  const { body: shown } = await send("GET", `webhooks/${destinationId}`);
  assert.deepEqual([shown.id, shown.webhook_id, shown.settings.kind], [null, destinationId, "alert"]);
  const changed = await put(destinationId, { ...shown.settings, name: "Renamed" });
  assert.deepEqual([changed.status, changed.body.id, changed.body.changed], [200, null, ["name"]], changed.text);
  const other = await put(destinationId, webhookTo(`${receiver.url}/in`));
  assert.deepEqual([other.status, other.body.errors[0].path], [422, "kind"]);
});

test("a chat assistant has one webhook: another id is refused, and told which there is", async () => {
  await using service = await openService();
  const { put, receiver } = service;
  const form = { kind: "assistant", assistant_id: "asst", webhook: { url: `${receiver.url}/in` } };
  assert.equal((await put("one", form)).status, 201);
  const refused = await put("two", form);
  assert.deepEqual([refused.status, refused.body.errors[0].path], [422, "assistant_id"]);
  assert.match(refused.body.errors[0].message, /which is "one"/);
});

test("a secret value that is kept goes to its own server alone", async () => {
  await using service = await openService();
  await using thief = await startReceiver();
  const { put, receiver } = service;
  await put("crm", webhookTo(`${receiver.url}/in`, { headers: [AUTHORIZATION] }));
  const kept = { headers: [{ ...AUTHORIZATION, value: null }] };
  assert.equal((await put("crm", webhookTo(`${receiver.url}/other`, kept))).status, 200);
  const stolen = await put("crm", webhookTo(`${thief.url}/in`, kept));
  assert.deepEqual([stolen.status, stolen.body.errors[0].path], [422, "webhook.headers[0].value"]);
});

test("a webhook that is asked gets its token by a call, and hands out what waits", async () => {
  await using service = await openService();
  const { app, put, send, post, receiver } = service;
  await put("mine", webhookTo("pull:"));
  await put("called", webhookTo(`${receiver.url}/in`));
  const { body } = await send("POST", "webhooks/mine/pull-token");
  assert.equal((await send("POST", "webhooks/called/pull-token")).status, 404);
  await post("/v1/accounts/acme/demo-sessions", { ...demoViewed.example, id: uuid(1) });
  const asked = await app.server.inject({ url: "/pull", headers: { authorization: `Bearer ${body.token}` } });
  assert.equal(asked.json().messages.length, 1);
  const tested = await send("POST", "webhooks/mine/test");
  assert.deepEqual([tested.status, tested.body.code], [409, "destination_not_on"]);
});

test("a test tells the truth, a pause holds, turning on sends what waited, and a delivery is sent again", async () => {
  await using service = await openService();
  const { app, put, send, post, receiver } = service;
  await put("crm", webhookTo(`${receiver.url}/in`));
  receiver.script = () => ({ status: 503 });
  const failed = await send("POST", "webhooks/crm/test");
  assert.deepEqual(
    [failed.status, failed.body.class, failed.body.answer.status],
    [200, "server_error", 503],
    failed.text,
  );
  receiver.script = () => ({ status: 200 });
  assert.equal((await send("POST", "webhooks/crm/test")).body.class, "success");
  assert.equal((await send("PUT", "webhooks/crm/state", { body: { state: "paused" } })).status, 204);
  assert.equal((await send("GET", "webhooks/crm")).body.state, "paused");
  const sent = receiver.requests.length;
  await post("/v1/accounts/acme/demo-sessions", { ...demoViewed.example, id: uuid(1) });
  await app.engine.lanes.load.idle();
  assert.equal(receiver.requests.length, sent);
  await send("PUT", "webhooks/crm/state", { body: { state: "on" } });
  await app.engine.tick();
  await app.engine.lanes.load.idle();
  assert.equal(receiver.requests.length, sent + 1);
  const [delivery] = (await send("GET", "deliveries")).body.deliveries;
  assert.equal((await send("POST", `deliveries/${delivery.id}/resend`)).status, 204);
  await app.engine.tick();
  await app.engine.lanes.load.idle();
  assert.equal(receiver.requests.length, sent + 2);
  const actions = (await service.audit()).map(({ action, person }) => `${action} ${person}`);
  for (const action of ["webhook_tested", "destination_paused", "destination_turned_on", "delivery_resent"]) {
    assert.ok(actions.includes(`${action} manage key platform`), actions.join());
  }
});

/** As Zapier's REST hooks: an address for each Zap, subscribed when it is turned on and unsubscribed when it is off. */
async function walkSubscriptions({ put, send, post, app, receiver }: Opened): Promise<readonly number[]> {
  const subscribe = async (zap: string) => await put(zap, webhookTo(`${receiver.url}/${zap}`));
  const unsubscribe = async (zap: string) => await send("DELETE", `webhooks/${zap}`);
  const arrived: number[] = [];
  for (const [round, on] of [["zap-1", "zap-2"], ["zap-2"], ["zap-2", "zap-3"], []].entries()) {
    const known = (await send("GET", "webhook-ids")).body.webhooks.map(({ id }: { id: string }) => id) as string[];
    for (const zap of on.filter((id) => !known.includes(id))) assert.equal((await subscribe(zap)).status, 201);
    for (const zap of known.filter((id) => !on.includes(id))) assert.equal((await unsubscribe(zap)).status, 204);
    const before = receiver.requests.length;
    await post("/v1/accounts/acme/demo-sessions", { ...demoViewed.example, id: uuid(round + 1) });
    await app.engine.lanes.load.idle();
    const paths = receiver.requests.slice(before).map(({ path }) => path);
    assert.deepEqual(
      paths.toSorted(),
      on.map((zap) => `/${zap}`),
    );
    arrived.push(paths.length);
  }
  return arrived;
}

test("a program that subscribes and unsubscribes, as Zapier does, gets each event while it is subscribed", async () => {
  await using service = await openService();
  assert.deepEqual(await walkSubscriptions(service), [2, 1, 2, 0]);
});

test("a new URL turns one on that was turned off, and leaves a pause: each answer says so", async () => {
  await using service = await openService();
  const { app, put, send, post, receiver } = service;
  await put("crm", webhookTo(`${receiver.url}/in`));
  receiver.script = () => ({ status: 410 });
  await post("/v1/accounts/acme/demo-sessions", { ...demoViewed.example, id: uuid(1) });
  await app.engine.lanes.load.idle();
  assert.equal((await send("GET", "webhooks/crm")).body.state, "off");
  receiver.script = () => ({ status: 200 });
  const stateOf = async (id: string, path: string, more: object = {}) =>
    (await put(id, { ...webhookTo(`${receiver.url}/${path}`), ...more })).body.state;
  assert.equal(await stateOf("crm", "in", { name: "Renamed" }), "off");
  assert.equal(await stateOf("crm?dry_run=1", "other"), "on");
  assert.equal((await send("GET", "webhooks/crm")).body.state, "off");
  assert.equal(await stateOf("crm", "other"), "on");
  assert.equal((await send("GET", "webhooks/crm")).body.state, "on");
  await send("PUT", "webhooks/crm/state", { body: { state: "paused" } });
  assert.equal(await stateOf("crm", "third"), "paused");
  assert.equal((await send("GET", "webhooks/crm")).body.state, "paused");
});

test("a suspended account is shown and changes nothing", async () => {
  await using service = await openService();
  const { app, send, put, receiver } = service;
  const form = webhookTo(`${receiver.url}/in`);
  await put("crm", form);
  await app.accounts.store.setAccountState({ accountId: "acme", state: "suspended", by: BY, nowMs: Date.now() });
  const before = await service.audit();
  for (const answer of [
    await put("other", form),
    await send("DELETE", "webhooks/crm"),
    await send("PUT", "webhooks/crm/state", { body: { state: "paused" } }),
    await send("POST", "webhooks/crm/test"),
  ]) {
    assert.deepEqual([answer.status, answer.body?.code], [403, "account_suspended"]);
  }
  assert.equal((await send("GET", "webhooks/crm")).status, 200);
  assert.deepEqual(await service.audit(), before);
});

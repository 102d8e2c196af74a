/** Two who write at once, and those who only ask what a write would do. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { signIn } from "../../../test/kit/world/signed-in.ts";
import { AUTHORIZATION, openService, webhookTo } from "./manage.kit.ts";

describe("two writers", () => {
  test("the second is told which fields the first has changed, by whom, and nothing is overwritten", async () => {
    await using service = await openService();
    const { put, send, receiver } = service;
    const form = webhookTo(`${receiver.url}/in`, { headers: [AUTHORIZATION] });
    const { etag } = await put("crm", form);
    const first = { ...form, name: "First", webhook: { ...form.webhook, rate_per_second: 3 } };
    const won = await put("crm", first, { "if-match": etag });
    assert.deepEqual([won.status, won.body.changed], [200, ["name", "webhook.rate_per_second"]]);
    for (const late of [
      await put("crm", { ...form, name: "Second" }, { "if-match": etag }),
      await send("DELETE", "webhooks/crm", { headers: { "if-match": etag } }),
    ]) {
      assert.deepEqual([late.status, late.body.code], [412, "precondition_failed"]);
      assert.deepEqual(
        late.body.errors.map(({ path }: { path: string }) => path),
        ["name", "webhook.rate_per_second"],
      );
      assert.match(late.body.detail, /saved last by manage key platform at .*: name, webhook\.rate_per_second\./);
    }
    assert.equal((await send("GET", "webhooks/crm")).body.settings.name, "First");
    const seen = await put("crm", { ...form, name: "Second" }, { "if-match": `W/${won.etag}` });
    assert.equal(seen.status, 200, seen.text);
  });

  test("a secret value that was changed is told as such, and never shown", async () => {
    await using service = await openService();
    const { put, receiver } = service;
    const form = webhookTo(`${receiver.url}/in`, { headers: [AUTHORIZATION] });
    const { etag } = await put("crm", form);
    const other = webhookTo(`${receiver.url}/in`, { headers: [{ ...AUTHORIZATION, value: "Bearer other" }] });
    const changed = await put("crm", other, { "if-match": etag });
    assert.deepEqual([changed.status, changed.body.changed], [200, ["webhook.headers"]]);
    const late = await put("crm", form, { "if-match": etag });
    assert.match(late.body.detail, /a secret value, or nothing that is shown/);
    assert.ok(!/c4nary|other"/.test(late.text));
  });

  test("one who looked at another webhook of that id, at none, or at one that is gone changes nothing", async () => {
    await using service = await openService();
    const { put, send, receiver } = service;
    const form = webhookTo(`${receiver.url}/in`);
    const absent = await put("crm", form, { "if-match": '"1.dst_1.aaaa"' });
    assert.equal(absent.status, 412);
    const { etag } = await put("crm", form, { "if-none-match": "*" });
    assert.equal((await put("crm", form, { "if-none-match": "*" })).status, 412);
    await send("DELETE", "webhooks/crm");
    await put("crm", form);
    const late = await put("crm", { ...form, name: "Late" }, { "if-match": etag });
    assert.match(late.body.detail, /another one than you have seen/);
    for (const headers of [
      { "if-match": "7" },
      { "if-none-match": etag },
      { "if-match": etag, "if-none-match": "*" },
    ]) {
      assert.equal((await put("crm", form, headers)).status, 400);
    }
  });

  test("a person at the page and a program meet by the same revision", async () => {
    await using service = await openService();
    const { app, put, send, receiver } = service;
    const owner = await signIn(app, { accountId: "acme" });
    const { etag } = await put("crm", webhookTo(`${receiver.url}/in`));
    const { answer } = await owner.call("GET /webhooks");
    const [{ id }] = (answer as { webhooks: [{ id: string }] }).webhooks;
    const body = { name: "Ana's", events: "all", webhook: { url: `${receiver.url}/in`, headers: [] } };
    await owner.call("PUT /webhooks/:id", { params: { id }, body, ifMatch: 1 });
    const late = await put("crm", webhookTo(`${receiver.url}/in`), { "if-match": etag });
    assert.match(late.body.detail, /saved last by ana@example\.com at .*: name\./);
    const shown = await send("GET", "webhooks/crm");
    assert.deepEqual([shown.body.settings.name, shown.body.id], ["Ana's", "crm"], "the id outlives a save at the page");
  });
});

test("a save reads the account once, and what changes nothing asks for its version alone", async () => {
  await using service = await openService();
  const { app, put, receiver } = service;
  const form = webhookTo(`${receiver.url}/in`);
  const load = app.store.loadAccount;
  let reads = 0;
  app.store.loadAccount = (params) => {
    reads += 1;
    return load(params);
  };
  const countReads = async (run: () => Promise<{ readonly status: number }>, status: number) => {
    app.accounts.accounts.forget("acme");
    await app.accounts.accounts.load("acme");
    reads = 0;
    assert.equal((await run()).status, status);
    return reads;
  };
  assert.equal(await countReads(() => put("crm?dry_run=1", form), 200), 0);
  assert.equal(await countReads(() => put("crm", form), 201), 0);
  assert.equal(await countReads(() => put("crm", form), 200), 0);
  assert.equal(await countReads(() => put("crm", { ...form, name: "New" }), 200), 0);
  app.accounts.accounts.forget("acme");
  reads = 0;
  assert.equal((await put("other", form)).status, 201);
  assert.equal(reads, 1);
});

describe("a dry run", () => {
  test("says what would be done and saves nothing", async () => {
    await using service = await openService();
    const { put, send, receiver } = service;
    const form = webhookTo(`${receiver.url}/in`);
    const before = (await service.audit()).length;
    const would = await put("crm?dry_run=1", form);
    assert.deepEqual(
      [would.status, would.body.outcome, would.body.webhook_id, would.body.etag],
      [200, "created", null, null],
    );
    assert.equal((await send("GET", "webhooks/crm")).status, 404);
    assert.equal((await service.audit()).length, before);
    const { etag } = await put("crm", form);
    const change = await put("crm?dry_run=1", { ...form, name: "New" });
    assert.deepEqual([change.body.outcome, change.body.changed, change.etag], ["changed", ["name"], etag]);
    assert.equal((await send("GET", "webhooks/crm")).body.settings.name, "CRM");
  });

  test("and a save refuse alike, each field by the API's name", async () => {
    await using service = await openService();
    const { put, receiver } = service;
    const form = webhookTo(`${receiver.url}/in`);
    const cases: readonly (readonly [object, number, string, readonly string[]])[] = [
      [{ ...form, kind: "else" }, 422, "invalid_form", ["kind"]],
      [{ ...form, intentLevels: [] }, 422, "invalid_form", ["intentLevels"]],
      [webhookTo(`${receiver.url}/in`, { rate_per_second: 0 }), 422, "invalid_rate_limit", ["webhook.rate_per_second"]],
      [webhookTo("http://10.0.0.5/in"), 422, "invalid_webhook_url", ["webhook.url"]],
      [webhookTo("pull:", { rate_per_second: 1 }), 422, "invalid_webhook_url", ["webhook.rate_per_second"]],
      [{ ...form, events: [{ type: "nothing" }] }, 422, "invalid_event_types", ["events[0].type"]],
      [{ kind: "assistant", assistant_id: "none", webhook: form.webhook }, 404, "assistant_not_found", []],
      [{ kind: "alert", webhook: form.webhook }, 422, "invalid_form", ["name"]],
      [
        webhookTo(`${receiver.url}/in`, { headers: [{ name: "X-A", value: null, secret: true }] }),
        422,
        "invalid_custom_headers",
        ["webhook.headers[0].value"],
      ],
    ];
    for (const [body, status, code, paths] of cases) {
      for (const query of ["?dry_run=1", ""]) {
        const { body: refused, status: met, text } = await put(`crm${query}`, body);
        assert.deepEqual([met, refused.code], [status, code], text);
        assert.deepEqual(
          (refused.errors ?? []).map(({ path }: { path: string }) => path),
          paths,
          text,
        );
      }
    }
    assert.equal((await service.send("GET", "webhook-ids")).body.webhooks.length, 0);
    assert.equal((await service.send("DELETE", "webhooks/crm?dry_run=1")).status, 400, "it would delete");
  });

  test("is asked for by 1 alone: any other value is refused, a blank one too, and nothing is saved", async () => {
    await using service = await openService();
    const { put, send, receiver } = service;
    const form = webhookTo(`${receiver.url}/in`);
    for (const name of ["dry_run", "applied"]) {
      for (const query of [name, `${name}=`, `${name}=%20`, `${name}=true`, `${name}=2`, `${name}=1&${name}=1`]) {
        const refused = await put(`crm?${query}`, form);
        const { code, errors } = refused.body;
        assert.deepEqual([refused.status, code, errors?.[0].path], [400, "invalid_parameter", name], query);
      }
    }
    assert.match((await put("crm?dry_run", form)).body.detail, /is blank/);
    assert.match((await put("crm?dry_run=true", form)).body.detail, /must be one of 0, 1/);
    assert.equal((await send("GET", "webhooks/crm")).status, 404);
    assert.equal((await put("crm?dry_run=0", form)).status, 201);
  });

  test("meets the limits that a save meets: of alerts, of webhooks and of chat assistants with one", async () => {
    await using service = await openService();
    const { app, put, receiver } = service;
    const saves = { saveAlert: app.store.saveAlert, saveWebhook: app.store.saveWebhook };
    const saveAssistant = app.store.saveAssistantDestination;
    app.store.saveAlert = (params) => saves.saveAlert({ ...params, alertsMax: 0 });
    app.store.saveWebhook = (params) => saves.saveWebhook({ ...params, webhooksMax: 0 });
    app.store.saveAssistantDestination = (params) => saveAssistant({ ...params, assistantsMax: 0 });
    const webhook = { url: `${receiver.url}/in` };
    for (const [form, code, words] of [
      [{ kind: "alert", name: "A", webhook }, "alert_limit_reached", /500 alerts/],
      [webhookTo(webhook.url), "webhook_limit_reached", /100 webhooks/],
      [{ kind: "assistant", assistant_id: "asst", webhook }, "webhook_limit_reached", /2,000 chat assistants with a/],
    ] as const) {
      for (const query of ["?dry_run=1", ""]) {
        const refused = await put(`crm${query}`, form);
        assert.deepEqual([refused.status, refused.body.code], [422, code], refused.text);
        assert.match(refused.body.detail, words);
      }
    }
  });
});

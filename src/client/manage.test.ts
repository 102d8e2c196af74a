/** `bellwire/client/manage` against the real service: a webhook's life, two writers, and answers that are lost. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { startReceiver } from "../../test/kit/servers/receiver.ts";
import { createTestApp } from "../../test/kit/world/app-under-test.ts";
import { toValue, uuid } from "../../test/kit/world/world.ts";
import { makeReadKey } from "../accounts/read-keys.ts";
import { demoViewed } from "../events/demo-viewed.ts";
import type { Outside } from "./outside.ts";
import type { CallResult } from "./answers.ts";
import { createManageClient } from "./manage.ts";
import type { WebhookSettings } from "./managed.ts";

const ACCOUNT = "acme";

async function start(outside: Partial<Outside> = {}) {
  await using building = new AsyncDisposableStack();
  const receiver = building.use(await startReceiver({ status: 200 }));
  const env = { BELLWIRE_EGRESS_ALLOW: "127.0.0.0/8", BELLWIRE_MANAGEMENT: "1" };
  const service = building.use(await createTestApp(env));
  const { app } = service;
  await service.put(`/v1/accounts/${ACCOUNT}`, { name: "Acme", plan: "growth", app_url: "https://app.example.com" });
  const by = { person: "ada@example.com", role: "owner" } as const;
  const { key } = toValue(
    await makeReadKey(app.accounts, { accountId: ACCOUNT, name: "platform", kind: "manage", by }),
  );
  const { publicUrl } = await app.start();
  const manager = createManageClient({ url: publicUrl, key, retryForMs: 2_000, outside });
  const settings: WebhookSettings = {
    kind: "webhook",
    name: "CRM",
    events: "all",
    webhook: { url: `${receiver.url}/in`, headers: [{ name: "Authorization", value: "c4nary", secret: true }] },
  };
  const stack = building.move();
  return { app, service, manager, receiver, settings, [Symbol.asyncDispose]: () => stack.disposeAsync() };
}

function done<Value>(result: CallResult<Value>): Value {
  assert.ok(result.kind === "done", JSON.stringify(result));
  return result.value;
}

test("a webhook is tried, made, listed, shown, changed, paused, tested and deleted", async () => {
  await using world = await start();
  const { app, service, manager, receiver, settings } = world;
  const tried = done(await manager.put(ACCOUNT, "crm", settings, { dryRun: true }));
  assert.deepEqual(
    [tried.outcome, tried.webhook_id, done(await manager.list(ACCOUNT)).webhooks],
    ["created", null, []],
  );
  const made = done(await manager.put(ACCOUNT, "crm", settings, { onlyNew: true }));
  assert.deepEqual([made.outcome, made.state], ["created", "on"]);
  const [listed] = done(await manager.list(ACCOUNT)).webhooks;
  assert.deepEqual([listed?.id, listed?.kind, listed?.etag], ["crm", "webhook", made.etag]);
  const shown = done(await manager.get(ACCOUNT, "crm"));
  assert.deepEqual([shown.etag, shown.settings.webhook.headers?.[0]?.value], [made.etag, null]);
  assert.equal(
    done(await manager.put(ACCOUNT, "crm", shown.settings)).outcome,
    "unchanged",
    "settings can be put again",
  );
  const named = { ...settings, name: "CRM of Ana" };
  const changed = done(await manager.put(ACCOUNT, "crm", named, { ifMatch: made.etag ?? "" }));
  assert.deepEqual([changed.outcome, changed.changed], ["changed", ["name"]]);
  assert.equal(done(await manager.test(ACCOUNT, "crm")).class, "success");
  done(await manager.setState(ACCOUNT, "crm", { state: "paused" }));
  assert.equal(done(await manager.get(ACCOUNT, "crm")).state, "paused");
  done(await manager.setState(ACCOUNT, "crm", { state: "on", backlog: "cancel" }));
  await service.post(`/v1/accounts/${ACCOUNT}/demo-sessions`, { ...demoViewed.example, id: uuid(1) });
  await app.engine.lanes.load.idle();
  const sent = receiver.requests.length;
  const deliveryId = receiver.requests.at(-1)?.headers["webhook-id"] ?? "";
  done(await manager.resend(ACCOUNT, deliveryId));
  await app.engine.tick();
  await app.engine.lanes.load.idle();
  assert.equal(receiver.requests.length, sent + 1);
  done(await manager.delete(ACCOUNT, "crm", { ifMatch: changed.etag ?? "" }));
  const gone = await manager.get(ACCOUNT, "crm");
  assert.equal(gone.kind === "refused" && gone.code, "webhook_not_found");
});

test("the delivery that holds a webhook is skipped, and no other one by a second call", async () => {
  await using world = await start();
  const { app, service, manager, receiver, settings } = world;
  const { url } = settings.webhook;
  done(await manager.put(ACCOUNT, "ledger", { ...settings, webhook: { url, one_at_a_time: true } }));
  receiver.script = () => ({ status: 503 });
  for (const number of [1, 2]) {
    await service.post(`/v1/accounts/${ACCOUNT}/demo-sessions`, { ...demoViewed.example, id: uuid(number) });
  }
  await app.engine.tick();
  await app.engine.lanes.load.idle();
  const [head = ""] = receiver.requests.map(({ headers }) => headers["webhook-id"] ?? "");
  assert.equal(receiver.requests.length, 1);
  receiver.script = () => ({ status: 200 });
  done(await manager.skip(ACCOUNT, "ledger", head));
  const again = await manager.skip(ACCOUNT, "ledger", head);
  assert.deepEqual(again.kind === "refused" && [again.status, again.code], [409, "not_skippable"]);
  await app.engine.tick();
  await app.engine.lanes.load.idle();
  assert.equal(receiver.requests.length, 2, "the next one has gone out");
  assert.notEqual(receiver.requests[1]?.headers["webhook-id"], head);
  const audit = await app.store.listAudit({ accountId: ACCOUNT, before: null, limit: 10 });
  const skipped = audit.filter(({ action }) => action === "delivery_skipped");
  assert.deepEqual(
    skipped.map(({ person, subject }) => [person, subject]),
    [["manage key platform", head]],
  );
});

test("a webhook that is asked gets its token", async () => {
  await using world = await start();
  const { manager, settings } = world;
  done(await manager.put(ACCOUNT, "mine", { ...settings, webhook: { url: "pull:" } }));
  assert.match(done(await manager.makePullToken(ACCOUNT, "mine")).token, /^bwp_/);
});

test("of two writers the second is told which fields the first has changed, and writes nothing", async () => {
  await using world = await start();
  const { manager, settings } = world;
  const { etag } = done(await manager.put(ACCOUNT, "crm", settings));
  const seen = { ifMatch: etag ?? "" };
  done(await manager.put(ACCOUNT, "crm", { ...settings, name: "First" }, seen));
  for (const late of [
    await manager.put(ACCOUNT, "crm", { ...settings, name: "Second" }, seen),
    await manager.delete(ACCOUNT, "crm", seen),
  ]) {
    assert.ok(late.kind === "refused");
    assert.deepEqual(
      [late.status, late.code, late.errors.map(({ path }) => path)],
      [412, "precondition_failed", ["name"]],
    );
  }
  const again = await manager.put(ACCOUNT, "crm", settings, { onlyNew: true });
  assert.equal(again.kind === "refused" && again.status, 412);
  const bad = await manager.put(ACCOUNT, "crm", { ...settings, webhook: { url: "ftp://x" } });
  assert.deepEqual(bad.kind === "refused" && bad.errors.map(({ path }) => path), ["webhook.url"]);
});

/** A manager whose next answer is lost on its way, by what `answerLost` makes of it; `calls`: how many were made. */
async function startWithLosses(answerLost: () => Response) {
  let calls = 0;
  let isLost = false;
  const fetch: Outside["fetch"] = async (url, init) => {
    const answer = await globalThis.fetch(url, init);
    calls += 1;
    if (!isLost) return answer;
    isLost = false;
    return answerLost();
  };
  const world = await start({ fetch, wait: () => Promise.resolve() });
  const lose = async <Value>(run: () => Promise<CallResult<Value>>) => {
    isLost = true;
    calls = 0;
    const result = await run();
    return [result.kind, calls];
  };
  return { world, lose };
}

const LOSSES = {
  "the connection ends": () => {
    throw new TypeError("fetch failed");
  },
  "a proxy gives up": () => new Response("busy", { status: 503 }),
};

for (const [how, answerLost] of Object.entries(LOSSES)) {
  test(`what a repeat would do again is made once where ${how}, the rest until it is answered`, async () => {
    const { world, lose } = await startWithLosses(answerLost);
    await using _ = world;
    const { manager, settings, receiver } = world;
    assert.deepEqual(await lose(() => manager.put(ACCOUNT, "crm", settings)), ["done", 2]);
    const { etag } = done(await manager.get(ACCOUNT, "crm"));
    const seen = { ifMatch: etag ?? "" };
    const renamed = { ...settings, name: "B" };
    assert.deepEqual(await lose(() => manager.put(ACCOUNT, "crm", renamed, seen)), ["unavailable", 1]);
    assert.equal(done(await manager.get(ACCOUNT, "crm")).settings.kind, "webhook");
    assert.deepEqual(await lose(() => manager.put(ACCOUNT, "two", settings, { onlyNew: true })), ["unavailable", 1]);
    assert.deepEqual(await lose(() => manager.test(ACCOUNT, "crm")), ["unavailable", 1]);
    assert.equal(receiver.requests.length, 1);
    const paused = { state: "paused" } as const;
    assert.deepEqual(await lose(() => manager.setState(ACCOUNT, "crm", paused)), ["done", 2]);
    // A repeat would cancel what has come to wait since.
    const cancelling = { state: "on", backlog: "cancel" } as const;
    assert.deepEqual(await lose(() => manager.setState(ACCOUNT, "crm", cancelling)), ["unavailable", 1]);
  });
}

test("what cannot be a key is refused before any call", () => {
  assert.throws(() => createManageClient({ url: "http://127.0.0.1:9", key: "" }), /give a key that manages/);
});

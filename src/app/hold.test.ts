/** What a node does while it is held, and that it goes on when it is adopted; on SQLite, where a copy is a file. */
import assert from "node:assert/strict";
import { join } from "node:path";
import { test } from "node:test";
import { newFolder } from "../../test/kit/folder.ts";
import { makeWebhookForm } from "../../test/kit/make.ts";
import { createFakeIo } from "../../test/kit/world/fake-io.ts";
import { startReceiver } from "../../test/kit/servers/receiver.ts";
import { eventually } from "../../test/kit/wait.ts";
import { API_KEY, createTestApp } from "../../test/kit/world/app-under-test.ts";
import { toValue, uuid } from "../../test/kit/world/world.ts";
import { sessionRecord } from "../../test/kit/process/records.ts";
import { createAlert, createPulled } from "../../test/kit/world/alerts.ts";
import { adopt } from "../commands/adopt.ts";
import { sendTest } from "../delivery/test-delivery.ts";
import { demoViewed } from "../events/demo-viewed.ts";
import { HELD } from "../domain/refusal-words.ts";
import { backUp } from "../store/sqlite/backup.ts";

const encryptionKey = Buffer.alloc(32, 7);
const ACCOUNT = { name: "Example", plan: "starter", app_url: "https://app.example.com" };

async function startOn(path: string, changes: { readonly holds?: boolean } = {}) {
  const env = { BELLWIRE_DATABASE: `sqlite:${path}`, BELLWIRE_EGRESS_ALLOW: "127.0.0.0/8" };
  const keys = { encryptionKey, apiKeys: [API_KEY], madeFiles: [] };
  const node = await createTestApp(env, { keys, ...changes });
  return Object.assign(node, await node.app.start());
}

type Node = Awaited<ReturnType<typeof startOn>>;

/** Over a socket: a plain record takes the short cut. */
async function post(node: Node, n: number): Promise<number> {
  const headers = { authorization: `Bearer ${API_KEY}`, "content-type": "application/json" };
  const url = `http://127.0.0.1:${node.port}/v1/accounts/acme/demo-sessions`;
  return (await fetch(url, { method: "POST", headers, body: sessionRecord(uuid(n)) })).status;
}

const runAdopt = async (path: string) => {
  const { io, out } = createFakeIo([], { BELLWIRE_DATABASE: `sqlite:${path}` });
  assert.equal(await adopt(io), 0);
  return out.join("\n");
};

async function assertGoesOn(node: Node, startedMs: number): Promise<void> {
  await eventually("it is ready", async () => (await node.call({ method: "GET", url: "/readyz" })).statusCode === 200);
  assert.ok(Date.now() - startedMs < 4_000, "two seconds, and two for the machine");
}

test("a backup starts held: it is looked at, and calls nobody; adopted beside its service, it sends", async (t) => {
  using folder = newFolder();
  const [from, path] = [join(folder.path, "from.db"), join(folder.path, "copy.db")];
  await using receiver = await startReceiver({ status: 503, headers: { "retry-after": "2" } });
  let token = "";
  {
    await using production = await startOn(from);
    await production.put("/v1/accounts/acme", ACCOUNT);
    await production.put("/v1/accounts/asking", ACCOUNT);
    token = (await createPulled(production.app.accounts, { accountId: "asking" })).token;
    await createAlert(production.app.accounts, { accountId: "acme", url: `${receiver.url}/hook` });
    assert.equal(await post(production, 1), 202);
    await eventually("it has failed once", () => receiver.requests.length === 1);
    await eventually("that is written", async () => {
      const { waiting } = await production.app.store.countWaiting({ nowMs: 0 });
      return waiting === 1 && production.app.engine.lanes.load.counts().deliveries === 0;
    });
    toValue(backUp(from, { to: path, nowMs: 0 }));
    assert.equal(await runAdopt(from), "It was not held.");
  }
  receiver.script = () => ({});

  await using copy = await startOn(path);
  const ready = await copy.call({ method: "GET", url: "/readyz" });
  assert.equal(ready.statusCode, 503);
  assert.match(
    ready.json().detail,
    /a copy, made by bellwire backup at 1970-.* An operator ends that by bellwire adopt/,
  );
  assert.equal(await post(copy, 2), 503);
  assert.equal((await copy.put("/v1/accounts/acme", ACCOUNT)).statusCode, 503);
  assert.equal((await copy.post("/v1/accounts/acme/dashboard-links", {})).statusCode, 201);
  const pull = { method: "GET", url: "/pull", headers: { authorization: `Bearer ${token}` } } as const;
  assert.equal((await copy.call(pull)).statusCode, 503);
  const metrics = await copy.call({ method: "GET", url: "/metrics" });
  assert.match(metrics.body, /^bellwire_held 1$/m);
  // No name server is asked: the name below does not exist, and that is not what is said.
  assert.equal(await copy.app.accounts.checkUrl(new URL("https://nowhere.invalid/hook")), HELD);
  const webhook = makeWebhookForm({ url: `${receiver.url}/hook` });
  const draft = { accountId: "acme", saved: null, webhook, owner: "alert", type: demoViewed, body: "{}" } as const;
  const { outcome } = toValue(await sendTest(copy.app.delivery, draft)).result;
  assert.deepEqual(outcome, { kind: "blocked", message: HELD });
  // The copy's delivery has been due all along.
  await eventually("its retry is due", async () => {
    const { oldestDueAtMs } = await copy.app.store.countWaiting({ nowMs: Date.now() });
    return oldestDueAtMs !== null && oldestDueAtMs + 1_000 < Date.now();
  });
  assert.equal(receiver.requests.length, 1);

  const startedMs = Date.now();
  assert.match(await runAdopt(path), /^It goes on as the service/);
  await assertGoesOn(copy, startedMs);
  await eventually("what waited is sent", () => receiver.requests.length === 2);
  t.diagnostic(`sent ${Date.now() - startedMs} ms after adopt was started`);
  assert.equal(await post(copy, 3), 202);
});

test("one that is started by --hold stays held at its next start, until it is adopted", async () => {
  using folder = newFolder();
  const path = join(folder.path, "held.db");
  for (const holds of [true, false]) {
    await using node = await startOn(path, { holds });
    assert.match(node.app.hold.problem?.detail ?? "", /serve --hold/);
  }
  await runAdopt(path);
  await using node = await startOn(path);
  assert.equal(node.app.hold.problem, null);
});

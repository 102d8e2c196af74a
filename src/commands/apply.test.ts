/** `bellwire apply`, against the whole program on a real socket: a walk of a file's life, its faults, and a kill. */
import assert from "node:assert/strict";
import { mkdtemp, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { makeReadKey } from "../accounts/read-keys.ts";
import { API_KEY, createTestApp } from "../../test/kit/world/app-under-test.ts";
import { createFakeIo } from "../../test/kit/world/fake-io.ts";
import { toValue } from "../../test/kit/world/world.ts";
import { apply } from "./apply.ts";
import { readKeys } from "./read-keys.ts";

const BY = { person: "ada@example.com", role: "owner" } as const;

let service: Awaited<ReturnType<typeof createTestApp>>;
let folder: string;
let port: number;

before(async () => {
  folder = await mkdtemp(join(tmpdir(), "bellwire-apply-"));
  service = await createTestApp({ BELLWIRE_EGRESS_ALLOW: "127.0.0.0/8", BELLWIRE_MANAGEMENT: "1" });
  ({ port } = await service.app.start());
});
after(() => service.app.stop());

/** An account of its own for each test, with a file of its own. */
async function open(accountId: string) {
  await service.put(`/v1/accounts/${accountId}`, { name: "Acme", plan: "growth", app_url: "https://app.example.com" });
  const made = await makeReadKey(service.app.accounts, { accountId, name: "ci", kind: "manage", by: BY });
  const { key } = toValue(made);
  const file = join(folder, `${accountId}.json`);
  const run = async (webhooks: unknown, flags: readonly string[] = []) => {
    await writeFile(file, typeof webhooks === "string" ? webhooks : JSON.stringify({ webhooks }));
    const env = { BELLWIRE_PORT: String(port), BELLWIRE_DATABASE: "sqlite::memory:", CRM_TOKEN: "Bearer c4nary-value" };
    const { io, out, err } = createFakeIo([file, "--key", key, "--account", accountId, ...flags], env);
    const code = await apply(io);
    return { code, out: out.join("\n"), err: err.join("\n") };
  };
  const list = async () => {
    const view = await service.app.accounts.accounts.loadAnew(accountId);
    return (view?.webhooks ?? []).map(({ webhook, destination }) => ({
      ...destination,
      id: destination.callerId,
      name: webhook.name,
    }));
  };
  const audit = async () => await service.app.store.listAudit({ accountId, before: null, limit: 200 });
  const names = async () => (await list()).map(({ name }) => name).toSorted();
  return { accountId, key, run, list, names, audit };
}

const webhook = (name: string, more: object = {}) => ({
  kind: "webhook",
  name,
  events: "all",
  webhook: { url: `http://127.0.0.1:9/${name}`, ...more },
});

test("a file is applied, again without a trace, changed, and pruned of what an apply has made", async () => {
  const { run, names, audit, list } = await open("walk");
  const headers = [{ name: "Authorization", value: { from_env: "CRM_TOKEN" }, secret: true }];
  const file = { crm: webhook("CRM", { headers }), ops: webhook("Ops") };
  const dry = await run(file, ["--dry-run"]);
  assert.deepEqual(
    [dry.code, dry.out],
    [0, "+ crm\n+ ops\nIt would be: 2 created, 0 changed, 0 deleted, 0 unchanged."],
    dry.err,
  );
  assert.deepEqual(await names(), []);
  const first = await run(file);
  assert.deepEqual([first.code, first.out], [0, "+ crm\n+ ops\nDone: 2 created, 0 changed, 0 deleted, 0 unchanged."]);
  assert.deepEqual((await list()).find(({ id }) => id === "crm")?.headers, [
    { name: "Authorization", value: "Bearer c4nary-value", secret: true },
  ]);

  const lines = (await audit()).length;
  const again = await run(file, ["--prune"]);
  assert.deepEqual([again.code, again.out], [0, "Done: 0 created, 0 changed, 0 deleted, 2 unchanged."]);
  assert.equal((await audit()).length, lines);

  // By hand, over the same calls: no apply has made it, so no prune takes it away.
  const byHand = {
    headers: { authorization: `Bearer ${(await open("walk")).key}`, "content-type": "application/json" },
  };
  const put = { ...byHand, method: "PUT", body: JSON.stringify(webhook("Hand")) };
  assert.equal((await fetch(`http://127.0.0.1:${port}/v1/accounts/walk/webhooks/hand`, put)).status, 201);
  const changed = await run({ crm: webhook("CRM-2", { headers }) }, ["--prune"]);
  assert.deepEqual(
    [changed.code, changed.out],
    [0, "~ crm: name, webhook.url\n- ops\nDone: 0 created, 1 changed, 1 deleted, 0 unchanged."],
    changed.err,
  );
  assert.deepEqual(await names(), ["CRM-2", "Hand"]);
  const authors = new Set(
    (await audit()).filter(({ action }) => action.startsWith("webhook_")).map(({ person }) => person),
  );
  assert.deepEqual(authors, new Set(["manage key ci"]));
});

test("for a program it prints one value", async () => {
  const { run } = await open("json");
  const { out } = await run({ crm: webhook("CRM") }, ["--json"]);
  assert.deepEqual(JSON.parse(out), { is_dry_run: false, webhooks: [{ id: "crm", outcome: "created", changed: [] }] });
});

test("a mistake in the file changes nothing, and each webhook's is told", async () => {
  const { run, names } = await open("faults");
  const bad = {
    ok: webhook("OK"),
    one: { ...webhook("One"), events: [] },
    two: webhook("Two", { rate_per_second: 0 }),
  };
  const { code, err, out } = await run(bad);
  assert.deepEqual([code, out, await names()], [1, "", []]);
  assert.match(
    err,
    /^one:\n.*\n {2}events must have at least one event type.*\ntwo:\n.*\n {2}webhook\.rate_per_second must/,
  );
  for (const [file, fault] of [
    ["{", /position|end|JSON/],
    ["[]", /must be \{"webhooks"/],
    [
      { crm: webhook("CRM", { headers: [{ name: "A", value: { from_env: "NOT_SET" }, secret: true }] }) },
      /webhooks\.crm\.webhook\.headers\[0\]\.value: the variable NOT_SET is not set/,
    ],
    [
      { crm: webhook("CRM", { url: { from_file: "none.txt" } }) },
      /webhooks\.crm\.webhook\.url: none\.txt cannot be read \(ENOENT\)/,
    ],
  ] as const) {
    const refused = await run(file);
    assert.deepEqual([refused.code, refused.out], [1, ""]);
    assert.match(refused.err, fault);
  }
});

test("one that stops in the middle, run again, comes to the same end", async () => {
  const { run, names, audit } = await open("killed");
  const file = Object.fromEntries(Array.from({ length: 6 }, (_, n) => [`w${n}`, webhook(`W${n}`)]));
  const { store } = service.app;
  const save = store.saveWebhook;
  let left = 3;
  store.saveWebhook = (params) => ((left -= 1) < 0 ? Promise.reject(new Error("killed")) : save(params));
  const stopped = await run(file);
  assert.deepEqual([stopped.code, stopped.out, await names()], [1, "", ["W0", "W1", "W2"]]);
  assert.match(stopped.err, /^w3:\n[^]*Run it again to go on\.$/);
  store.saveWebhook = save;
  const finished = await run(file, ["--prune"]);
  assert.match(finished.out, /^\+ w3\n\+ w4\n\+ w5\nDone: 3 created, 0 changed, 0 deleted, 3 unchanged\.$/);
  assert.deepEqual(await names(), ["W0", "W1", "W2", "W3", "W4", "W5"]);
  const made = (await audit()).filter(({ action }) => action === "webhook_created");
  assert.equal(made.length, 6);
});

test("the key is made by a command, which lists keys with their kinds", async () => {
  await open("keys");
  const env = { BELLWIRE_PORT: String(port), BELLWIRE_API_KEY: API_KEY, BELLWIRE_DATABASE: "sqlite::memory:" };
  const made = createFakeIo(["--account", "keys", "--make", "platform", "--manage"], env);
  assert.equal(await readKeys(made.io), 0);
  assert.match(made.out.join("\n"), /^bwr_[\w-]{43}$/);
  const listed = createFakeIo(["--account", "keys", "--json"], env);
  assert.equal(await readKeys(listed.io), 0);
  const keys = JSON.parse(listed.out.join("\n")) as { name: string; kind: string }[];
  assert.deepEqual(
    keys.map(({ name, kind }) => `${name} ${kind}`),
    ["ci manage", "platform manage"],
  );
});

test("it is called with a file and a key that manages", async () => {
  const { run, key } = await open("called");
  const { io, err } = createFakeIo([join(folder, "called.json")], {});
  assert.equal(await apply(io), 2);
  assert.match(err.join("\n"), /give the key with --key-file, or --key/);
  assert.equal((await run({}, ["--key-file", "x"])).code, 2);
  const more = createFakeIo(["a.json", "b.json", "--key", key], {});
  assert.equal(await apply(more.io), 2);
});

test("where managing is closed it says how it is opened", async () => {
  await using plain = await createTestApp();
  const started = await plain.app.start();
  const { key } = await open("closed");
  const file = join(folder, "closed.json");
  await writeFile(file, JSON.stringify({ webhooks: { crm: webhook("CRM") } }));
  const env = { BELLWIRE_PORT: String(started.port), BELLWIRE_DATABASE: "sqlite::memory:" };
  const { io, err } = createFakeIo([file, "--key", key], env);
  assert.equal(await apply(io), 1);
  assert.match(err.join("\n"), /BELLWIRE_MANAGEMENT=1 opens it/);
});

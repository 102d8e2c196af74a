/** `bellwire apply`, against the whole program on a real socket: a walk of a file's life, its faults, and a kill. */
import assert from "node:assert/strict";
import { once } from "node:events";
import { writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { makeReadKey } from "../accounts/read-keys.ts";
import { API_KEY, createTestApp } from "../../test/kit/world/app-under-test.ts";
import { createFakeIo } from "../../test/kit/world/fake-io.ts";
import { newFolder } from "../../test/kit/folder.ts";
import { LIMITS } from "../domain/limits.ts";
import { toValue } from "../../test/kit/world/world.ts";
import { accounts } from "./accounts.ts";
import { apply } from "./apply.ts";
import { readKeys } from "./read-keys.ts";

const BY = { person: "ada@example.com", role: "owner" } as const;

let service: Awaited<ReturnType<typeof createTestApp>>;
const folders = newFolder();
const folder = folders.path;
let port: number;

before(async () => {
  service = await createTestApp({ BELLWIRE_EGRESS_ALLOW: "127.0.0.0/8", BELLWIRE_MANAGEMENT: "1" });
  ({ port } = await service.app.start());
});
after(async () => {
  folders[Symbol.dispose]();
  await service.app.stop();
});

/** An account of its own for each test, with a file of its own. */
async function open(accountId: string) {
  await service.put(`/v1/accounts/${accountId}`, { name: "Acme", plan: "growth", app_url: "https://app.example.com" });
  const made = await makeReadKey(service.app.accounts, { accountId, name: "ci", kind: "manage", by: BY });
  const { key } = toValue(made);
  const file = join(folder, `${accountId}.json`);
  const run = async (webhooks: unknown, flags: readonly string[] = []) => {
    await writeFile(file, typeof webhooks === "string" ? webhooks : JSON.stringify({ webhooks }));
    const env = {
      BELLWIRE_PORT: String(port),
      BELLWIRE_DATABASE: "sqlite::memory:",
      CRM_TOKEN: "Bearer c4nary-value",
      EMPTY: "",
    };
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
      `{"webhooks": {"crm": ${JSON.stringify(webhook("A"))}, "crm": ${JSON.stringify(webhook("B"))}}}`,
      /: webhooks\.crm is there twice: leave one out$/,
    ],
    [
      `{"webhooks": {"crm": {"events": [{"type": "a"}, {"type": "b", "type": "c"}]}}}`,
      /: webhooks\.crm\.events\[1\]\.type is there twice/,
    ],
    [
      `{"webhooks": ${'{"a":'.repeat(20_000)}1${"}".repeat(20_000)}}`,
      /\.json has more than 64 levels of objects and lists$/,
    ],
  ] as const) {
    const refused = await run(file);
    assert.deepEqual([refused.code, refused.out], [1, ""]);
    assert.match(refused.err, fault);
  }
});

test("a secret that is no text, or empty, or not there, is told with its place, and nothing is written", async () => {
  const { run, names } = await open("secrets");
  await writeFile(join(folder, "empty.txt"), "\n");
  const form = '{"from_env": "NAME"} or {"from_file": "path"}, and nothing beside it';
  const [at, path] = ["webhooks.bad.webhook.headers[0].value", "webhook.headers[0].value"];
  for (const [value, fault] of [
    [{ from_env: "NOT_SET" }, `${at}: the variable NOT_SET is not set`],
    [{ from_env: "EMPTY" }, `${at}: the variable EMPTY is empty`],
    [{ from_env: "" }, `${at}: must be ${form}`],
    [{ from_env: 5 }, `${at}: must be ${form}`],
    [{ from_env: "CRM_TOKEN", or: "x" }, `${at}: must be ${form}`],
    [{ from_env: "CRM_TOKEN", from_file: "empty.txt" }, `${at}: must be ${form}`],
    [{ from_file: ["a"] }, `${at}: must be ${form}`],
    [{ from_file: "none.txt" }, `${at}: none.txt cannot be read (ENOENT)`],
    [{ from_file: "empty.txt" }, `${at}: empty.txt is empty`],
    [{ from_vault: "x" }, `${path} must be`],
    [5, `${path} must be`],
    ["", `${path} is empty`],
    [null, `${path} has no saved value`],
  ] as const) {
    const bad = webhook("Bad", { headers: [{ name: "Authorization", value, secret: true }] });
    const refused = await run({ ok: webhook("OK"), bad });
    assert.deepEqual([refused.code, refused.out, await names()], [1, "", []], refused.err);
    assert.ok(refused.err.includes(fault), `${JSON.stringify(value)}: ${refused.err}`);
  }
});

test("every refusal of a file is told before anything is written, of whatever kind", async () => {
  const { run, names } = await open("refused");
  const assistant = { kind: "assistant", assistant_id: "none", webhook: { url: "pull:" } };
  const { code, out, err } = await run({
    ok: webhook("OK"),
    "bad id": webhook("Bad"),
    bot: assistant,
    rate: webhook("Rate", { rate_per_second: 0 }),
    dst_ours: webhook("Ours"),
    alert: { kind: "alert", name: "A", conditions: { join: "all", list: [] }, webhook: { url: "http://127.0.0.1:9/" } },
  });
  assert.deepEqual([code, out, await names()], [1, "", []]);
  const told = err.split("\n").filter((line) => line.endsWith(":") && !line.includes(" cannot"));
  assert.deepEqual(told, ["bad id:", "bot:", "rate:", "dst_ours:"], err);
});

test("one webhook more than an account can have is told by the dry pass, as by a save", async () => {
  const { run, names } = await open("limit");
  const ids = Array.from({ length: LIMITS.webhooksPerAccountMax }, (_, n) => `w${n}`);
  const file = Object.fromEntries(ids.map((id) => [id, webhook(id)]));
  assert.equal((await run(file)).code, 0);
  for (const flags of [["--dry-run"], []]) {
    const { code, err } = await run({ ...file, more: webhook("more") }, flags);
    assert.equal(code, 1);
    assert.match(err, /^more:\nAn account can have 100 webhooks\.$/);
  }
  assert.equal((await names()).length, ids.length);
});

test("two webhooks for one chat assistant are a mistake of the file, and nothing is written", async () => {
  const { accountId, run, audit } = await open("bots");
  await service.put(`/v1/accounts/${accountId}/chat-assistants/bot`, { name: "Bot" });
  const lines = (await audit()).length;
  const bot = { kind: "assistant", assistant_id: "bot", webhook: { url: "pull:" } };
  const { code, out, err } = await run({ one: bot, two: webhook("Two"), three: bot });
  assert.deepEqual([code, out, (await audit()).length], [1, "", lines]);
  assert.match(err, /^webhooks\.three: assistant_id is that of webhooks\.one; a chat assistant has one webhook$/);
  assert.equal((await run({ one: bot })).code, 0);
});

test("names cannot reach the terminal as signs of its own", async () => {
  const { run } = await open("signs");
  const red = "\u001b[31mred\u009b";
  const { err } = await run({ [red]: webhook("A"), b: { ...webhook("B"), [red]: 1 } });
  const missing = await run({ b: webhook("B", { url: { from_env: red } }) });
  const answer = { outcome: "changed", changed: [red], etag: "x", id: red, state: red };
  const stranger = createServer((_request, response) => response.end(JSON.stringify(answer))).listen(0, "127.0.0.1");
  await once(stranger, "listening");
  const url = ["--url", `http://127.0.0.1:${(stranger.address() as AddressInfo).port}`];
  const planned = await run({ b: webhook("B") }, ["--dry-run", ...url]);
  const suspended = createFakeIo(["suspend", "acme", "--key", API_KEY, ...url]);
  assert.equal(await accounts(suspended.io), 0);
  stranger.close();
  for (const text of [err, missing.err, planned.out, suspended.out.join("").replaceAll("\t", "")]) {
    assert.match(text, /red/);
    assert.doesNotMatch(text.replaceAll("\n", ""), /\p{Cc}/u);
  }
});

test("a service that asks for a second is given it by every call, also by the one that lists", async () => {
  const { run } = await open("busy");
  const asked: string[] = [];
  const step = { outcome: "unchanged", changed: [], etag: "x" };
  const busy = createServer(({ method = "" }, response) => {
    const isFirst = !asked.includes(method);
    asked.push(method);
    response.writeHead(isFirst ? 429 : 200).end(JSON.stringify(method === "GET" ? { webhooks: [] } : step));
  }).listen(0, "127.0.0.1");
  await once(busy, "listening");
  const url = `http://127.0.0.1:${(busy.address() as AddressInfo).port}`;
  const { code, err } = await run({ crm: webhook("CRM") }, ["--prune", "--url", url]);
  busy.close();
  assert.deepEqual([code, err, asked], [0, "", ["PUT", "PUT", "GET", "GET"]]);
});

test("who has sent too many wrong keys is told so at once: each further call would be one more", async () => {
  const { run } = await open("wrong");
  const refused = { code: "too_many_bad_keys", title: "Too many", detail: "Wait a minute, then send the right key." };
  let calls = 0;
  const strict = createServer((_request, response) => {
    calls += 1;
    response.writeHead(calls === 1 ? 429 : 200).end(JSON.stringify(refused));
  }).listen(0, "127.0.0.1");
  await once(strict, "listening");
  const url = `http://127.0.0.1:${(strict.address() as AddressInfo).port}`;
  const { code, err } = await run({ crm: webhook("CRM") }, ["--url", url]);
  strict.close();
  assert.deepEqual([code, err, calls], [1, `crm:\n${refused.detail}`, 1]);
});

test("one that stops in the middle, run again, comes to the same end", async () => {
  const { run, names, audit } = await open("killed");
  const file = Object.fromEntries(Array.from({ length: 6 }, (_, n) => [`w${n}`, webhook(`W${n}`)]));
  const { store } = service.app;
  const save = store.saveWebhook;
  let left = 3;
  store.saveWebhook = (params) =>
    params.isDryRun !== true && (left -= 1) < 0 ? Promise.reject(new Error("killed")) : save(params);
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

test("what is said about a key is about one that manages", async () => {
  const { key } = await open("told");
  const file = join(folder, "told.json");
  const short = join(folder, "short");
  await writeFile(file, JSON.stringify({ webhooks: { crm: webhook("CRM") } }));
  await writeFile(short, "abc\n");
  const env = { BELLWIRE_PORT: String(port), BELLWIRE_DATABASE: "sqlite::memory:" };
  const told = async (...flags: string[]) => {
    const { io, err } = createFakeIo([file, "--account", "told", ...flags], env);
    assert.equal(await apply(io), 1);
    return err.join("\n");
  };
  const missing = join(folder, "missing");
  assert.equal(
    await told("--key-file", missing),
    `There is no key that manages: ${missing} cannot be read (ENOENT). ` +
      "`bellwire read-keys --make ci --manage` prints a new one.",
  );
  assert.match(await told("--key-file", short), /^\S+ does not hold a key that manages: key 1 has 3 characters/);
  assert.match(await told("--key", API_KEY), /^crm:\nSend a key that manages .*\nThe key came from --key\.$/);
  const other = await told("--key", key, "--account", "none");
  assert.equal(other, 'crm:\nThere is no account "none" that this key opens.');
});

test("where managing is closed it says how it is opened, and so does the command that makes its key", async () => {
  await using plain = await createTestApp();
  const started = await plain.app.start();
  await plain.put("/v1/accounts/closed", { name: "Acme", plan: "growth", app_url: "https://app.example.com" });
  const ours = { BELLWIRE_PORT: String(started.port), BELLWIRE_API_KEY: API_KEY, BELLWIRE_DATABASE: "sqlite::memory:" };
  const made = createFakeIo(["--account", "closed", "--make", "ci", "--manage"], ours);
  assert.equal(await readKeys(made.io), 1);
  const closed = "Managing by programs is closed there: BELLWIRE_MANAGEMENT=1 opens it.";
  assert.deepEqual(made.err, [`${closed} Without --manage this makes a key that reads.`]);
  const long = createFakeIo(["--account", "closed", "--make", "x".repeat(99)], ours);
  assert.equal(await readKeys(long.io), 1);
  assert.doesNotMatch(long.err.join("\n"), /BELLWIRE_MANAGEMENT/);
  const { key } = await open("closed");
  const file = join(folder, "closed.json");
  await writeFile(file, JSON.stringify({ webhooks: { crm: webhook("CRM") } }));
  const env = { BELLWIRE_PORT: String(started.port), BELLWIRE_DATABASE: "sqlite::memory:" };
  const { io, err } = createFakeIo([file, "--key", key], env);
  assert.equal(await apply(io), 1);
  assert.deepEqual(err, ["crm:", `${closed} Or the key was taken back.`]);
});

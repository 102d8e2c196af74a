/** `bellwire pull` against a real service: what it posts, what it acknowledges, and how it ends. */
import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { newFolder } from "../../test/kit/folder.ts";
import { startReceiver } from "../../test/kit/servers/receiver.ts";
import { eventually } from "../../test/kit/wait.ts";
import { createPulled } from "../../test/kit/world/alerts.ts";
import { OWNERS_ACCOUNT, startDashboard, type Dashboard } from "../../test/kit/world/dashboard.ts";
import { createFakeIo } from "../../test/kit/world/fake-io.ts";
import { verify } from "../receiver/verify-event.ts";
import { pull } from "./pull.ts";

const accountId = OWNERS_ACCOUNT;

const statesOf = async ({ app }: Dashboard) => {
  const asked = { accountId, withTests: false, before: null, limit: 20 };
  const { deliveries } = await app.store.listDeliveries(asked);
  return deliveries.map(({ state, attemptsMade }) => `${state} ${attemptsMade}`);
};

test("each message is posted as it would be sent, and acknowledged when it is taken", async () => {
  await using local = await startReceiver();
  await using dashboard = await startDashboard();
  const { token } = await createPulled(dashboard.app.accounts, { accountId });
  using folder = newFolder();
  const file = join(folder.path, "token");
  writeFileSync(file, `${token}\n`);
  const command = createFakeIo(["--url", dashboard.url, "--to", `${local.url}/hook`, "--token-file", file]);
  const ended = pull(command.io);
  await command.printed(/^Asking /);
  await dashboard.postSession(1);
  await local.received(1);
  await dashboard.postSession(2);
  await local.received(2);
  const view = await dashboard.app.accounts.accounts.loadAnew(accountId);
  for (const { path, body, headers } of local.requests) {
    assert.equal(path, "/hook");
    assert.equal(verify(body, headers, view?.secrets.current.secret ?? "").valid, true);
  }
  await command.printed(/dlv_\w+ → 200 in \d+ ms$/);
  await eventually("both are answered", async () => command.out.length === 2);
  command.stop();
  assert.equal(await ended, 0);
  assert.deepEqual(await statesOf(dashboard), ["delivered 1", "delivered 1"], "the last one too");
});

test("what is not taken is given back, and comes again", async () => {
  await using local = await startReceiver({ status: 500 });
  await using dashboard = await startDashboard();
  const { token } = await createPulled(dashboard.app.accounts, { accountId });
  await dashboard.postSession(1);
  const command = createFakeIo(["--url", dashboard.url, "--to", local.url, "--token", token]);
  const ended = pull(command.io);
  await command.printed(/→ 500 in \d+ ms; given back$/);
  command.stop();
  assert.equal(await ended, 0);
  assert.deepEqual(await statesOf(dashboard), ["pending 1"]);
});

test("that the service is away is said once, and once that it answers again", async () => {
  const nothing = { body: JSON.stringify({ claim: null, claim_ends_at: null, messages: [] }) };
  await using service = await startReceiver(({ number }) => {
    if (number <= 3) return { status: 503 };
    return number === 4 ? nothing : { kind: "hang" };
  });
  const token = `bwp_${"A".repeat(43)}`;
  const command = createFakeIo(["--url", service.url, "--to", "http://localhost:1/", "--token", token]);
  const ended = pull(command.io);
  await command.printed(/answers again/);
  await service.received(5);
  command.stop();
  assert.equal(await ended, 0);
  assert.deepEqual(command.err.slice(1), [
    "The service cannot be asked (it answered 503); trying again.",
    "The service answers again.",
  ]);
});

test("what answers but is no Bellwire ends it", async () => {
  await using other = await startReceiver({ body: "hello" });
  const token = `bwp_${"A".repeat(43)}`;
  const command = createFakeIo(["--url", other.url, "--to", "http://localhost:1/", "--token", token]);
  assert.equal(await pull(command.io), 1);
  assert.match(command.err.at(-1) ?? "", /answered 200, but not as Bellwire does/);
});

test("it ends when its token is replaced, in words, and says what is wrong with a call", async () => {
  await using dashboard = await startDashboard();
  await createPulled(dashboard.app.accounts, { accountId });
  const other = `bwp_${"A".repeat(43)}`;
  const command = createFakeIo(["--url", dashboard.url, "--to", "http://localhost:1/", "--token", other]);
  assert.equal(await pull(command.io), 1);
  assert.match(command.err.join(" "), /No webhook is asked with this token/);
  const cases: readonly (readonly [args: readonly string[], wrong: RegExp])[] = [
    [["--token", other], /^--to is missing/],
    [["--to", "localhost:3000", "--token", other], /must be an http or https address/],
    [["--to", "http://localhost:1/"], /^give the token with --token-file/],
    [["--to", "http://localhost:1/", "--token", "x"], /^--token has no webhook's token/],
    [["--to", "http://localhost:1/", "--token-file", "/nowhere"], /cannot be read \(ENOENT\)/],
  ];
  for (const [args, wrong] of cases) {
    const wrongly = createFakeIo(args);
    assert.equal(await pull(wrongly.io), 2);
    assert.match(wrongly.err[0] ?? "", wrong);
  }
});

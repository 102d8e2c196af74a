/** `bellwire forward` against a real service: what a developer's machine gets, and how forwarding begins and ends. */
import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, test } from "node:test";
import { newFolder } from "../../test/kit/folder.ts";
import { startChild } from "../../test/kit/process/child.ts";
import { freePort } from "../../test/kit/process/running.ts";
import { createAssistant } from "../../test/kit/world/alerts.ts";
import { createFakeIo, type FakeIo } from "../../test/kit/world/fake-io.ts";
import { OWNERS_ACCOUNT, startDashboard, type Dashboard } from "../../test/kit/world/dashboard.ts";
import { startReceiver } from "../../test/kit/servers/receiver.ts";
import { toValue } from "../../test/kit/world/world.ts";
import { createForwardCode } from "../accounts/dashboard-link.ts";
import { verify } from "../receiver/verify-event.ts";
import { forward } from "./forward.ts";

const ana = { accountId: OWNERS_ACCOUNT, person: "ana@example.com", role: "viewer" } as const;

const makeCode = async ({ app }: Dashboard): Promise<string> =>
  toValue(await createForwardCode(app.accounts, ana)).code;

interface Running extends AsyncDisposable {
  readonly command: FakeIo;
  readonly ended: Promise<number>;
}

function run(dashboard: Dashboard, code: string, args: readonly string[]): Running {
  const command = createFakeIo(["--url", dashboard.url, "--code", code, ...args]);
  const ended = forward(command.io);
  return {
    command,
    ended,
    async [Symbol.asyncDispose]() {
      command.stop();
      await ended;
    },
  };
}

/** The file as a developer's machine has it: alone in an empty folder. */
async function download({ url }: Dashboard, folder: string): Promise<Buffer> {
  const answer = await fetch(`${url}/forward.mjs`);
  assert.equal(answer.status, 200);
  assert.equal(answer.headers.get("content-type"), "text/javascript; charset=utf-8");
  const file = Buffer.from(await answer.arrayBuffer());
  writeFileSync(join(folder, "forward.mjs"), file);
  return file;
}

/** What Node 20 lacks of what our code calls. */
const AS_NODE_20 = `--import=data:text/javascript,${[
  "delete Promise.withResolvers",
  "delete URL.parse",
  "delete globalThis.DisposableStack",
].join(";")}`;

describe("the file that the service serves", () => {
  test("forwards from an empty folder, on a Node that has only what Node 20 has, until it is interrupted", async () => {
    await using saved = await startReceiver();
    await using local = await startReceiver();
    await using dashboard = await startDashboard();
    await createAssistant(dashboard.app.accounts, { accountId: OWNERS_ACCOUNT, assistantId: "bot", url: saved.url });
    using folder = newFolder();
    const file = await download(dashboard, folder.path);
    // Older ones do not know the words.
    assert.doesNotMatch(file.toString(), /^\s*(?:await )?using /m);
    const code = await makeCode(dashboard);
    const words = ["--url", dashboard.url, "--to", `${local.url}/hook`, "--code", code];
    await using child = startChild({ args: [AS_NODE_20, "forward.mjs", ...words], cwd: folder.path });
    await child.err.match(/^Forwarding the webhooks of Acme Inc to /);
    await dashboard.postConversation(1, { assistant_id: "bot" });
    await local.received(1);
    assert.deepEqual(local.requests[0]?.body, saved.requests[0]?.body);
    await child.out.match(/chat_conversation_completed · bot · dlv_\w+ → 200 in \d+ ms$/);
    child.kill("SIGINT");
    assert.deepEqual(await child.exited, { code: 0, signal: null });
    const { store, clock } = dashboard.app.accounts;
    const asked = { accountId: OWNERS_ACCOUNT, before: null, limit: 10, nowMs: clock.nowMs() };
    assert.deepEqual(await store.listSessions(asked), [], "its session has ended with it");
  });

  test("names itself in its help, and says which word is missing", async () => {
    await using dashboard = await startDashboard();
    using folder = newFolder();
    await download(dashboard, folder.path);
    const call = async (...args: string[]) => {
      await using child = startChild({ args: ["forward.mjs", ...args], cwd: folder.path });
      const { code } = await child.exited;
      return { code, text: `${child.out.text}${child.err.text}` };
    };
    const help = await call("--help");
    assert.equal(help.code, 0);
    assert.match(help.text, /^Usage: node forward\.mjs --to /);
    assert.doesNotMatch(help.text, /BELLWIRE_/);
    assert.match((await call("--to", "http://localhost:1/", "--code", "x")).text, /^--url is missing/);
  });
});

describe("bellwire forward", () => {
  test("copies each webhook to this machine, signed, with its own id, while the saved URL gets it too", async () => {
    await using saved = await startReceiver();
    await using local = await startReceiver();
    await using dashboard = await startDashboard();
    const { accounts } = dashboard.app;
    const headers = [
      { name: "X-Team", value: "sales", secret: false },
      { name: "Authorization", value: "Bearer top-secret", secret: true },
    ];
    await createAssistant(accounts, { accountId: OWNERS_ACCOUNT, assistantId: "bot", url: saved.url, headers });
    await dashboard.postConversation(1, { assistant_id: "bot" });
    await saved.received(1);

    const code = await makeCode(dashboard);
    await using running = run(dashboard, code, ["--to", `${local.url}/hook`, "--header", "authorization: mine"]);
    await running.command.printed(/^Forwarding the webhooks of Acme Inc to /);
    await dashboard.postConversation(2, { assistant_id: "bot" });
    await saved.received(2);
    await local.received(1);

    const [copy] = local.requests;
    const original = saved.requests[1];
    assert.ok(copy !== undefined && original !== undefined);
    assert.equal(copy.path, "/hook");
    assert.deepEqual(copy.body, original.body);
    assert.equal(copy.headers["webhook-id"], original.headers["webhook-id"]);
    assert.equal(copy.headers["x-service-signature"], original.headers["x-service-signature"]);
    assert.equal(copy.headers["x-team"], "sales");
    assert.equal(copy.headers["authorization"], "mine");
    const view = await accounts.accounts.loadAnew(OWNERS_ACCOUNT);
    assert.equal(verify(copy.body, copy.headers, view?.secrets.current.secret ?? "").valid, true);
    await running.command.printed(/chat_conversation_completed · bot · dlv_\w+ → 200 in \d+ ms$/);
    // Asked for again and again, and copied once.
    await dashboard.postConversation(3, { assistant_id: "bot" });
    await local.received(2);
    assert.equal(local.requests.length, 2);
  });

  test("copies the body that the webhook sends, where that is not the event", async () => {
    await using saved = await startReceiver();
    await using local = await startReceiver();
    await using dashboard = await startDashboard();
    const body = { body: "template", template: '{"id": "{{webhook_id}}", "at": "{{accepted_at}}"}' } as const;
    const assistant = { accountId: OWNERS_ACCOUNT, assistantId: "bot", url: saved.url, ...body };
    await createAssistant(dashboard.app.accounts, assistant);
    await using running = run(dashboard, await makeCode(dashboard), ["--to", `${local.url}/hook`]);
    await running.command.printed(/^Forwarding/);
    await dashboard.postConversation(1, { assistant_id: "bot" });
    await local.received(1);
    await saved.received(1);
    assert.match(String(local.requests[0]?.body), /^\{"id":\s*"dlv_/);
    assert.deepEqual(local.requests[0]?.body, saved.requests[0]?.body);
  });

  test("leaves secret values out and says so, and says when the receiver here does not answer", async () => {
    await using saved = await startReceiver();
    await using dashboard = await startDashboard();
    const headers = [{ name: "X-Api-Key", value: "top-secret", secret: true }];
    const assistant = { accountId: OWNERS_ACCOUNT, assistantId: "bot", url: saved.url, headers };
    await createAssistant(dashboard.app.accounts, assistant);
    const port = await freePort();
    await using running = run(dashboard, await makeCode(dashboard), ["--to", `http://127.0.0.1:${port}/`]);
    await running.command.printed(/^Forwarding/);
    await dashboard.postConversation(1, { assistant_id: "bot" });
    await running.command.printed(/→ no answer \(ECONNREFUSED\)$/);
    const left = await running.command.printed(/^Copies leave out x-api-key/);
    assert.doesNotMatch([left, ...running.command.out, ...running.command.err].join("\n"), /top-secret/);
  });

  test("a code works once, for forwarding only, and its token opens no dashboard", async () => {
    await using dashboard = await startDashboard();
    const code = await makeCode(dashboard);
    const asPage = { "content-type": "application/json", "sec-fetch-site": "same-origin" };
    const signIn = await fetch(`${dashboard.url}/dashboard/sign-in`, {
      method: "POST",
      headers: asPage,
      body: JSON.stringify({ token: code }),
    });
    assert.equal(signIn.status, 404, "a forwarding code is no sign-in link");
    const open = () =>
      fetch(`${dashboard.url}/dashboard/forward`, {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify({ code }),
      });
    const opened = await open();
    assert.equal(opened.status, 200);
    const { token } = (await opened.json()) as { token: string };
    assert.equal((await open()).status, 410);
    const withCookie = await fetch(`${dashboard.url}/dashboard/deliveries`, {
      headers: { cookie: `bellwire_session=${token}`, "sec-fetch-site": "same-origin" },
    });
    assert.equal(withCookie.status, 401);
    const withBearer = (path: string) =>
      fetch(`${dashboard.url}/dashboard${path}`, { headers: { authorization: `Bearer ${token}` } });
    assert.equal((await withBearer("/forward/deliveries?from=0")).status, 200);
    assert.equal((await withBearer("/deliveries")).status, 401);
  });

  test("ends when an owner ends it, in words", async () => {
    await using local = await startReceiver();
    await using dashboard = await startDashboard();
    const running = run(dashboard, await makeCode(dashboard), ["--to", local.url]);
    await running.command.printed(/^Forwarding/);
    const { store, clock } = dashboard.app.accounts;
    const by = { person: "ana@example.com", role: "owner" } as const;
    await store.endSessions({ accountId: OWNERS_ACCOUNT, which: { kind: "all" }, by, nowMs: clock.nowMs() });
    assert.equal(await running.ended, 1);
    assert.match(running.command.err.join("\n"), /Forwarding has ended: an owner stopped it/);
  });

  test("says what is wrong with a call, and posts to no other machine", async () => {
    const cases: readonly (readonly [args: readonly string[], wrong: RegExp])[] = [
      [["--code", "x"], /^--to is missing/],
      [["--to", "http://localhost:1/"], /^--code is missing/],
      [["--to", "https://example.com/", "--code", "x"], /must be an address of this machine/],
      [["--to", "http://localhost:1/", "--code", "x", "--event", "Demo viewed"], /^--event must be the name of/],
      [["--to", "http://localhost:1/", "--code", "x", "--header", "nonsense"], /^--header must be written/],
    ];
    for (const [args, wrong] of cases) {
      const command = createFakeIo(args);
      assert.equal(await forward(command.io), 2);
      assert.match(command.err[0] ?? "", wrong);
    }
    await using dashboard = await startDashboard();
    const command = createFakeIo(["--url", dashboard.url, "--to", "http://localhost:1/", "--code", "made-up"]);
    assert.equal(await forward(command.io), 1);
    assert.match(command.err.join(" "), /not a code of this service/);
  });
});

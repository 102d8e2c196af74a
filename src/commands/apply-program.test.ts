/** `bellwire apply` as the program that people start: its environment, and its end by `kill -9` at any moment. */
import assert from "node:assert/strict";
import { once } from "node:events";
import { writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { makeReadKey } from "../accounts/read-keys.ts";
import { newFolder } from "../../test/kit/folder.ts";
import { type Child, startChild } from "../../test/kit/process/child.ts";
import { BIN } from "../../test/kit/process/running.ts";
import { createTestApp } from "../../test/kit/world/app-under-test.ts";
import { toValue } from "../../test/kit/world/world.ts";
import { soon } from "../../test/kit/wait.ts";

const BY = { person: "ada@example.com", role: "owner" } as const;

let service: Awaited<ReturnType<typeof createTestApp>>;
let folder: ReturnType<typeof newFolder>;
let port: number;

before(async () => {
  folder = newFolder();
  service = await createTestApp({ BELLWIRE_EGRESS_ALLOW: "127.0.0.0/8", BELLWIRE_MANAGEMENT: "1" });
  ({ port } = await service.app.start());
});
after(async () => {
  await service.app.stop();
  folder[Symbol.dispose]();
});

async function open(accountId: string) {
  await service.put(`/v1/accounts/${accountId}`, { name: "Acme", plan: "growth", app_url: "https://app.example.com" });
  const made = await makeReadKey(service.app.accounts, { accountId, name: "ci", kind: "manage", by: BY });
  const { key } = toValue(made);
  const file = join(folder.path, `${accountId}.json`);
  const start = async (
    webhooks: object,
    env: Readonly<Record<string, string>> = {},
    flags: readonly string[] = ["--prune"],
  ): Promise<Child> => {
    await writeFile(file, JSON.stringify({ webhooks }));
    const args = [BIN, "apply", file, "--key", key, "--account", accountId, ...flags];
    return startChild({ args, env: { BELLWIRE_PORT: String(port), BELLWIRE_DATABASE: "sqlite::memory:", ...env } });
  };
  const list = async () => {
    const view = await service.app.accounts.accounts.loadAnew(accountId);
    return (view?.webhooks ?? []).map(({ webhook: { name }, destination: { callerId, url, headers } }) => ({
      id: callerId,
      name,
      url,
      headers,
    }));
  };
  const audit = async () =>
    (await service.app.store.listAudit({ accountId, before: null, limit: 200 }))
      .map(({ action, subject }) => `${action} ${subject}`)
      .filter((line) => line.startsWith("webhook_"))
      .toSorted();
  return { start, list, audit };
}

const webhook = (name: string, more: object = {}) => ({
  kind: "webhook",
  name,
  events: "all",
  webhook: { url: `http://127.0.0.1:9/${name}`, ...more },
});

test("a variable that the file names is read from the environment, whatever it is called", async () => {
  const { start, list } = await open("env");
  const headers = [{ name: "Authorization", value: { from_env: "CRM_TOKEN" }, secret: true }];
  const file = { crm: webhook("CRM", { headers }) };
  await using missing = await start(file);
  assert.equal((await missing.exited).code, 1);
  assert.match(missing.err.text, /headers\[0\]\.value: the variable CRM_TOKEN is not set/);
  await using run = await start(file, { CRM_TOKEN: "Bearer c4nary" });
  assert.equal((await run.exited).code, 0, run.err.text);
  assert.deepEqual((await list())[0]?.headers, [{ name: "Authorization", value: "Bearer c4nary", secret: true }]);
});

test("a service that asks for a second is given it, though nothing else keeps the program awake", async () => {
  const { start } = await open("slow");
  let calls = 0;
  const answer = { outcome: "unchanged", changed: [], etag: "x" };
  const busy = createServer((_request, response) => {
    calls += 1;
    response.writeHead(calls === 1 ? 429 : 200).end(JSON.stringify(answer));
  }).listen(0, "127.0.0.1");
  await once(busy, "listening");
  const { port: busyPort } = busy.address() as AddressInfo;
  await using run = await start({ crm: webhook("CRM") }, {}, ["--url", `http://127.0.0.1:${busyPort}`, "--dry-run"]);
  const { code } = await run.exited;
  busy.close();
  assert.deepEqual([code, run.err.text, calls], [0, "", 2]);
});

/** What is there before, and what the file wants: two go, two change, two stay, three come. */
const BEFORE = Object.fromEntries(["a", "b", "c", "d", "e", "f"].map((id) => [id, webhook(id)]));
const WANTED = {
  a: webhook("a"),
  b: webhook("b"),
  c: webhook("c", { rate_per_second: 5 }),
  d: webhook("d2"),
  x: webhook("x"),
  y: webhook("y"),
  z: webhook("z"),
};

type Store = typeof service.app.store;

/** The `nth` call of the verb reaches the store and is answered to nobody: `reached` says that it has come to it. */
function holdCall(verb: "saveWebhook" | "deleteWebhook", { nth, isDone }: { nth: number; isDone: boolean }) {
  const { store } = service.app;
  const run = store[verb] as (params: object) => Promise<unknown>;
  const { promise: reached, resolve } = Promise.withResolvers<void>();
  const { promise: given, reject } = Promise.withResolvers<never>();
  given.catch(() => {});
  let calls = 0;
  store[verb] = (async (params: object) => {
    if ("isDryRun" in params && params.isDryRun === true) return await run(params);
    calls += 1;
    if (calls !== nth) return await run(params);
    if (isDone) await run(params);
    resolve();
    return await given;
  }) as Store["saveWebhook"] & Store["deleteWebhook"];
  return {
    reached,
    [Symbol.dispose]: () => {
      store[verb] = run as Store["saveWebhook"] & Store["deleteWebhook"];
      reject(new Error("the program is gone"));
    },
  };
}

async function runToEnd(starting: Promise<Child>): Promise<string> {
  await using run = await starting;
  assert.equal((await run.exited).code, 0, run.err.text);
  return run.out.text;
}

test(
  "killed at any moment and run again, it comes to the same end, and does nothing twice",
  { timeout: 120_000 },
  async () => {
    const whole = await open("whole");
    await runToEnd(whole.start(BEFORE));
    await runToEnd(whole.start(WANTED));
    for (const [n, [verb, nth, isDone]] of (
      [
        ["saveWebhook", 1, false],
        ["saveWebhook", 3, true],
        ["saveWebhook", 5, false],
        ["deleteWebhook", 1, true],
      ] as const
    ).entries()) {
      const { start, list, audit } = await open(`killed-${n}`);
      await runToEnd(start(BEFORE));
      {
        using held = holdCall(verb, { nth, isDone });
        await using killed = await start(WANTED);
        await soon(held.reached, "the call that it is killed in");
        killed.kill("SIGKILL");
        assert.equal((await killed.exited).signal, "SIGKILL");
      }
      await runToEnd(start(WANTED));
      assert.deepEqual(await list(), await whole.list(), `${verb} ${nth}`);
      assert.deepEqual(await audit(), await whole.audit(), `${verb} ${nth}`);
      assert.match(await runToEnd(start(WANTED)), /^Done: 0 created, 0 changed, 0 deleted, 7 unchanged\.$/);
    }
  },
);

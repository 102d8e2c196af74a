/** An installation that grows by a second database while two nodes run: accounts move there, and events go on. */
import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { saveAssistantWebhook } from "../src/accounts/save-assistant-webhook.ts";
import type { App } from "../src/app.ts";
import { shards } from "../src/commands/shards.ts";
import { call, type Node, startNode } from "../test/kit/process/node.ts";
import { conversationRecord } from "../test/kit/process/records.ts";
import { type SharedCluster, shareCluster } from "../test/kit/servers/postgres.ts";
import { type Receiver, startReceiver } from "../test/kit/servers/receiver.ts";
import { eventually } from "../test/kit/wait.ts";
import { createFakeIo } from "../test/kit/world/fake-io.ts";
import { toValue, uuid } from "../test/kit/world/world.ts";

const ASSISTANT = "bot-1";
const ROOT = mkdtempSync(join(tmpdir(), "bellwire-shards-"));

let cluster: SharedCluster;

before(async () => {
  cluster = await shareCluster();
});
after(async () => {
  await cluster[Symbol.asyncDispose]();
  rmSync(ROOT, { recursive: true, force: true });
});

/** The command, as an operator runs it where a node runs. */
async function run(database: string, ...args: string[]) {
  const key = Buffer.alloc(32, 7).toString("base64");
  const env = { BELLWIRE_DATA_DIR: ROOT, BELLWIRE_DATABASE: database, BELLWIRE_ENCRYPTION_KEY: key };
  const { io, out, err } = createFakeIo(args, env);
  const code = await shards(io);
  assert.equal(code, 0, err.join("\n"));
  return out;
}

const converse = (node: App, accountId: string, n: number) =>
  call(node, {
    method: "POST",
    accountId,
    path: "/chat-conversations",
    payload: conversationRecord(uuid(n), ASSISTANT),
  });

async function setUpAccount(node: Node, accountId: string, receiver: Receiver): Promise<void> {
  const account = { name: "Acme", plan: "starter", app_url: "https://app.example.com" };
  assert.equal((await call(node, { method: "PUT", accountId, path: "", payload: account })).status, 201);
  await call(node, { method: "PUT", accountId, path: `/chat-assistants/${ASSISTANT}`, payload: { name: "Ada" } });
  const by = { person: "ada", role: "owner" } as const;
  const webhook = { url: `${receiver.url}/${accountId}`, headers: [] };
  toValue(
    await saveAssistantWebhook(node.accounts, { accountId, assistantId: ASSISTANT, revision: null, webhook, by }),
  );
}

/** Posts until it is told to stop; each record again until it is taken, as a back end does. Returns how many. */
function keepPosting(nodes: readonly Node[], accountId: string, firstId: number) {
  let isStopping = false;
  const posting = (async () => {
    let n = 0;
    for (; !isStopping; n += 1) {
      const node = nodes[n % nodes.length];
      assert.ok(node !== undefined);
      for (let status = 503; status === 503;) {
        ({ status } = await converse(node, accountId, firstId + n));
        assert.ok([200, 202, 503].includes(status), String(status));
      }
    }
    return n;
  })();
  return {
    async stop(): Promise<number> {
      isStopping = true;
      return await posting;
    },
  };
}

test("a second database is added and an account moves there and back, while two nodes take its events", async () => {
  const url = await cluster.createStoreDatabase();
  const second = await cluster.createDatabase();
  await using receiver = await startReceiver();
  await using one = await startNode(url);
  await using other = await startNode(url);
  await setUpAccount(one, "acme", receiver);
  await setUpAccount(one, "globex", receiver);
  assert.deepEqual(await run(url, "add", second), ["Shard 1 is there. Nodes know of it within 15 s."]);
  const acme = keepPosting([one, other], "acme", 0);
  const globex = keepPosting([one, other], "globex", 100_000);
  for (const to of ["1", "0", "1"]) {
    const [said] = await run(url, "move", "acme", "--to", to);
    assert.match(
      said ?? "",
      new RegExp(`^acme is in shard ${to}: \\d+ rows, and its posts had to wait for \\d+ ms\\.$`),
    );
  }
  const sent = (await acme.stop()) + (await globex.stop());
  await eventually("each event arrives", async () => receiver.requests.length >= sent);
  const ids = new Set(receiver.requests.map(({ headers }) => headers["webhook-id"]));
  assert.equal(ids.size, sent);
  assert.equal(receiver.requests.length, sent);
  await eventually("nothing waits", async () => {
    const [, home, moved] = (await run(url)).map((line) => line.split("\t").slice(0, 3));
    assert.deepEqual(
      [home?.slice(0, 2), moved?.slice(0, 2)],
      [
        ["0", "1"],
        ["1", "1"],
      ],
    );
    return home?.[2] === "0" && moved?.[2] === "0";
  });
  assert.equal(receiver.requests.length, sent);
});

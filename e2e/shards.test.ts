/** An installation that grows by a second database while two nodes run: accounts move there, and events go on. */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { saveAssistantWebhook } from "../src/accounts/save-assistant-webhook.ts";
import type { App } from "../src/app.ts";
import { makeWebhookForm } from "../test/kit/make.ts";
import { call, type Node, startNode } from "../test/kit/process/node.ts";
import { runShards } from "../test/kit/process/shards-command.ts";
import { conversationRecord } from "../test/kit/process/records.ts";
import { type SharedCluster, shareCluster } from "../test/kit/servers/postgres.ts";
import { type Receiver, startReceiver } from "../test/kit/servers/receiver.ts";
import { startTcpProxy, type TcpProxy } from "../test/kit/servers/tcp-proxy.ts";
import { eventually } from "../test/kit/wait.ts";
import { toValue, uuid } from "../test/kit/world/world.ts";

const ASSISTANT = "bot-1";

let cluster: SharedCluster;

before(async () => {
  cluster = await shareCluster();
});
after(() => cluster[Symbol.asyncDispose]());

async function run(database: string, ...args: string[]) {
  const { code, out, err } = await runShards({ database }, ...args);
  assert.equal(code, 0, err);
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
  const webhook = makeWebhookForm({ url: `${receiver.url}/${accountId}` });
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

/** A database, and how it is reached through the network between. */
async function behindProxy(database: string): Promise<TcpProxy & { readonly address: string }> {
  const { pathname, searchParams } = new URL(database);
  const proxy = await startTcpProxy(`${searchParams.get("host")}/.s.PGSQL.5432`);
  const address = `postgres://${searchParams.get("user")}@127.0.0.1:${proxy.port}${pathname}`;
  return Object.assign(proxy, { address });
}

async function readReady(node: Node): Promise<readonly [status: number, body: unknown]> {
  const answer = await node.server.inject({ url: "/readyz" });
  return [answer.statusCode, answer.statusCode === 200 ? answer.json() : answer.json<{ code: string }>().code];
}

test("while a server is away a node is ready for the accounts of the others, and new ones begin there", async () => {
  const url = await cluster.createStoreDatabase();
  await using home = await behindProxy(url);
  await using second = await behindProxy(await cluster.createDatabase());
  await using receiver = await startReceiver();
  await using node = await startNode(home.address);
  for (const id of ["acme", "globex", "initech"]) await setUpAccount(node, id, receiver);
  await run(home.address, "add", second.address);
  await run(home.address, "move", "acme", "--to", "1");
  await cluster.query(url, "update bellwire.shards set added_at = 0");
  const post = async (id: string, n: number) => (await converse(node, id, n)).status;
  assert.deepEqual([await post("acme", 1), await post("globex", 2)], [202, 202]);
  assert.deepEqual(await readReady(node), [200, { status: "ready" }]);

  home.weather = { kind: "cut" };
  assert.deepEqual([await post("acme", 3), await post("globex", 4)], [202, 503]);
  assert.deepEqual(await readReady(node), [200, { status: "ready", away: ["0"] }]);
  home.weather = { kind: "clear" };
  await eventually("home is back", async () => (await post("globex", 4)) !== 503);

  second.weather = { kind: "cut" };
  assert.deepEqual([await post("acme", 5), await post("globex", 6)], [503, 202]);
  assert.deepEqual(await readReady(node), [200, { status: "ready", away: ["1"] }]);
  // Shard 1 has the fewest.
  await setUpAccount(node, "hooli", receiver);
  assert.equal(await post("hooli", 7), 202);

  home.weather = { kind: "cut" };
  await eventually("nothing is there", async () => (await post("globex", 8)) === 503);
  assert.deepEqual(await readReady(node), [503, "store_unavailable"]);
  for (const proxy of [home, second]) proxy.weather = { kind: "clear" };
  await eventually("all are back", async () => (await post("acme", 5)) !== 503 && (await post("globex", 8)) !== 503);
  const asked = async () => JSON.stringify(await readReady(node));
  await eventually("it says so, a second later at most", async () => (await asked()) === '[200,{"status":"ready"}]');
});

test("an account is found after the shard where a node remembers it was emptied and removed", async () => {
  const url = await cluster.createStoreDatabase();
  await using receiver = await startReceiver();
  await using node = await startNode(url);
  await setUpAccount(node, "acme", receiver);
  await run(url, "add", url, "--schema", "second");
  await run(url, "add", url, "--schema", "third", "--no-new-accounts");
  await run(url, "move", "acme", "--to", "1");
  assert.equal((await converse(node, "acme", 1)).status, 202);
  await run(url, "move", "--all-from", "1");
  await run(url, "remove", "1");
  await cluster.query(url, "drop schema second cascade");
  // The first call that fails there makes it look again.
  await eventually("the node leaves it", async () => (await converse(node, "acme", 2)).status === 202);
});

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

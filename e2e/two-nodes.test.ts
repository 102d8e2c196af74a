import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { saveAssistantWebhook } from "../src/accounts/save-assistant-webhook.ts";
import type { App } from "../src/app.ts";
import { makeWebhookForm } from "../test/kit/make.ts";
import { type Cluster, startCluster } from "../test/kit/servers/postgres.ts";
import { type Receiver, startReceiver } from "../test/kit/servers/receiver.ts";
import { uuid, toValue } from "../test/kit/world/world.ts";
import { ACCOUNT, call, startNode } from "../test/kit/process/node.ts";
import { conversationRecord } from "../test/kit/process/records.ts";
import { eventually } from "../test/kit/wait.ts";

const ASSISTANT = "bot-1";

let cluster: Cluster;

before(async () => {
  cluster = await startCluster();
});
after(() => cluster[Symbol.asyncDispose]());

const converse = (node: App, n: number) =>
  call(node, { method: "POST", path: "/chat-conversations", payload: conversationRecord(uuid(n), ASSISTANT) });

async function sendTo(node: App, receiver: Receiver): Promise<void> {
  const by = { person: "ada", role: "owner" } as const;
  const webhook = makeWebhookForm({ url: `${receiver.url}/hook` });
  const draft = { accountId: ACCOUNT, assistantId: ASSISTANT, revision: null, webhook, by };
  toValue(await saveAssistantWebhook(node.accounts, draft));
}

async function nameAccount(node: App): Promise<void> {
  const account = { name: "Acme", plan: "starter", app_url: "https://app.example.com" };
  const named = await call(node, { method: "PUT", path: "", payload: account });
  assert.equal(named.status, 201, JSON.stringify(named.body));
  await call(node, { method: "PUT", path: `/chat-assistants/${ASSISTANT}`, payload: { name: "Ada" } });
}

test("two nodes on one database: each event once, whichever node is told, and a change holds on both", async () => {
  const url = await cluster.createDatabase();
  await using first = await startReceiver();
  await using second = await startReceiver();
  await using one = await startNode(url);
  await using other = await startNode(url);
  await nameAccount(one);
  await sendTo(one, first);
  const nodes = [one, other];
  for (let n = 0; n < 40; n += 1) {
    const [told, toldAgain] = n % 2 === 0 ? nodes : nodes.toReversed();
    assert.ok(told !== undefined && toldAgain !== undefined);
    const accepted = await converse(told, n);
    assert.equal(accepted.status, 202, JSON.stringify(accepted.body));
    const repeated = await converse(toldAgain, n);
    assert.deepEqual([repeated.status, repeated.body.duplicate], [200, true]);
    assert.equal(repeated.body.event_id, accepted.body.event_id);
  }
  await eventually("every conversation arrives", async () => first.requests.length >= 40);
  assert.equal(new Set(first.requests.map(({ headers }) => headers["webhook-id"])).size, 40);
  assert.equal(first.requests.length, 40);

  await sendTo(one, second);
  assert.equal((await converse(other, 100)).status, 202);
  await eventually("the new address is called", async () => second.requests.length === 1);
  assert.equal(first.requests.length, 40);
});

test("intake refuses while the database is away, and nothing that was accepted is lost", async () => {
  const url = await cluster.createDatabase();
  await using receiver = await startReceiver();
  await using node = await startNode(url);
  await nameAccount(node);
  await sendTo(node, receiver);
  assert.equal((await converse(node, 1)).status, 202);
  await cluster.stop("immediate");
  assert.equal((await converse(node, 2)).status, 503);
  assert.equal((await node.server.inject("/readyz")).statusCode, 503);
  await cluster.start();
  await eventually("it is ready again", async () => (await node.server.inject("/readyz")).statusCode === 200);
  assert.equal((await converse(node, 3)).status, 202);
  const arrived = (n: number) => receiver.requests.some(({ body }) => body.includes(uuid(n)));
  await eventually("what was accepted arrives", async () => arrived(1) && arrived(3));
  assert.ok(!arrived(2));
});

/**
 * A copy of an installation over two shards, made while it runs. In a drill beside it the copy is held and reaches
 * nothing of production's; where production is gone, the copy is adopted and goes on.
 */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { saveAssistantWebhook } from "../src/accounts/save-assistant-webhook.ts";
import { adopt } from "../src/commands/adopt.ts";
import { makeWebhookForm } from "../test/kit/make.ts";
import { call, type Node, startNode } from "../test/kit/process/node.ts";
import { conversationRecord } from "../test/kit/process/records.ts";
import { runCommand, runShards } from "../test/kit/process/shards-command.ts";
import { dumpDatabase } from "../test/kit/servers/dump.ts";
import { type SharedCluster, shareCluster } from "../test/kit/servers/postgres.ts";
import { type Answer, type Receiver, startReceiver } from "../test/kit/servers/receiver.ts";
import { eventually } from "../test/kit/wait.ts";
import { toValue, uuid } from "../test/kit/world/world.ts";

const ASSISTANT = "bot-1";
/** One in each shard. */
const ACCOUNTS = ["near", "far"] as const;

let cluster: SharedCluster;
before(async () => {
  cluster = await shareCluster();
});
after(() => cluster[Symbol.asyncDispose]());

async function run(database: string, ...args: string[]): Promise<void> {
  const { code, err } = await runShards({ database }, ...args);
  assert.equal(code, 0, err);
}

const post = async (node: Node, accountId: string, n: number): Promise<number> => {
  const payload = conversationRecord(uuid(n), ASSISTANT);
  return (await call(node, { method: "POST", accountId, path: "/chat-conversations", payload })).status;
};

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

interface Production extends AsyncDisposable {
  readonly node: Node;
  readonly home: string;
  readonly second: string;
  readonly receiver: Receiver;
}

/** An account in each shard, with a delivery that waits because its receiver answered so. */
async function startProduction(answer: Answer): Promise<Production> {
  const home = await cluster.createStoreDatabase();
  const second = await cluster.createDatabase();
  const receiver = await startReceiver(answer);
  const node = await startNode(home);
  for (const id of ACCOUNTS) await setUpAccount(node, id, receiver);
  await run(home, "add", second, "--no-new-accounts");
  await run(home, "move", "far", "--to", "1");
  for (const [n, id] of ACCOUNTS.entries()) assert.equal(await post(node, id, n + 1), 202);
  await eventually("both wait for their second attempt", async () => {
    const waits = "select 1 from bellwire.deliveries where attempts_made = 1 and not is_ended and claim_token is null";
    return (await Promise.all([home, second].map((url) => cluster.query(url, waits)))).every((rows) => rows.length > 0);
  });
  return {
    node,
    home,
    second,
    receiver,
    async [Symbol.asyncDispose]() {
      await node.stop();
      await receiver[Symbol.asyncDispose]();
    },
  };
}

async function copy(url: string): Promise<string> {
  const dump = await dumpDatabase(cluster, { url, day: "all" });
  const to = await cluster.createDatabase();
  await cluster.query(to, dump);
  return to;
}

const TABLES = `accounts events deliveries attempts destinations event_keys audit_entries sign_in_links settings shards
  accounts_at schema_migrations`.split(/\s+/);

/** What production has, without how often it was asked. */
async function readRows(...urls: string[]) {
  const rows: Record<string, readonly unknown[]> = {};
  for (const url of urls) {
    for (const table of TABLES) {
      const only = table === "settings" ? "where name <> 'home_mark'" : "";
      rows[`${url} ${table}`] = await cluster.query(url, `select t::text from bellwire.${table} t ${only} order by 1`);
    }
  }
  return rows;
}

async function readyz(node: Node) {
  const answer = await node.server.inject({ url: "/readyz" });
  return [answer.statusCode, answer.json<{ code?: string }>().code];
}

const heldMetric = async (node: Node) =>
  (await node.server.inject({ url: "/metrics" })).body.match(/^bellwire_held (\d)$/m)?.[1];

const lookAt = (node: Node, accountId: string) =>
  call(node, { method: "POST", accountId, path: "/dashboard-links", payload: {} });

test("a drill beside production: nothing of it changes, and the copy is held", async () => {
  await using production = await startProduction({ status: 503, headers: { "retry-after": "600" } });
  const { home, second, receiver } = production;
  const [copiedHome, copiedSecond] = [await copy(home), await copy(second)];
  const rows = await readRows(home, second);
  const requests = receiver.requests.length;

  await using drill = await startNode(copiedHome);
  assert.deepEqual(await readyz(drill), [503, "held"]);
  assert.equal(await heldMetric(drill), "1");
  for (const id of ACCOUNTS) assert.equal(await post(drill, id, 10), 503);
  // Its account lies in production's shard, which does not know this home.
  assert.equal((await lookAt(drill, "far")).status, 503);
  const listed = await runShards({ database: copiedHome });
  assert.equal(listed.code, 1);
  assert.match(listed.err, /shard 1 belongs to another home, which renewed its mark \d+ s ago: production is alive/);
  for (const args of [
    ["move", "far", "--to", "0"],
    ["remove", "1"],
    ["change", "1", second],
    ["add", second],
  ]) {
    const refused = await runShards({ database: copiedHome }, ...args);
    assert.match(refused.err, /belongs to another home|is shard 1/, args.join(" "));
  }
  const adopted = await runCommand(adopt, { database: copiedHome });
  assert.equal(adopted.code, 1);
  assert.match(adopted.err, /production is alive; no shard was taken/);
  assert.deepEqual(await readyz(drill), [503, "held"]);

  await run(copiedHome, "change", "1", copiedSecond);
  await eventually("the copy has its own shard", async () => (await lookAt(drill, "far")).status === 201);
  assert.equal(await post(drill, "far", 10), 503);
  assert.deepEqual(await readRows(home, second), rows);
  assert.equal(receiver.requests.length, requests);
  assert.deepEqual(await readyz(production.node), [200, undefined]);
  assert.equal(await heldMetric(production.node), "0");
  assert.equal(await post(production.node, "far", 11), 202);
});

test("production is gone: the copy is adopted, takes the shard that is left, and sends", async (t) => {
  await using production = await startProduction({ status: 503 });
  const { home, second, receiver } = production;
  const copiedHome = await copy(home);
  await using next = await startNode(copiedHome);
  await using beside = await startNode(copiedHome);
  await production.node.stop();
  await ageMark(second);
  const arrived = receiver.requests.length;
  receiver.script = () => ({});

  const startedMs = Date.now();
  const adopted = await runCommand(adopt, { database: copiedHome });
  assert.deepEqual([adopted.code, adopted.err], [0, ""]);
  assert.match(adopted.out.join("\n"), /^Shard 1 belongs to this home now\.\nIt goes on as the service/);
  for (const node of [next, beside]) await eventually("it goes on", async () => (await readyz(node))[0] === 200);
  const readyMs = Date.now() - startedMs;
  assert.ok(readyMs < 2_000 + SLACK_MS, String(readyMs));
  for (const id of ACCOUNTS) await eventually("it accepts", async () => (await post(next, id, 20)) === 202);
  await eventually("what waited and what is new is sent", async () => {
    const paths = receiver.requests.slice(arrived).map(({ path, headers }) => `${path} ${headers["webhook-id"]}`);
    return new Set(paths).size >= 4;
  });
  t.diagnostic(`ready ${readyMs} ms after adopt was started, all sent ${Date.now() - startedMs} ms after`);

  await using back = await startNode(home);
  assert.deepEqual([await post(back, "near", 30), await post(back, "far", 30)], [202, 503]);
  assert.match((await runShards({ database: home })).err, /shard 1 belongs to another home, which renewed/);
});

/** For the machine, which others use. */
const SLACK_MS = 3_000;

/** As if the last node of its home had ended two minutes ago. */
const ageMark = (url: string) =>
  cluster.query(
    url,
    `update bellwire.settings set value = (value::jsonb || jsonb_build_object('atMs', (value::jsonb ->> 'atMs')::bigint
      - 120000))::text where name = 'home_mark'`,
  );

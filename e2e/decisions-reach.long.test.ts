/**
 * A person deletes, pauses or redirects a webhook on one node while every node has deliveries of it in memory, for
 * receivers that take five seconds: how long after the person's answer does a request still start?
 */
import assert from "node:assert/strict";
import { after, before, describe, test, type TestContext } from "node:test";
import type { AlertDetail, AlertList } from "../src/dashboard/contract/alerts.ts";
import { makeWebhookForm } from "../test/kit/make.ts";
import { NO_PGBOUNCER, startPgBouncer } from "../test/kit/servers/pgbouncer.ts";
import { type Cluster, startCluster } from "../test/kit/servers/postgres.ts";
import { type Receiver, startReceiver } from "../test/kit/servers/receiver.ts";
import { uuid } from "../test/kit/world/world.ts";
import { setUpAccount } from "../test/kit/process/account.ts";
import { newFolder } from "../test/kit/folder.ts";
import { type Person, signIn } from "../test/kit/process/person.ts";
import { sessionRecord } from "../test/kit/process/records.ts";
import { type Running, startService } from "../test/kit/process/running.ts";
import { eventually } from "../test/kit/wait.ts";

/** Five seconds, more or less: so that requests start at any moment and not in volleys. */
const answerMs = (number: number): number => 500 + ((number * 2_371) % 9_000);

const SESSIONS = 1_000;

/** As the documents promise it. */
const REACH_MS = 2_000;

/** A request that had started was on its way through the kernel and this busy process when the answer came. */
const ON_ITS_WAY_MS = 100;

/** Longer than what a lane of the old kind went on for. */
const WATCHED_MS = 16_000;

/** Requests of each webhook before anything is decided: what three nodes send at once, and as many again. */
const UNDER_WAY = 26;

interface Scene extends AsyncDisposable {
  readonly nodes: readonly [Running, ...Running[]];
  readonly deleted: Receiver;
  readonly paused: Receiver;
  readonly redirected: Receiver;
  readonly target: Receiver;
  /** No decision is made about this one: what it gets shows that time passes and that nodes send. */
  readonly kept: Receiver;
}

interface SceneOptions {
  readonly nodes: number;
  /** The database that the nodes use. */
  readonly env: Readonly<Record<string, string>>;
  /** Where it is set up. */
  readonly database?: string;
}

/** Everything that is in memory was accepted before: intake has stopped, so that no accept brings news. */
async function setScene({ nodes: count, env, database }: SceneOptions): Promise<Scene> {
  await using stack = new AsyncDisposableStack();
  const folder = stack.use(newFolder());
  const receiver = async () => stack.use(await startReceiver(({ number }) => ({ delayMs: answerMs(number) })));
  const [deleted, paused, redirected, kept] = [await receiver(), await receiver(), await receiver(), await receiver()];
  const target = stack.use(await startReceiver());
  const alerts = [deleted, paused, redirected, kept].map(({ url }) => ({ url }));
  await setUpAccount({ dataDir: folder.path, ...(database === undefined ? {} : { database }), alerts });
  const start = async () => stack.use(await startService({ dataDir: folder.path, env }));
  const nodes: [Running, ...Running[]] = [await start()];
  while (nodes.length < count) nodes.push(await start());
  const perNode = Math.ceil(SESSIONS / count);
  await Promise.all(nodes.map((node, place) => post(node, { from: place * perNode, count: perNode })));
  for (const one of [deleted, paused, redirected, kept]) {
    await eventually("requests of every node", async () => one.requests.length >= UNDER_WAY);
  }
  const owned = stack.move();
  return { nodes, deleted, paused, redirected, target, kept, [Symbol.asyncDispose]: () => owned.disposeAsync() };
}

async function post(node: Running, { from, count }: { from: number; count: number }): Promise<void> {
  const lines = Array.from({ length: count }, (_, place) => `${sessionRecord(uuid(from + place))}\n`);
  const { status, text } = await node.post("demo-sessions", lines.join(""), { type: "application/x-ndjson" });
  assert.equal(status, 200, text);
}

/** How long after the decision's answer the last request came; negative: before it. */
const lastAfter = ({ requests }: Receiver, answeredMs: number): number =>
  Math.max(...requests.map(({ atMs }) => atMs)) - answeredMs;

async function decideAndWatch(t: TestContext, scene: Scene, reachMs: number): Promise<void> {
  const { nodes, deleted, paused, redirected, target, kept } = scene;
  const person = await signIn(nodes[0]);
  const [deletedAt, pausedAt, redirectedAt] = await Promise.all([
    deleteAlert(person, deleted),
    pauseAlert(person, paused),
    redirectAlert(person, redirected, target),
  ]);
  const untilMs = Math.max(deletedAt, pausedAt, redirectedAt) + WATCHED_MS;
  await eventually("the webhook that was left alone", async () => kept.requests.some(({ atMs }) => atMs > untilMs));
  const latest = {
    deleted: lastAfter(deleted, deletedAt),
    paused: lastAfter(paused, pausedAt),
    redirected: lastAfter(redirected, redirectedAt),
  };
  t.diagnostic(`ms from the answer to the last request that started: ${JSON.stringify(latest)}`);
  for (const [what, ms] of Object.entries(latest)) assert.ok(ms <= reachMs, `${what}: ${ms} ms after the answer`);
  const arrived = target.requests.length;
  assert.ok(arrived > SESSIONS / 2, `the new address got ${arrived} of what waited`);
}

async function saveAlertFor(person: Person, { url }: Receiver): Promise<AlertDetail> {
  const { answer } = await person.call<AlertList>("GET", "/alerts");
  const id = answer.alerts.find(({ name }) => name === url)?.id ?? assert.fail(`no alert is named ${url}`);
  return (await person.call<AlertDetail>("GET", `/alerts/${id}`)).answer;
}

async function deleteAlert(person: Person, receiver: Receiver): Promise<number> {
  const { id, revision } = await saveAlertFor(person, receiver);
  return (await person.call("DELETE", `/alerts/${id}`, { ifMatch: revision })).atMs;
}

async function pauseAlert(person: Person, receiver: Receiver): Promise<number> {
  const { destination } = await saveAlertFor(person, receiver);
  const path = `/destinations/${destination?.id}/state`;
  return (await person.call("PUT", path, { body: { state: "paused" } })).atMs;
}

async function redirectAlert(person: Person, receiver: Receiver, target: Receiver): Promise<number> {
  const { id, revision, name, audience, demos, intentLevels, webhooksOn } = await saveAlertFor(person, receiver);
  const webhook = makeWebhookForm({ url: target.url });
  const body = { name, audience, demos, intentLevels, webhooksOn, webhook };
  return (await person.call("PUT", `/alerts/${id}`, { body, ifMatch: revision })).atMs;
}

describe("three nodes on PostgreSQL", () => {
  let cluster: Cluster;

  before(async () => {
    cluster = await startCluster();
  });
  after(() => cluster[Symbol.asyncDispose]());

  test("nothing starts later than 2 s after a delete, a pause or a changed URL was answered", async (t) => {
    const database = await cluster.createDatabase();
    await using scene = await setScene({ nodes: 3, env: { BELLWIRE_DATABASE: database }, database });
    await decideAndWatch(t, scene, REACH_MS);
  });

  test("nor through PgBouncer, where no node can be notified", { skip: NO_PGBOUNCER }, async (t) => {
    const database = await cluster.createDatabase();
    await using pgBouncer = await startPgBouncer({ clusterUrl: database });
    const env = { BELLWIRE_DATABASE: pgBouncer.through(database), BELLWIRE_DATABASE_POOLER: "transaction" };
    await using scene = await setScene({ nodes: 3, env, database });
    await decideAndWatch(t, scene, REACH_MS);
  });
});

test("one node on SQLite: nothing starts once a delete, a pause or a changed URL was answered", async (t) => {
  await using scene = await setScene({ nodes: 1, env: {} });
  await decideAndWatch(t, scene, ON_ITS_WAY_MS);
});

/**
 * 1.0.0 itself, from its commit, beside this program on one PostgreSQL: what it does not know is saved only when it has
 * gone, and then it does not come back.
 */
import assert from "node:assert/strict";
import { join } from "node:path";
import { test } from "node:test";
import { demoViewed } from "../src/events/demo-viewed.ts";
import { checkOut, hasCommit } from "../test/kit/process/checkout.ts";
import { ACCOUNT, type Running, startService } from "../test/kit/process/running.ts";
import { newFolder } from "../test/kit/folder.ts";
import { shareCluster } from "../test/kit/servers/postgres.ts";
import { startReceiver } from "../test/kit/servers/receiver.ts";
import { eventually } from "../test/kit/wait.ts";
import { uuid } from "../test/kit/world/world.ts";

/** "release: version 1.0.0". */
const RELEASED = "173385ffa9f3651a84f3b2e1f39e1048330f9c73";
/** Until a frozen node's lease has run out and the others write their own forms: 21 s, measured beside other tests. */
const GONE_MS = 180_000;

const skip = hasCommit(RELEASED) ? false : "this clone has no commit of 1.0.0";

test("what 1.0.0 does not know is saved when it has gone, and it does not come back", { skip }, async (t) => {
  using folder = newFolder();
  await using cluster = await shareCluster();
  await using receiver = await startReceiver();
  const env = { BELLWIRE_DATABASE: await cluster.createDatabase(), BELLWIRE_LOG_LEVEL: "error" };
  const dataDir = join(folder.path, "data");
  const program = [join(checkOut(RELEASED, folder.path).root, "bin", "bellwire.js"), "serve"];
  const startReleased = (): Promise<Running> => startService({ dataDir, env, program });
  await using processes = new AsyncDisposableStack();
  const released = processes.use(await startReleased());
  const frozen = processes.use(await startReleased());
  const next = processes.use(await startService({ dataDir, env: { ...env, BELLWIRE_MANAGEMENT: "1" } }));
  const account = { name: "Acme", plan: "growth", app_url: "https://app.example.com" };
  assert.equal((await send(released, "PUT", `/v1/accounts/${ACCOUNT}`, account)).status, 201);
  const { key } = (await send(next, "POST", "/v1/read-keys", { name: "platform", kind: "manage" })).body;

  const url = `${receiver.url}/ledger`;
  const forms = { asked: { url: "pull:" }, ledger: { url, one_at_a_time: true } };
  const put = (id: string, webhook: object) => {
    const settings = { kind: "webhook", name: id, events: "all", webhook };
    return send(next, "PUT", `/v1/accounts/${ACCOUNT}/webhooks/${id}`, settings, key);
  };
  const isRefused = async ([id, webhook]: readonly [string, object]): Promise<boolean> => {
    const { status, body } = await put(id, webhook);
    if (status !== 201) assert.deepEqual([status, body.code], [409, "older_nodes"]);
    return status !== 201;
  };
  const post = (node: Running, number: number) =>
    node.post("demo-sessions", JSON.stringify({ ...demoViewed.example, id: uuid(number) }));
  const accept = async (node: Running, number: number) => assert.equal((await post(node, number)).status, 202);

  assert.equal((await put("plain", { url: `${receiver.url}/plain` })).status, 201);
  for (const form of Object.entries(forms)) assert.ok(await isRefused(form), "both run");
  for (const [place, node] of [released, frozen, next].entries()) await accept(node, place + 1);
  await receiver.received(3);

  assert.equal((await released.stop()).code, 0);
  frozen.child.kill("SIGSTOP");
  const tookMs = await eventually(
    "a webhook that is asked",
    async () => !(await isRefused(["asked", forms.asked])),
    GONE_MS,
  );
  t.diagnostic(`saved ${Math.round(tookMs / 1000)} s after 1.0.0 was frozen`);
  assert.ok(!(await isRefused(["ledger", forms.ledger])));
  const { token } = (await send(next, "POST", `/v1/accounts/${ACCOUNT}/webhooks/asked/pull-token`, undefined, key))
    .body;

  // It wakes up: it takes and sends nothing more.
  frozen.child.kill("SIGCONT");
  await accept(next, 4);
  const late = await post(frozen, 5);
  assert.equal(late.status, 503, late.text);
  await accept(next, 5);
  await receiver.received(7);
  const { messages } = (await send(next, "GET", "/pull", undefined, token)).body;
  assert.equal(messages.length, 2);
  const paths = receiver.requests.map(({ path }) => path).toSorted();
  assert.deepEqual(paths, ["/ledger", "/ledger", ...Array<string>(5).fill("/plain")]);
  await assert.rejects(
    startReleased(),
    /has schema version \d+ and rows for version \d+ or newer, this Bellwire knows up to 2/,
  );
});

async function send({ url, apiKey }: Running, ...[method, path, body, key = apiKey]: Call) {
  const headers = { authorization: `Bearer ${key}`, ...(body !== undefined && { "content-type": "application/json" }) };
  const payload = body === undefined ? {} : { body: JSON.stringify(body) };
  const answer = await fetch(new URL(path, url), { method, headers, ...payload });
  const text = await answer.text();
  // Loosely typed: tests look at what they expect.
  return { status: answer.status, body: text === "" ? null : JSON.parse(text) };
}

type Call = readonly [method: string, path: string, body?: object | undefined, key?: string];

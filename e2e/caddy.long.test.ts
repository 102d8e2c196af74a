/**
 * Caddy with the shipped Caddyfile before two real nodes on one PostgreSQL: what it hides, adds and passes on, and that
 * a node behind it can be restarted, or die.
 */
import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { Agent, type Dispatcher, request } from "undici";
import { LIMITS } from "../src/domain/limits.ts";
import { listenLive } from "../test/kit/browser/live-page.ts";
import { newFolder } from "../test/kit/folder.ts";
import { setUpAccount } from "../test/kit/process/account.ts";
import { assertKept, createWitness, startLoad } from "../test/kit/process/oracle.ts";
import { findCaddy } from "../test/kit/process/pip-programs.ts";
import { sessionRecord } from "../test/kit/process/records.ts";
import { ACCOUNT, drained, freePort, type Running, startService } from "../test/kit/process/running.ts";
import { type Caddy, startCaddy } from "../test/kit/servers/caddy.ts";
import { shareCluster } from "../test/kit/servers/postgres.ts";
import { type Receiver, startReceiver } from "../test/kit/servers/receiver.ts";
import { eventually, pause, soon } from "../test/kit/wait.ts";

const found = findCaddy();
const skip = "missing" in found && found.missing;
/** Caddy asks `/readyz` every two seconds. */
const CHECKED_MS = 3_000;
const BETWEEN = 100;

describe("behind Caddy", { skip }, () => {
  const stack = new AsyncDisposableStack();
  const nodes: Running[] = [];
  let start: (place: number) => Promise<void>;
  let dataDir: string;
  let receiver: Receiver;
  let caddy: Caddy;
  let client: Dispatcher;

  before(async () => {
    assert.ok("path" in found);
    const folder = stack.use(newFolder()).path;
    dataDir = join(folder, "data");
    const database = await stack.use(await shareCluster()).createStoreDatabase();
    receiver = stack.use(await startReceiver());
    const port = await freePort();
    const ports = [await freePort(), await freePort()];
    const env = {
      BELLWIRE_DATABASE: database,
      BELLWIRE_LOG_LEVEL: "warn",
      BELLWIRE_PUBLIC_URL: `https://localhost:${port}`,
      BELLWIRE_TRUSTED_PROXIES: "127.0.0.1",
    };
    await setUpAccount({ dataDir, database, alerts: [{ url: receiver.url }], assistants: { sales: receiver.url } });
    start = async (place) => {
      nodes[place] = stack.use(await startService({ dataDir, env, port: ports[place] ?? 0 }));
    };
    for (const place of ports.keys()) await start(place);
    caddy = stack.use(await startCaddy({ program: found.path, folder, port, nodes: ports }));
    // Not the address of Caddy, which is trusted.
    const connect = { ca: readFileSync(caddy.authority, "utf8") };
    const agent = new Agent({ connect, localAddress: "127.0.0.2" });
    stack.defer(() => agent.destroy());
    client = agent;
  });
  after(() => stack.disposeAsync());

  const intakeHeaders = () => ({ authorization: `Bearer ${nodes[0]?.apiKey}`, "content-type": "application/json" });

  async function call(path: string, options: Omit<NonNullable<Parameters<typeof request>[1]>, "dispatcher"> = {}) {
    const { statusCode, headers, body } = await request(`${caddy.url}${path}`, { ...options, dispatcher: client });
    return { status: statusCode, headers, text: await body.text() };
  }

  const post = (noun: string, body: string, headers = {}) =>
    call(`/v1/accounts/${ACCOUNT}/${noun}`, { method: "POST", headers: { ...intakeHeaders(), ...headers }, body });

  async function signIn() {
    const link = JSON.parse((await post("dashboard-links", JSON.stringify({ person: "ana" }))).text) as { url: string };
    assert.ok(link.url.startsWith(`${caddy.url}/`), link.url);
    const answer = await call("/dashboard/sign-in", {
      method: "POST",
      // Who says so himself is not believed.
      headers: {
        "content-type": "application/json",
        "sec-fetch-site": "same-origin",
        "x-forwarded-for": "203.0.113.9",
      },
      body: JSON.stringify({ token: new URL(link.url).pathname.split("/").at(-1) }),
    });
    assert.equal(answer.status, 200, answer.text);
    return String(answer.headers["set-cookie"]);
  }

  test("operators' addresses are hidden, and the page's own rules for browsers come through", async () => {
    for (const path of ["/metrics", "/readyz", "/healthz"]) assert.equal((await call(path)).status, 404, path);
    const { status, headers } = await call("/");
    assert.equal(status, 200);
    assert.match(String(headers["strict-transport-security"]), /max-age=/);
    assert.match(String(headers["content-security-policy"]), /frame-ancestors 'none'/);
    assert.match(String(headers["content-type"]), /^text\/html/);
  });

  test("a session's cookie is for TLS alone, and the audit has the caller's address and not Caddy's", async () => {
    const setCookie = await signIn();
    assert.match(setCookie, /Secure/);
    const [cookie = ""] = setCookie.split(";");
    const { text } = await call("/dashboard/audit", { headers: { cookie, "sec-fetch-site": "same-origin" } });
    const { entries } = JSON.parse(text) as { entries: { action: string; address: string | null }[] };
    assert.ok(
      entries.some(({ address }) => address === "127.0.0.2"),
      text,
    );
    assert.doesNotMatch(text, /203\.0\.113\.9/);
  });

  test("a delivery is seen by an open page at once, and not when a buffer is full", async (t) => {
    const [cookie = ""] = (await signIn()).split(";");
    using page = await listenLive({ port: caddy.port, cookie, ca: readFileSync(caddy.authority, "utf8") });
    assert.equal(page.status, 200);
    const startedMs = performance.now();
    assert.equal((await post("demo-sessions", sessionRecord(randomUUID()))).status, 202);
    // Of one that the other node sends the page hears without its name.
    await soon(
      page.next(({ topic }) => topic === "deliveries"),
      "news of the delivery",
      20_000,
    );
    t.diagnostic(`told ${Math.round(performance.now() - startedMs)} ms after the post was begun`);
  });

  test("a batch of the most bytes is taken, and one more is refused by us and not by Caddy", async () => {
    const type = { "content-type": "application/x-ndjson" };
    const most = batchOf(LIMITS.batchBytesMax);
    const taken = await post("demo-sessions", most, type);
    assert.equal(taken.status, 200, taken.text.slice(0, 300));
    const over = await post("demo-sessions", batchOf(LIMITS.batchBytesMax + 1), type);
    assert.equal(over.status, 413, over.text.slice(0, 300));
    assert.match(String(over.headers["content-type"]), /problem\+json/);
  });

  test("nodes are restarted one after the other under load: nothing is refused, lost or sent twice", async (t) => {
    for (const node of nodes) await drained(node);
    const witness = createWitness([receiver]);
    process.env["NODE_EXTRA_CA_CERTS"] = caddy.authority;
    using folder = newFolder();
    const intake = { url: caddy.url, apiKey: nodes[0]?.apiKey ?? "" };
    const load = startLoad(folder.path, [intake], { callers: 4, pauseMs: 20, assistants: ["sales"] });
    await using child = load.child;
    const already = receiver.requests.length;
    for (const place of nodes.keys()) {
      await load.during(receiver.received(receiver.requests.length + BETWEEN));
      assert.equal((await load.during(nodes[place]?.stop() ?? Promise.reject(new Error("no node")))).code, 0);
      await load.during(start(place));
      await load.during(pause(CHECKED_MS));
    }
    const acknowledged = await load.end();
    for (const node of nodes) await drained(node);
    const judged = witness.judge(acknowledged);
    const counts = JSON.parse(child.out.all.at(-1) ?? "{}") as { unanswered?: number };
    t.diagnostic(
      `2 nodes restarted: ${judged.acknowledged} acknowledged, ${receiver.requests.length - already} webhooks, ` +
        `${counts.unanswered} posts not answered, ${judged.duplicates} sent twice`,
    );
    assertKept(judged);
    assert.deepEqual([judged.duplicates, counts.unanswered], [0, 0]);
  });

  test("a node that is killed is passed over: only what it had in its hands is answered 502", async (t) => {
    const answers: { readonly status: number; readonly id: string; readonly atMs: number }[] = [];
    let isOver = false;
    const callers = Array.from({ length: 4 }, async () => {
      while (!isOver) {
        const id = randomUUID();
        const { status } = await post("demo-sessions", sessionRecord(id));
        answers.push({ status, id, atMs: performance.now() });
      }
    });
    await eventually("posts are answered", () => answers.length > BETWEEN);
    const killedMs = performance.now();
    await nodes[0]?.crash();
    await pause(CHECKED_MS);
    isOver = true;
    await Promise.all(callers);
    const broken = answers.filter(({ status }) => status !== 202);
    const lastMs = Math.max(0, ...broken.map(({ atMs }) => atMs - killedMs));
    const told = [...new Set(broken.map(({ status }) => status))].join();
    t.diagnostic(
      `${broken.length} of ${answers.length} answered ${told}, the last ${Math.round(lastMs)} ms after the kill`,
    );
    assert.ok(broken.length <= 4 && broken.every(({ status }) => status === 502), JSON.stringify(broken));
    // The other one takes over what the first had acknowledged, when its lease has ended.
    const wanted = answers.filter(({ status }) => status === 202).map(({ id }) => id);
    const arrived = () =>
      new Set(receiver.requests.map(({ body }) => (JSON.parse(body.toString()) as { id: string }).id));
    const tookMs = await eventually("all of them", () => wanted.every((id) => arrived().has(id)));
    t.diagnostic(`all ${wanted.length} acknowledged arrived, the last ${Math.round(tookMs / 1000)} s later`);
    await start(0);
  });
});

/** Sessions that together have so many bytes. */
function batchOf(bytes: number): string {
  const records = 100;
  const record = (padding: number): string => sessionRecord(randomUUID(), { padding: "x".repeat(padding) });
  const each = Math.floor((bytes - records) / records) - record(0).length;
  const lines = Array.from({ length: records - 1 }, () => record(each));
  const rest = bytes - Buffer.byteLength(lines.join("\n")) - 1 - Buffer.byteLength(record(0));
  return [...lines, record(rest)].join("\n");
}

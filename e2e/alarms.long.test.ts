/**
 * Each alarm of ops/prometheus/alarms.yml fires by its cause, made to a real service: it is scraped before and while
 * the trouble lasts, and promtool says whether our rules, over the hours that follow, were silent before and fire now.
 */
import assert from "node:assert/strict";
import { cpSync, openSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { daysMs, minutesMs, secondsMs } from "../src/lib/duration.ts";
import { systemClock } from "../src/lib/clock.ts";
import type { AppOptions } from "../src/app/options.ts";
import { noteBackup } from "../src/store/sqlite/last-backup.ts";
import { newFolder } from "../test/kit/folder.ts";
import { ACCOUNT, call, type Node } from "../test/kit/process/node.ts";
import { sessionRecord } from "../test/kit/process/records.ts";
import { BIN, type Running, startService } from "../test/kit/process/running.ts";
import { runShards } from "../test/kit/process/shards-command.ts";
import { type Cluster, startCluster } from "../test/kit/servers/postgres.ts";
import { type Course, findFault, findPromtool, type Pace, scrape, together } from "../test/kit/servers/prometheus.ts";
import { type Receiver, type Script, startReceiver } from "../test/kit/servers/receiver.ts";
import { eventually, pause } from "../test/kit/wait.ts";
import { createAlert } from "../test/kit/world/alerts.ts";
import { API_KEY, createTestApp } from "../test/kit/world/app-under-test.ts";
import { uuid } from "../test/kit/world/world.ts";

const ROOT = join(import.meta.dirname, "..");
const ALARMS = [...readFileSync(join(ROOT, "ops/prometheus/alarms.yml"), "utf8").matchAll(/- alert: (\w+)/g)].map(
  ([, name = ""]) => name,
);

const promtool = findPromtool();
const skip = "missing" in promtool && promtool.missing;

let cluster: Cluster;
let stack: AsyncDisposableStack;
before(async () => {
  if (skip === false) cluster = await startCluster();
});
after(() => cluster?.[Symbol.asyncDispose]());

/* What causes are made of. */

const KEY = Buffer.alloc(32, 7);

/** A node in this process, on SQLite in memory unless told otherwise; it ends with its test. */
async function start(env: Readonly<Record<string, string>> = {}, changes: Partial<AppOptions> = {}): Promise<Node> {
  const keys = { encryptionKey: KEY, apiKeys: [API_KEY], madeFiles: [] };
  const { app } = stack.use(
    await createTestApp({ BELLWIRE_EGRESS_ALLOW: "127.0.0.0/8", ...env }, { keys, ...changes }),
  );
  return Object.assign(app, await app.start());
}

const startOn = async (database: string): Promise<Node> => await start({ BELLWIRE_DATABASE: database });

/** A process of its own. */
async function startProcess(options: Partial<Parameters<typeof startService>[0]> = {}): Promise<Running> {
  return stack.use(await startService({ dataDir: join(stack.use(newFolder()).path, "data"), ...options }));
}

const receive = async (script: Script | Parameters<typeof startReceiver>[0] = {}): Promise<Receiver> =>
  stack.use(await startReceiver(script));

const look = (node: Node, instance = "a") => scrape(instance, `http://127.0.0.1:${node.port}`);

async function setUp(node: Node, urls: readonly string[], accountId = ACCOUNT): Promise<void> {
  const payload = { name: "Acme", plan: "starter", app_url: "https://app.example.com" };
  await call(node, { method: "PUT", accountId, path: "", payload });
  for (const [place, url] of urls.entries())
    await createAlert(node.accounts, { accountId, url, name: `alert ${place}` });
}

let sent = 0;
async function post(node: Node, accountId = ACCOUNT): Promise<number> {
  const payload = sessionRecord(uuid((sent += 1)));
  return (await call(node, { method: "POST", accountId, path: "/demo-sessions", payload })).status;
}

/** As a line of `/metrics` without labels. */
async function figure(node: Node, name: string): Promise<number> {
  const { body } = await node.server.inject({ url: "/metrics" });
  return Number(new RegExp(`^${name} (\\S+)$`, "m").exec(body)?.[1] ?? Number.NaN);
}

/** Looked at before and after `trouble`. */
async function around(node: Node, trouble: () => Promise<unknown>): Promise<Course> {
  const healthy = await look(node);
  await trouble();
  return [healthy, await look(node)];
}

const NONE: Course[number] = new Map();

/* The causes. */

/** Two accounts' receivers do not answer, a node holds no more than two deliveries, and a minute goes by. */
async function fillNode(): Promise<Course> {
  let aheadMs = 0;
  const clock = { ...systemClock, nowMs: () => systemClock.nowMs() + aheadMs };
  const node = await start({ BELLWIRE_IN_FLIGHT_MAX: "2" }, { clock });
  const { url } = await receive({ kind: "hang" });
  const accounts = ["one", "two"];
  for (const id of accounts) await setUp(node, [url], id);
  return await around(node, async () => {
    for (const id of [...accounts, ...accounts]) assert.equal(await post(node, id), 202);
    await eventually("the node is full", async () => (await figure(node, "bellwire_deliveries_held")) === 2);
    aheadMs = minutesMs(2);
  });
}

/** PostgreSQL crashes beside a node. */
async function loseStore(): Promise<Course> {
  await using own = await startCluster();
  const node = await startOn(await own.createDatabase());
  await setUp(node, []);
  assert.equal(await post(node), 202);
  return await around(node, async () => {
    await own.stop("immediate");
    for (let n = 0; n < 3; n += 1) assert.equal(await post(node), 503);
    await eventually("a failure is counted", async () => (await figure(node, "bellwire_failures_total")) > 0);
  });
}

async function failAttempts(script: Script | Parameters<typeof startReceiver>[0], destinations = 1): Promise<Course> {
  const node = await start();
  const { url, requests } = await receive(script);
  await setUp(
    node,
    Array.from({ length: destinations }, () => url),
  );
  return await around(node, async () => {
    assert.equal(await post(node), 202);
    await eventually("all are asked", () => requests.length >= destinations);
    await eventually("that is written", async () => (await figure(node, "bellwire_deliveries_held")) === 0);
  });
}

/** A record in the inbox of the home database. */
async function emit(account: string, trouble: (url: string, node: Node) => Promise<void>): Promise<Course> {
  const url = await cluster.createDatabase();
  const node = await startOn(url);
  await setUp(node, []);
  return await around(node, async () => {
    await cluster.query(url, `select bellwire.emit_demo_session('${account}', '{"id": 7}')`);
    await trouble(url, node);
  });
}

const OUTAGE = { status: 503, headers: { "retry-after": "600" } };

type Cause = () => Promise<Course>;

const CAUSES: Readonly<Record<string, Cause>> = {
  async BellwireDown() {
    const service = await startProcess();
    const healthy = await scrape("a", service.url);
    await service.crash();
    return [healthy, await scrape("a", service.url)];
  },
  BellwireGone: async () => [await look(await start()), NONE],
  BellwireIntakeRefuses: loseStore,
  BellwireStoreAway: loseStore,
  BellwireFailures: loseStore,
  BellwireDeliveriesOverdue: fillNode,
  BellwireNodeFull: fillNode,
  async BellwireShardAway() {
    await using second = await startCluster();
    const database = await cluster.createDatabase();
    const node = await startOn(database);
    const added = await runShards({ database, key: KEY }, "add", await second.createDatabase(), "--no-new-accounts");
    assert.equal(added.code, 0, added.err);
    await eventually("the node knows the shard", async () =>
      (await node.server.inject("/metrics")).body.includes('{shard="1"}'),
    );
    return await around(node, async () => {
      await second.stop("immediate");
      const isAway = async () =>
        /^bellwire_shard_away\{shard="1"\} 1$/m.test((await node.server.inject("/metrics")).body);
      await eventually("the shard is missed", isAway, 30_000);
    });
  },
  BellwireHeld: async () => [await look(await start()), await look(await start({}, { holds: true }))],
  async BellwireCommitsSlow() {
    const url = await cluster.createDatabase();
    const node = await startOn(url);
    await setUp(node, []);
    return await around(node, async () => {
      await cluster.query(url, SLOW_COMMIT);
      for (let n = 0; n < 3; n += 1) assert.equal(await post(node), 202);
    });
  },
  async BellwireClaimsSlow() {
    const url = await cluster.createDatabase();
    const schedule = { delaysMs: Array.from({ length: 200 }, () => 100), jitter: 0 };
    const node = await start({ BELLWIRE_DATABASE: url }, { schedule });
    const receiver = await receive({ status: 503 });
    await setUp(node, [receiver.url]);
    return await around(node, async () => {
      assert.equal(await post(node), 202);
      for (let lock = 0; lock < 3; lock += 1) {
        await receiver.received(receiver.requests.length + 1);
        await cluster.query(url, HOLD_DESTINATIONS);
      }
    });
  },
  BellwireInboxStuck: () =>
    emit("nobody", async (url) => {
      await cluster.query(url, `update bellwire.inbox set emitted_at = emitted_at - ${minutesMs(6)}`);
    }),
  BellwireRecordsRefused: () =>
    emit(ACCOUNT, async (_, node) => {
      const isRefused = async () => /result="refused"\} [1-9]/.test((await node.server.inject("/metrics")).body);
      await eventually("the record is refused", isRefused);
    }),
  async BellwireLogLinesDropped() {
    const service = await startProcess({ output: openSync("/dev/full", "w") });
    const healthy = await scrape("a", service.url);
    await service.post("demo-sessions", "{}");
    const isDropped = async () => /^bellwire_log_lines_dropped_total [1-9]/m.test((await service.get("/metrics")).text);
    await eventually("lines are dropped", isDropped);
    return [withoutDropped(healthy), await scrape("a", service.url)];
  },
  async BellwireClaimsLost() {
    let aheadMs = 0;
    const clock = { ...systemClock, nowMs: () => systemClock.nowMs() + aheadMs };
    const node = await start({}, { clock, schedule: { delaysMs: [50, 50, 50], jitter: 0 } });
    // What this node has taken over from the store, it can lose: its second attempt.
    const { url, requests } = await receive(({ number }) =>
      number === 1 ? { status: 503 } : { delayMs: number === 2 ? 5_000 : 0 },
    );
    await setUp(node, [url]);
    return await around(node, async () => {
      assert.equal(await post(node), 202);
      await eventually("the second attempt is under way", () => requests.length === 2);
      aheadMs = secondsMs(61);
      await eventually("the claim is lost", async () => (await figure(node, "bellwire_claims_lost_total")) > 0, 20_000);
    });
  },
  async BellwireBacklogGrows() {
    const node = await start();
    const { url } = await receive(OUTAGE);
    await setUp(node, [url]);
    return await around(node, async () => {
      const headers = { authorization: `Bearer ${API_KEY}`, "content-type": "application/x-ndjson" };
      for (let batch = 0; batch < 11; batch += 1) {
        const lines = Array.from({ length: 1_000 }, () => sessionRecord(uuid((sent += 1))));
        const payload = lines.join("\n");
        const target = `/v1/accounts/${ACCOUNT}/demo-sessions`;
        const { statusCode } = await node.server.inject({ method: "POST", url: target, headers, payload });
        assert.equal(statusCode, 200);
      }
    });
  },
  async BellwireOwnNetwork() {
    const node = await start({ BELLWIRE_EGRESS_PROXY: "http://127.0.0.1:1" });
    const { url } = await receive();
    await setUp(node, [url]);
    return await around(node, async () => {
      for (let n = 0; n < 3; n += 1) assert.equal(await post(node), 202);
      const isTried = async () => /outcome="proxy_error"/.test((await node.server.inject("/metrics")).body);
      await eventually("the proxy is missed", isTried);
    });
  },
  BellwireManyDestinationsHeld: () => failAttempts(OUTAGE, 24),
  BellwireDestinationTurnedOff: () => failAttempts({ status: 410 }),
  async BellwireEventLoopSlow() {
    const node = await start();
    await pause(600);
    return await around(node, async () => {
      for (let block = 0; block < 4; block += 1) {
        for (const untilMs = performance.now() + 900; performance.now() < untilMs;);
        await pause(300);
      }
    });
  },
  async BellwireMemoryHigh() {
    const service = await startProcess({ program: ["--import", HOARDER, BIN, "serve"] });
    const healthy = await scrape("a", service.url);
    service.child.kill("SIGUSR2");
    await service.child.err.match(/^hoarded$/);
    return [healthy, await scrape("a", service.url)];
  },
  BellwireBackupOld: () => missBackups(null),
  async BellwireRestarts() {
    const dataDir = join(stack.use(newFolder()).path, "data");
    const course: Course[number][] = [];
    for (let life = 0; life < 4; life += 1) {
      await using service = await startService({ dataDir });
      course.push(await scrape("a", service.url));
    }
    return course;
  },
  async BellwireSpansLost() {
    const service = await startProcess({
      env: { OTEL_EXPORTER_OTLP_ENDPOINT: "http://127.0.0.1:1", BELLWIRE_LOG_LEVEL: "silent" },
    });
    const healthy = await scrape("a", service.url);
    await service.post("demo-sessions", "{}");
    const areLost = async () =>
      /^bellwire_telemetry_spans_total\{result="(?:failed|dropped)"\} [1-9]/m.test(
        (await service.get("/metrics")).text,
      );
    await eventually("spans are lost", areLost, 60_000);
    return [healthy, await scrape("a", service.url)];
  },
  async BellwireVersionsDiffer() {
    const [old, next] = [await startProcess(), await startProcess({ program: [layOutNext(), "serve"] })];
    const one = await scrape("a", old.url);
    return [one, together(one, await scrape("b", next.url))];
  },
};

/** Each commit that has an event takes so long. */
const SLOW_COMMIT = `
  create function public.sleep() returns trigger language plpgsql as 'begin perform pg_sleep(0.4); return null; end';
  create constraint trigger slow after insert on bellwire.events deferrable initially deferred
    for each row execute function public.sleep()`;

/** Another program's transaction. */
const HOLD_DESTINATIONS = `
  begin; lock table bellwire.destinations in access exclusive mode; select pg_sleep(1.5); commit`;

/** A leak, by signal, of a service that is the real one otherwise. */
const HOARDER = `data:text/javascript,${encodeURIComponent(`
  process.on("SIGUSR2", () => { globalThis.hoard = Buffer.alloc(420e6, 1); console.error("hoarded"); });
`)}`;

/** Its first lines go nowhere too. */
const withoutDropped = (healthy: Course[number]): Course[number] =>
  new Map([...healthy].filter(([name]) => !name.startsWith("bellwire_log_lines_dropped_total")));

/** A node on a file, of which `bellwire backup` made a copy then, or never. */
async function missBackups(madeMs: number | null): Promise<Course> {
  const path = join(stack.use(newFolder()).path, "bellwire.db");
  const node = await startOn(`sqlite:${path}`);
  if (madeMs !== null) assert.ok(noteBackup(path, madeMs).ok);
  return [NONE, await look(node)];
}

/** The sources as those of a later version; returns the program. */
function layOutNext(): string {
  const { path } = stack.use(newFolder());
  for (const name of ["src", "bin", "web/dist"]) cpSync(join(ROOT, name), join(path, name), { recursive: true });
  symlinkSync(join(ROOT, "node_modules"), join(path, "node_modules"));
  const facts = JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8")) as object;
  writeFileSync(join(path, "package.json"), JSON.stringify({ ...facts, version: "1.0.1" }));
  return join(path, "bin", "bellwire.js");
}

/* The judgement. */

const HOURS: Pace = { minutesApart: 1, after: 240 };
/** An absent figure counts for two days. */
const DAYS: Pace = { minutesApart: 15, after: 250 };

async function fires(alarm: string, cause: Cause, pace: Pace): Promise<void> {
  assert.ok("path" in promtool);
  await using own = new AsyncDisposableStack();
  stack = own;
  const fault = findFault(promtool.path, { alarm, course: await cause(), pace });
  assert.equal(fault, null, fault ?? "");
}

describe("fires by its cause, and not before it:", { skip }, () => {
  for (const alarm of ALARMS) {
    test(alarm, async () => {
      const cause = CAUSES[alarm];
      assert.ok(cause !== undefined, `no test makes the cause of ${alarm}`);
      await fires(alarm, cause, alarm === "BellwireBackupOld" ? DAYS : HOURS);
    });
  }

  test("BellwireBackupOld, of a copy that is two days old", () =>
    fires("BellwireBackupOld", () => missBackups(Date.now() - daysMs(2) - minutesMs(1)), HOURS));

  test("no alarm that is gone", () => assert.deepEqual(Object.keys(CAUSES).toSorted(), ALARMS.toSorted()));
});

test("a rule that fires by nothing, or always, is found", { skip }, async () => {
  await using own = new AsyncDisposableStack();
  stack = own;
  assert.ok("path" in promtool);
  const healthy = await look(await start());
  assert.match(
    findFault(promtool.path, { alarm: "BellwireDown", course: [healthy, healthy], pace: HOURS }) ?? "",
    /FAILED/,
  );
  assert.match(findFault(promtool.path, { alarm: "BellwireGone", course: [NONE, NONE], pace: HOURS }) ?? "", /FAILED/);
});

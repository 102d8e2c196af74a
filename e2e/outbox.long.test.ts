import assert from "node:assert/strict";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { type Cluster, startCluster } from "../test/kit/servers/postgres.ts";
import { COUNT_WAITING } from "../test/kit/servers/in-memory.ts";
import { type Receiver, startReceiver } from "../test/kit/servers/receiver.ts";
import { setUpAccount } from "../test/kit/process/account.ts";
import { type Child, startChild } from "../test/kit/process/child.ts";
import { DECLARED_TYPES, EVENTS_FOLDER, LEAD_TYPE } from "../test/kit/declared-types.ts";
import { newFolder } from "../test/kit/folder.ts";
import { ACCOUNT, SHORT_RETRIES, startService } from "../test/kit/process/running.ts";
import { pause } from "../test/kit/wait.ts";

/** Kills of a caller, a node or now and then the database, at any moment. For a long run: `OUTBOX_KILLS=200`. */
const KILLS = Number(process.env["OUTBOX_KILLS"] ?? 6);
/** The longest claim of a delivery, the longest pause of a record, and a slow machine. */
const REST_MS_MAX = 180_000;

let cluster: Cluster;

before(async () => {
  cluster = await startCluster({ syncs: true });
});
after(() => cluster[Symbol.asyncDispose]());

test("what commits is sent as one event and what rolls back is not, whoever is killed meanwhile", async (t) => {
  using folder = newFolder();
  const url = await cluster.createDatabase();
  await using receiver = await startReceiver();
  const dataDir = `${folder.path}/data`;
  const webhooks = [{ url: receiver.url, events: [{ type: LEAD_TYPE }] }];
  await setUpAccount({ dataDir, database: url, alerts: [{ url: receiver.url }], webhooks, types: DECLARED_TYPES });
  await cluster.query(url, "create table public.orders (id uuid primary key)");
  const env = { BELLWIRE_DATABASE: url, BELLWIRE_EVENTS: EVENTS_FOLDER, BELLWIRE_LOG_LEVEL: "warn" };
  // They share the folder for its keys.
  const startNode = () => startService({ dataDir, env, program: [SHORT_RETRIES] });
  const nodes = [await startNode(), await startNode()];
  let caller = await startCaller(url);
  const killed = { callers: 0, nodes: 0, databases: 0 };
  try {
    for (let kill = 0; kill < KILLS; kill += 1) {
      await pause(200 + Math.random() * 800);
      const place = kill % 3;
      if (kill % 10 === 5) {
        await cluster.stop("immediate");
        await cluster.start();
        killed.databases += 1;
      } else if (place === 2) {
        caller.kill("SIGKILL");
        await caller.exited;
        caller = await startCaller(url);
        killed.callers += 1;
      } else {
        await nodes[place]?.crash();
        nodes[place] = await startNode();
        killed.nodes += 1;
      }
    }
    caller.kill("SIGKILL");
    await caller.exited;
    await rest(url);
    const findings = await judge(url, receiver);
    t.diagnostic(`${JSON.stringify(killed)} ${JSON.stringify(findings.counts)}`);
    assert.deepEqual(findings.wrong, { lost: [], invented: [], doubled: [], refused: 0 });
    assert.equal(findings.counts.events, findings.counts.committed);
    assert.ok(findings.counts.declared > 20, "half of them are of a declared type");
    assert.ok(findings.counts.committed > 100, "it was no test without load");
    assert.ok(findings.counts.rolledBack > 0 && killed.callers > 0 && killed.nodes > 0);
  } finally {
    caller.kill("SIGKILL");
    await Promise.all(nodes.map((node) => node[Symbol.asyncDispose]()));
  }
});

async function startCaller(databaseUrl: string): Promise<Child> {
  const CALLER_JOB = JSON.stringify({ databaseUrl, account: ACCOUNT, callers: 4 });
  const caller = startChild({
    args: [join(import.meta.dirname, "..", "test", "kit", "process", "outbox-caller.ts")],
    env: { CALLER_JOB },
  });
  await caller.out.match(/^calling$/);
  return caller;
}

/** Until nothing waits any more: what dead nodes held is due again when their claims end. */
async function rest(url: string): Promise<void> {
  const untilMs = performance.now() + REST_MS_MAX;
  const waiting = `select (select count(1) from bellwire.inbox) as inbox,
    (${COUNT_WAITING}) as deliveries`;
  for (;;) {
    const [left] = await cluster.query(url, waiting);
    if (Number(left?.["inbox"]) + Number(left?.["deliveries"]) === 0) return;
    if (performance.now() > untilMs) assert.fail(`still waiting after all time: ${JSON.stringify(left)}`);
    await pause(500);
  }
}

/** The product's own rows, against what the receiver saw. A delivery that came twice is no second event. */
async function judge(url: string, receiver: Receiver) {
  const ids = async (sql: string): Promise<string[]> => (await cluster.query(url, sql)).map((row) => String(row["id"]));
  const committed = new Set(await ids("select id from public.orders"));
  const deliveries = new Map<string, Set<string>>();
  for (const { body, headers } of receiver.requests) {
    const { id } = JSON.parse(body.toString("utf8")) as { id: string };
    deliveries.set(id, (deliveries.get(id) ?? new Set()).add(headers["webhook-id"] ?? ""));
  }
  const [numbers] = await cluster.query(
    url,
    `select (select count(1) from bellwire.event_keys) as events,
      (select count(1) from bellwire.refused_records) as refused,
      (select last_value from bellwire.inbox_seq_seq) as emitted`,
  );
  return {
    counts: {
      committed: committed.size,
      events: Number(numbers?.["events"]),
      rolledBack: Number(numbers?.["emitted"]) - committed.size,
      requests: receiver.requests.length,
      declared: receiver.requests.filter(({ body }) => body.includes(`"event":"${LEAD_TYPE}"`)).length,
    },
    wrong: {
      lost: [...committed].filter((id) => !deliveries.has(id)),
      invented: [...deliveries.keys()].filter((id) => !committed.has(id)),
      doubled: [...deliveries].filter(([, webhookIds]) => webhookIds.size > 1).map(([id]) => id),
      refused: Number(numbers?.["refused"]),
    },
  };
}

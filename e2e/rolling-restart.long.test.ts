import assert from "node:assert/strict";
import { test } from "node:test";
import { shareCluster } from "../test/kit/servers/postgres.ts";
import { startReceiver } from "../test/kit/servers/receiver.ts";
import { setUpAccount } from "../test/kit/process/account.ts";
import { COLUMN, INDEX, migrateAhead } from "../test/kit/world/newer-schema.ts";
import { newFolder } from "../test/kit/folder.ts";
import { startLoadBalancer } from "../test/kit/process/load-balancer.ts";
import { assertKept, createWitness, startLoad } from "../test/kit/process/oracle.ts";
import { type Running, drained, freePort, startService } from "../test/kit/process/running.ts";
import { eventually } from "../test/kit/wait.ts";

const NODES = 3;
const ROUNDS = 2;
/** Deliveries between one node and the next: with both of the others, and the successor, in full swing. */
const BETWEEN = 30;
const LOAD = { callers: 4, pauseMs: 50 };

const NAME =
  "nodes restarted one after the other under load lose nothing, send nothing twice and refuse nobody, " +
  "also on a schema that a newer node has changed meanwhile";

test(NAME, async (t) => {
  using folder = newFolder();
  await using cluster = await shareCluster();
  await using fast = await startReceiver();
  await using slow = await startReceiver({ delayMs: 100 });
  const database = await cluster.createStoreDatabase();
  const dataDir = `${folder.path}/data`;
  const assistants = { sales: fast.url, support: slow.url };
  await setUpAccount({ dataDir, database, alerts: [{ url: fast.url }], assistants });

  await using processes = new AsyncDisposableStack();
  const env = {
    BELLWIRE_LOG_LEVEL: "warn",
    BELLWIRE_DATABASE: database,
  };
  const ports = await Promise.all(Array.from({ length: NODES }, freePort));
  const start = async (port: number): Promise<Running> => processes.use(await startService({ dataDir, port, env }));
  const nodes = new Map<number, Running>();
  for (const port of ports) nodes.set(port, await start(port));
  const [one] = nodes.values();
  assert.ok(one !== undefined);
  const balancer = processes.use(await startLoadBalancer(ports.map((port) => `http://127.0.0.1:${port}`)));
  const everyNode = () => eventually("every node is ready", async () => balancer.readyCount() === NODES);
  const load = startLoad(folder.path, [{ url: balancer.url, apiKey: one.apiKey }], {
    ...LOAD,
    assistants: ["sales", "support"],
  });
  processes.use(load.child);

  const tookMs: number[] = [];
  for (let round = 0; round < ROUNDS; round += 1) {
    // The nodes that run are now those of the version before, and so are those that start from here on.
    if (round === ROUNDS - 1) await load.during(migrateAhead(database, [COLUMN, INDEX]));
    for (const [port, node] of nodes) {
      await load.during(fast.received(fast.requests.length + BETWEEN));
      const exit = await load.during(node.stop());
      assert.equal(exit.code, 0, node.child.err.text);
      tookMs.push(Math.round(exit.tookMs));
      nodes.set(port, await load.during(start(port)));
      await load.during(everyNode());
    }
  }
  const acknowledged = await load.end();
  const [last] = nodes.values();
  assert.ok(last !== undefined);
  await drained(last);
  const exits = await Promise.all([...nodes.values()].map((node) => node.stop()));
  assert.deepEqual(new Set(exits.map(({ code }) => code)), new Set([0]));

  const found = createWitness([fast, slow]).judge(acknowledged);
  t.diagnostic(
    `${tookMs.length} nodes stopped under load in ${tookMs.join(", ")} ms: ${found.acknowledged} acknowledged, ` +
      `${found.deliveries} deliveries, ${found.lost.length} lost, ${found.duplicates} sent twice`,
  );
  assert.deepEqual(balancer.broken, []);
  assertKept(found);
  assert.equal(found.duplicates, 0);
});

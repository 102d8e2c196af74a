/**
 * `npm run bench -- little [--against <commit>]`: what a node costs when little happens: nothing at all, and some posts
 * a second. CPU by thread, and how often a thread was woken. With `--against` the commit's code runs in turns with the
 * code that is here. `--store sqlite`, `--turns 1` and `--seconds 5` make it shorter.
 */
import { openSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { newDiskFolder } from "../test/kit/folder.ts";
import { type Running, startService } from "../test/kit/process/running.ts";
import type { Cluster } from "../test/kit/servers/postgres.ts";
import { pause } from "../test/kit/wait.ts";
import { describeMachine } from "./conditions.ts";
import { type Cost, printCosts, toRates } from "./little/costs.ts";
import { readThreads } from "./little/threads.ts";
import { alertsTo, DESTINATIONS, sendTo } from "./path/loads.ts";
import { checkOut, HERE, type Tree } from "../test/kit/process/checkout.ts";
import { setUpIn } from "./path/tree.ts";
import { cpuOfServer, describeServer, startServer } from "./postgres-server.ts";
import { type Rig, sendAndAwait, startRig } from "./rig.ts";

const { values } = parseArgs({
  options: {
    against: { type: "string" },
    store: { type: "string", default: "sqlite,postgres" },
    turns: { type: "string", default: "2" },
    seconds: { type: "string", default: "10" },
    rates: { type: "string", default: "0,10,100" },
  },
});
const MEASURED_MS = Number(values.seconds) * 1000;
/** A start's own work ends in this time. */
const SETTLED_MS = 3_000;
const WARM_UP_MS = 2_000;
const RATES = values.rates.split(",").map(Number);
const STORES = (["sqlite", "postgres"] as const).filter((kind) => values.store.includes(kind));

const folder = newDiskFolder("little");
const trees = values.against === undefined ? [HERE] : [checkOut(values.against, folder), HERE];
for (const line of describeMachine(folder)) console.log(`- ${line}`);
console.log(`- ${MEASURED_MS / 1000} s each, ${values.turns} turns; ${DESTINATIONS} destinations of one account`);
for (const store of STORES) await compare(store);
process.exit(0);

async function compare(store: "sqlite" | "postgres"): Promise<void> {
  using rig = await startRig();
  await using cluster = store === "postgres" ? await startServer() : null;
  console.log(`\n## ${store}\n`);
  for (const line of cluster === null ? [] : await describeServer(cluster)) console.log(`- ${line}`);
  const costs: Cost[] = [];
  for (let turn = 0; turn < Number(values.turns); turn += 1) {
    for (const tree of turn % 2 === 0 ? trees : trees.toReversed()) {
      costs.push(
        ...(await measureTree(tree, { rig, cluster, dataDir: join(folder, `${store}-${turn}-${tree.name}`) })),
      );
    }
  }
  printCosts(costs);
}

interface Scene {
  readonly rig: Rig;
  readonly cluster: Cluster | null;
  readonly dataDir: string;
}

async function measureTree(tree: Tree, { rig, cluster, dataDir }: Scene): Promise<Cost[]> {
  const database = await cluster?.createDatabase();
  const where = { dataDir, ...(database === undefined ? {} : { database }) };
  await setUpIn(tree, { ...where, alerts: alertsTo(rig) });
  const env: Record<string, string> = database === undefined ? {} : { BELLWIRE_DATABASE: database };
  const program = [join(tree.root, "bin", "bellwire.js"), "serve"];
  await using node = await startService({ dataDir, env, program, output: openSync(join(dataDir, "log"), "a") });
  await pause(SETTLED_MS);
  const server = cluster === null ? null : await cpuOfServer(cluster);
  const costs: Cost[] = [];
  for (const rate of RATES) costs.push({ tree: tree.name, rate, ...(await measureRate(rate, { rig, node, server })) });
  await node.stop();
  return costs;
}

interface Subject {
  readonly rig: Rig;
  readonly node: Running;
  readonly server: (() => number) | null;
}

async function measureRate(
  ratePerSecond: number,
  { rig, node, server }: Subject,
): Promise<Omit<Cost, "tree" | "rate">> {
  const read = () => ({ threads: readThreads(node.child.pid), serverMs: (server?.() ?? 0) * 1000 });
  const load = { name: "", batch: 1, connections: 64, ratePerSecond };
  const spend = async (durationMs: number): Promise<number> => {
    if (ratePerSecond === 0) return await pause(durationMs).then(() => 0);
    return (await sendAndAwait(rig, { send: sendTo(rig, node, load), durationMs })).done.records;
  };
  if (ratePerSecond > 0) await spend(WARM_UP_MS);
  const before = read();
  const webhooks = await spend(MEASURED_MS);
  return { webhooks, ...toRates(before, read(), MEASURED_MS / 1000) };
}

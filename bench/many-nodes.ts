/**
 * `npm run bench -- many-nodes`: what nodes and accounts cost each other on PostgreSQL, piece by piece: a look for what
 * is due that finds nothing, a hint to each node that listens, an account's view in memory and on its way there, and
 * the question whether it is still current. docs/distributed.md multiplies these.
 */
import { parseArgs } from "node:util";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import type pg from "pg";
import type { App } from "../src/app.ts";
import { newDiskFolder } from "../test/kit/folder.ts";
import { openApp } from "../test/kit/process/account.ts";
import { type Cluster, startCluster } from "../test/kit/servers/postgres.ts";
import { pause } from "../test/kit/wait.ts";
import { describeHost } from "./conditions.ts";
import { findAccount, setUpDestinations } from "./many-destinations.ts";
import { head, row } from "./markdown.ts";
import { cpuOfServer, openSession } from "./postgres-server.ts";

const { values } = parseArgs({ options: { accounts: { type: "string", default: "2000" } } });
const ACCOUNTS = Array.from({ length: Number(values.accounts) }, (_, number) => findAccount(number));
const LOOKS = 1_000;
const QUESTIONS = 50;
const LISTENERS = [10, 80];
const HINTS = 500;

await using cluster = await startCluster({ syncs: true, settings: ["max_connections=200"] });
const database = await cluster.createDatabase();
const dataDir = newDiskFolder("many-nodes");
const serverSeconds = await cpuOfServer(cluster);
console.log(`- ${describeHost()}; ${ACCOUNTS.length} accounts with one webhook each\n`);
await setUpDestinations(
  dataDir,
  ACCOUNTS.map((_, number) => `https://receiver-${number}.example.com/in`),
  database,
);
head("What", "of how many", "µs of a node", "µs of the server");
await measureViews();
for (const listeners of LISTENERS) await measureHints(cluster, listeners);
process.exit(0);

/** Microseconds of CPU a piece, of this process and of the server. */
async function time(what: string, pieces: number, work: () => Promise<unknown>): Promise<void> {
  const server = serverSeconds();
  const node = process.cpuUsage();
  await work();
  const { user, system } = process.cpuUsage(node);
  // A session's time is seen when it rests.
  await pause(50);
  const serverMicros = (serverSeconds() - server) * 1e6;
  row(what, pieces, ((user + system) / pieces).toFixed(1), (serverMicros / pieces).toFixed(1));
}

async function measureViews(): Promise<void> {
  await warmUp();
  await using app = await openApp({ dataDir, database });
  const before = heapBytes();
  await time("an account's view, loaded", ACCOUNTS.length, () => loadAll(app, ACCOUNTS));
  row("bytes of heap a view", ACCOUNTS.length, ((heapBytes() - before) / ACCOUNTS.length).toFixed(0), "");
  await time("an account's version, asked with the others", QUESTIONS * ACCOUNTS.length, async () => {
    for (let n = 0; n < QUESTIONS; n += 1) await app.store.loadConfigVersions({ accountIds: ACCOUNTS });
  });
  await time("a look that finds nothing", LOOKS, () => look(app));
}

/** Compiles what is measured. */
async function warmUp(): Promise<void> {
  await using app = await openApp({ dataDir, database });
  await loadAll(app, ACCOUNTS.slice(0, 500));
}

/** Sixteen at a time, as lanes would. */
async function loadAll(app: App, accountIds: readonly string[]): Promise<void> {
  const rest = accountIds.values();
  const take = async (): Promise<void> => {
    for (const accountId of rest) await app.accounts.accounts.load(accountId);
  };
  await Promise.all(Array.from({ length: 16 }, take));
}

async function look(app: App): Promise<void> {
  const sizes = {
    deliveriesMax: 256,
    perDestinationMax: 64,
    perAccountMax: 256,
    accountSlots: {},
    freeSlots: {},
    bodyCharsMax: 16 * 1024 * 1024,
  };
  for (let n = 0; n < LOOKS; n += 1) {
    const nowMs = Date.now();
    await app.store.claimDueDeliveries({ nowMs, claim: { token: `look-${n}`, untilMs: nowMs + 60_000 }, ...sizes });
  }
}

/** A hint is counted once for each session that hears it. */
async function measureHints(server: Cluster, listeners: number): Promise<void> {
  const url = server.toUrl(new URL(database).pathname.slice(1));
  const sessions = await Promise.all(Array.from({ length: listeners }, () => openSession(url)));
  const [sender] = sessions as [pg.Client, ...pg.Client[]];
  let heard = 0;
  for (const session of sessions) {
    session.on("notification", () => (heard += 1));
    await session.query("listen bench");
  }
  await time(`a hint heard by ${listeners} nodes`, listeners * HINTS, async () => {
    for (let n = 0; n < HINTS; n += 1) {
      const wanted = heard + listeners;
      await sender.query(`notify bench, '${n}'`);
      while (heard < wanted) await pause(1);
    }
  });
  for (const session of sessions) await session.end();
}

/** After a collection. */
function heapBytes(): number {
  setFlagsFromString("--expose-gc");
  (runInNewContext("gc") as () => void)();
  return process.memoryUsage().heapUsed;
}

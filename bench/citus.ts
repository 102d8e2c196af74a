/**
 * `npm run bench -- citus`: what a webhook costs each server of a Citus (`BELLWIRE_TEST_CITUS`), with one worker, two
 * and so on, beside the coordinator's server alone without Citus. Each turn has a fresh database there. All servers
 * must be on this machine, and it needs a `/proc`. `--seconds` is the length of a load.
 */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { putAccount } from "../src/accounts/put-account.ts";
import { newDiskFolder } from "../test/kit/folder.ts";
import { openApp } from "../test/kit/process/account.ts";
import { type Running, startService } from "../test/kit/process/running.ts";
import { CITUS, type CitusCluster, distributeAtOnce, openCitus, withoutCitus } from "../test/kit/servers/citus.ts";
import { createAlert } from "../test/kit/world/alerts.ts";
import { cpuSecondsOfFamily, describeHost } from "./conditions.ts";
import { head, row } from "./postgres/measurement.ts";
import { demoName } from "./record.ts";
import { cpuOfProcess, type Measured, measure, type Rig, type Send, startRig } from "./rig.ts";

const { values } = parseArgs({ options: { seconds: { type: "string", default: "6" } } });
const WARM_UP_MS = 2_000;
/** Each has one webhook and its own bucket. */
const ACCOUNTS = Array.from({ length: 12 }, (_, place) => `acct-${place + 1}`);
const LOADS = [
  { name: "single posts over 48", batch: 1, connections: 48 },
  { name: "NDJSON of 50 over 12", batch: 50, connections: 12 },
] as const;

if (CITUS === null) {
  console.log(withoutCitus);
  process.exit(0);
}
const root = newDiskFolder("citus");
await run();
process.exit(0);

async function run(): Promise<void> {
  await using citus = openCitus();
  const servers = await findServers(citus);
  const [{ version } = {}] = await citus.query(CITUS ?? "", "select citus_version() as version");
  console.log(`- ${describeHost()}`);
  console.log(`- ${String(version)}`);
  console.log(`- one node, ${ACCOUNTS.length} accounts with a webhook each, 32 shards; µs of CPU for each webhook\n`);
  const names = servers.map(({ name }) => name);
  head("Workers", "Load", "webhooks/s", ...names, "servers in all", "node", "others");
  for (let workers = 0; workers < servers.length; workers += 1) await measureWith(citus, servers, workers);
}

interface Server {
  readonly name: string;
  readonly host: string;
  readonly port: number;
  readonly pid: number;
}

async function findServers(citus: CitusCluster): Promise<Server[]> {
  const found: Server[] = [];
  for (const [place, { url, host, port }] of (await citus.listServers()).entries()) {
    const [file] = await citus.query(url, "select pg_read_file('postmaster.pid') as text");
    const pid = Number.parseInt(String(file?.["text"]), 10);
    if (!isPostgres(pid)) throw new Error(`the server at ${host}:${port} is not on this machine`);
    found.push({ name: place === 0 ? "coordinator" : `worker ${place}`, host, port, pid });
  }
  return found;
}

function isPostgres(pid: number): boolean {
  try {
    return readFileSync(`/proc/${pid}/comm`, "latin1").trim() === "postgres";
  } catch {
    return false;
  }
}

async function measureWith(citus: CitusCluster, servers: readonly Server[], workers: number): Promise<void> {
  using rig = await startRig();
  const database = await citus.createDatabase();
  for (const { host, port } of servers.slice(1 + workers))
    await citus.query(database, `select citus_remove_node('${host}', ${port})`);
  if (workers === 0) await citus.query(database, "drop extension citus cascade");
  const dataDir = join(root, `${workers}`);
  await setUp(rig, { dataDir, database });
  if (workers > 0) await distributeAtOnce(database);
  const env = { BELLWIRE_DATABASE: database, BELLWIRE_LOG_LEVEL: "error" };
  await using node = await startService({ dataDir, env });
  const used = servers.slice(0, 1 + workers);
  const cpu = () => ({
    ...Object.fromEntries(used.map(({ name, pid }) => [name, cpuSecondsOfFamily(pid)])),
    node: cpuOfProcess(node.child.pid),
    load: cpuOfProcess(rig.load.pid),
  });
  for (const load of LOADS) {
    const subject = { name: load.name, send: sendAs(rig, node, load), cpu, services: [node] };
    const span = { warmUpMs: WARM_UP_MS, measuredMs: Number(values.seconds) * 1_000 };
    print(workers, servers, await measure(rig, subject, span));
  }
  await node.stop();
}

interface Place {
  readonly dataDir: string;
  readonly database: string;
}

async function setUp({ port }: Rig, place: Place): Promise<void> {
  await using app = await openApp(place);
  for (const id of ACCOUNTS) {
    await putAccount(app.accounts, { id, name: id, plan: "starter", appUrl: "https://app.example.com" });
    await createAlert(app.accounts, { accountId: id, url: `http://127.0.0.1:${port}/in/${id}`, demos: [demoName(0)] });
  }
}

function sendAs(rig: Rig, { url, apiKey }: Running, { batch, connections }: (typeof LOADS)[number]): Send {
  const target = { accounts: ACCOUNTS, apiKey, ports: [Number(new URL(url).port)], destinations: 1 };
  return (durationMs, firstSequence) =>
    rig.load.ask({ kind: "closed", ...target, batch, connections, firstSequence, durationMs });
}

function print(workers: number, servers: readonly Server[], measured: Measured): void {
  const { name: load, deliveredPerSecond, cpuMicros, othersCores } = measured;
  const micros = servers.map(({ name }) => cpuMicros[name] ?? 0);
  const inAll = micros.reduce((sum, each) => sum + each, 0);
  const cells = [...micros, inAll, cpuMicros["node"] ?? 0].map((each) => each.toFixed(0));
  const what = workers === 0 ? "no Citus" : workers;
  row(what, load, Math.round(deliveredPerSecond), ...cells, `${othersCores.toFixed(1)} cores`);
}

/** One tree's service on one store, and what a webhook costs it under each load. */
import { openSync, readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { drained, type Running, startService } from "../../test/kit/process/running.ts";
import type { Cluster } from "../../test/kit/servers/postgres.ts";
import { cpuOfServer } from "../postgres/server.ts";
import { demoName } from "../record.ts";
import { cpuOfProcess, cpuOfThreads, type Measured, measure, type Rig, type Span } from "../rig.ts";
import { DESTINATIONS, LOADS, type PathLoad, sendTo } from "./loads.ts";
import { computeDifference, NO_ROWS, readRows, type RowCounts } from "./rows.ts";
import { serveProgram, setUpIn, type Tree } from "./tree.ts";

export type StoreKind = "sqlite" | "postgres";

export interface PathCost {
  readonly tree: string;
  readonly load: string;
  readonly measured: Measured;
  /** A webhook's: what the store's thread wrote to files (SQLite), or the server's log (PostgreSQL). */
  readonly bytesWritten: number;
  /** A webhook's; nothing on SQLite, which does not count them. */
  readonly rows: RowCounts;
}

export interface Scene {
  readonly rig: Rig;
  readonly span: Span;
  /** `null`: SQLite in the data folder. */
  readonly cluster: Cluster | null;
  /** Empty, for this subject alone. */
  readonly folder: string;
}

export async function measureTree(tree: Tree, { rig, span, cluster, folder }: Scene): Promise<PathCost[]> {
  const database = await cluster?.createDatabase();
  const where = { dataDir: folder, ...(database === undefined ? {} : { database }) };
  const numbers = Array.from({ length: DESTINATIONS }, (_, number) => number);
  const toUrl = (number: number): string => `http://127.0.0.1:${rig.port}/in/${number}`;
  await setUpIn(tree, { ...where, alerts: numbers.map((n) => ({ url: toUrl(n), demos: [demoName(n)] })) });
  const env: Record<string, string> = database === undefined ? {} : { BELLWIRE_DATABASE: database };
  const program = serveProgram(tree);
  await using node = await startService({ dataDir: folder, env, program, output: openSync(join(folder, "log"), "a") });
  const server = cluster === null ? null : await cpuOfServer(cluster);
  const counted = cluster === null || database === undefined ? null : { cluster, database };
  const costs: PathCost[] = [];
  for (const load of LOADS) costs.push(await measureLoad(load, { tree, rig, span, node, server, counted }));
  await node.stop();
  return costs;
}

interface Place {
  readonly tree: Tree;
  readonly rig: Rig;
  readonly span: Span;
  readonly node: Running;
  readonly server: (() => number) | null;
  readonly counted: { readonly cluster: Cluster; readonly database: string } | null;
}

async function measureLoad(load: PathLoad, { tree, rig, span, node, server, counted }: Place): Promise<PathCost> {
  const cpu = () => ({
    ...cpuOfThreads("node", node.child.pid),
    ...(server === null ? {} : { server: server() }),
    load: cpuOfProcess(rig.load.pid),
  });
  const read = async () => (counted === null ? NO_ROWS : await readRows(counted.cluster, counted.database));
  const firstRecord = rig.nextSequence;
  const [rowsBefore, bytesBefore] = [await read(), bytesOfStoreThreads(node.child.pid)];
  const subject = { name: load.name, send: sendTo(rig, node, load), cpu, services: [node] };
  const measured = await measure(rig, subject, span);
  await drained(node);
  const webhooks = rig.nextSequence - firstRecord;
  const rows = computeDifference(await read(), rowsBefore, webhooks);
  const bytes = (bytesOfStoreThreads(node.child.pid) - bytesBefore) / webhooks;
  return { tree: tree.name, load: load.name, measured, rows, bytesWritten: counted === null ? bytes : rows.logBytes };
}

/** One commits into SQLite's log, the other copies the log into the database. */
const STORE_THREADS: ReadonlySet<string> = new Set(["store", "checkpoint"]);

/** What SQLite's threads have written so far; 0 where there are none. */
function bytesOfStoreThreads(pid: number): number {
  const tasks = `/proc/${pid}/task`;
  const read = (task: string, file: string): string => readFileSync(join(tasks, task, file), "latin1");
  const ofStore = readdirSync(tasks).filter((task) => STORE_THREADS.has(read(task, "comm").trim()));
  return ofStore.reduce((sum, task) => sum + Number(/^wchar: (\d+)$/m.exec(read(task, "io"))?.[1] ?? 0), 0);
}

/**
 * `npm run bench -- upkeep [--store sqlite,postgres] [--quick]`: what it costs to have a node. The released program,
 * with the image's heap: the CPU of a second in which nothing happens, the wait from a post's release to its arrival at
 * 100 posts a second, and the memory after two minutes of all the single posts that it takes.
 */
import { openSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { newDiskFolder } from "../test/kit/folder.ts";
import { setUpAccount } from "../test/kit/process/account.ts";
import { type Running, startService } from "../test/kit/process/running.ts";
import type { Cluster } from "../test/kit/servers/postgres.ts";
import { pause } from "../test/kit/wait.ts";
import { cpuSecondsOfFamily, describeMachine, readMemory } from "./conditions.ts";
import { BUSY, alertsTo, sendTo } from "./path/loads.ts";
import { count, head, row } from "./markdown.ts";
import { cpuOfServer, describeServer, startServer } from "./postgres-server.ts";
import { layOutReleased } from "./released.ts";
import { type Rig, measureLatency, sendAndAwait, startRig } from "./rig.ts";
import { quantile } from "./windows.ts";

const { values } = parseArgs({
  options: { store: { type: "string", default: "sqlite,postgres" }, quick: { type: "boolean", default: false } },
});
const STORES = (["sqlite", "postgres"] as const).filter((kind) => values.store.includes(kind));
const [IDLE_MS, WINDOW_MS, FULL_MS] = values.quick ? [5_000, 3_000, 10_000] : [30_000, 8_000, 120_000];
const WINDOWS = 5;
const LITTLE = { ...BUSY, ratePerSecond: 100 };
/** A start's own work ends in this time, and that of a load. */
const SETTLED_MS = 8_000;
/** With `SETTLED_MS`, a minute. */
const REST_MS = 52_000;

const folder = newDiskFolder("upkeep");
const released = await layOutReleased(folder);
for (const line of describeMachine(folder)) console.log(`- ${line}`);
console.log("- idle: CPU ms of a second, node and server; before any load, and 60 s after the full one");
console.log(
  `- p99 ms, post → receiver, at 100 posts a second: the middle one of ${WINDOWS} windows, which stand behind it`,
);
console.log(`- full load: single posts over 64 connections for ${FULL_MS / 1000} s; memory when all have arrived`);
const rows: string[][] = [];
for (const kind of STORES) rows.push(await measure(kind));
console.log("");
head("Store", "idle", "idle later", "p50", "p99", "delivered/s at full load", "RSS MB", "PSS MB", "PSS MB 8 s later");
for (const cells of rows) row(...cells);
process.exit(0);

async function measure(kind: "sqlite" | "postgres"): Promise<string[]> {
  using rig = await startRig();
  await using cluster = kind === "postgres" ? await startServer() : null;
  for (const line of cluster === null ? [] : await describeServer(cluster)) console.log(`- ${line}`);
  await using node = await startNode(kind, { rig, cluster });
  await pause(SETTLED_MS);
  const idle = await measureIdle(node, cluster);
  const waits = await measureWaits(rig, node);
  const perSecond = await loadFully(rig, node);
  const { rssMb, pssMb } = readMemory(node.child.pid);
  await pause(SETTLED_MS);
  const memory = [rssMb, pssMb, readMemory(node.child.pid).pssMb].map((mb) => mb.toFixed(0));
  await pause(REST_MS);
  const later = await measureIdle(node, cluster);
  await node.stop();
  return [kind, idle, later, ...waits, count(Math.round(perSecond)), ...memory];
}

async function startNode(kind: string, { rig, cluster }: { rig: Rig; cluster: Cluster | null }): Promise<Running> {
  const database = await cluster?.createDatabase();
  const dataDir = join(folder, kind);
  await setUpAccount({ dataDir, alerts: alertsTo(rig), ...(database === undefined ? {} : { database }) });
  const env = { ...released.env, ...(database === undefined ? {} : { BELLWIRE_DATABASE: database }) };
  return await startService({ dataDir, env, program: released.program, output: openSync(join(dataDir, "log"), "a") });
}

async function measureIdle(node: Running, cluster: Cluster | null): Promise<string> {
  const readers = [() => cpuSecondsOfFamily(node.child.pid), ...(cluster === null ? [] : [await cpuOfServer(cluster)])];
  const before = readers.map((read) => read());
  await pause(IDLE_MS);
  const used = readers.map((read, place) => (1000 * (read() - (before[place] ?? 0))) / (IDLE_MS / 1000));
  return used.map((ms) => ms.toFixed(1)).join(" + ");
}

/** The middle window's p50 and p99. */
async function measureWaits(rig: Rig, node: Running): Promise<string[]> {
  const send = sendTo(rig, node, LITTLE);
  await sendAndAwait(rig, { send, durationMs: WINDOW_MS });
  const windows: (readonly number[])[] = [];
  for (let window = 0; window < WINDOWS; window += 1) {
    const { waitsMs } = await measureLatency(rig, send, WINDOW_MS);
    windows.push([0.5, 0.99].map((share) => quantile(waitsMs, share)));
  }
  const ofShare = (place: number): string[] => windows.map((window) => (window[place] ?? Number.NaN).toFixed(1));
  const [p50s, p99s] = [ofShare(0), ofShare(1)];
  const middle = (texts: readonly string[]): string => quantile(texts.map(Number), 0.5).toFixed(1);
  return [middle(p50s), `${middle(p99s)} (${p99s.join(", ")})`];
}

/** Deliveries a second. */
async function loadFully(rig: Rig, node: Running): Promise<number> {
  const { done, lastAtMs } = await sendAndAwait(rig, { send: sendTo(rig, node, BUSY), durationMs: FULL_MS });
  return done.records / ((lastAtMs - done.startedAtMs) / 1000);
}

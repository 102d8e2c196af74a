/**
 * `npm run bench`: how fast Bellwire is from a record at intake to a signed webhook at a receiver, and what undici
 * alone sends to the same receiver in the same run. Service, receiver and load generator are processes of their own, as
 * in production. `-- --quick` is a sanity run of about 20 s; its figures mean little.
 *
 * Every figure is printed only after everything that was acknowledged has arrived at the receiver, once.
 */
import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, openSync, rmSync } from "node:fs";
import { join } from "node:path";
import { setUpAccount } from "../e2e/account.ts";
import { ACCOUNT, type Running, startService } from "../e2e/running.ts";
import { type Counters, cpuSecondsOf, describeMachine, machineCpuSeconds, readCounters } from "./conditions.ts";
import type { FromLoad, ToLoad } from "./load.ts";
import { type Part, startPart } from "./part.ts";
import type { FromReceiver, ToReceiver } from "./receiver.ts";
import { bodyText, demoName } from "./record.ts";
import type { ToUndici } from "./undici-alone.ts";

const isQuick = process.argv.includes("--quick");
const WARM_UP_MS = isQuick ? 500 : 3_000;
const MEASURED_MS = isQuick ? 1_500 : 8_000;

const DESTINATIONS = 8;
const UNDICI_CONNECTIONS = 64;
const SINGLE_CONNECTIONS = 64;
const BATCH = 50;
const BATCH_CONNECTIONS = 8;
/** Far above what any phase sends. */
const RECORDS_MAX = 2_000_000;

interface Rig {
  readonly receiver: Part<ToReceiver, FromReceiver>;
  readonly load: Part<ToLoad, FromLoad>;
  readonly undici: Part<ToUndici, FromLoad>;
  readonly port: number;
  readonly folder: string;
}

interface Measured {
  readonly name: string;
  readonly deliveredPerSecond: number;
  readonly acceptedPerSecond: number;
  /** Microseconds of CPU for each delivery, by process. */
  readonly cpuMicros: Readonly<Record<string, number>>;
  /** Cores that somebody else on the machine had meanwhile: what these figures are worth. */
  readonly othersCores: number;
  readonly commits?: Counters;
}

let nextSequence = 1;

const root = join(import.meta.dirname, "..", "data");
mkdirSync(root, { recursive: true });
const folder = mkdtempSync(join(root, "bench-"));
try {
  await run();
} finally {
  rmSync(folder, { recursive: true, force: true });
}
process.exit(0);

async function run(): Promise<void> {
  using receiver = startPart<ToReceiver, FromReceiver>("receiver.ts");
  using load = startPart<ToLoad, FromLoad>("load.ts");
  using undici = startPart<ToUndici, FromLoad>("undici-alone.ts");
  const listening = await receiver.next();
  assert(listening.kind === "listening");
  const rig: Rig = { receiver, load, undici, port: listening.port, folder };
  printConditions();

  const before = await measureUndici(rig);
  const spread = await measureService(rig, DESTINATIONS);
  const single = await measureService(rig, 1);
  const after = await measureUndici(rig);
  const alone = (before.deliveredPerSecond + after.deliveredPerSecond) / 2;
  printThroughput([before, ...spread.measured, ...single.measured, after], alone);
  for (const line of [...spread.latency, ...single.latency]) console.log(line);
}

function printConditions(): void {
  for (const line of describeMachine(folder)) console.log(`- ${line}`);
  console.log(`- body ${Buffer.byteLength(bodyText(0))} bytes; receiver, service, load generator: a process each`);
  console.log(`- single posts over ${SINGLE_CONNECTIONS} connections; NDJSON of ${BATCH} over ${BATCH_CONNECTIONS}`);
  console.log(`- undici alone: Pool.dispatch, ${UNDICI_CONNECTIONS} connections; log level info, written to a file`);
  console.log(
    `- ${WARM_UP_MS / 1000} s of warm-up, ${MEASURED_MS / 1000} s measured, until the last one has arrived\n`,
  );
}

async function measureUndici(rig: Rig): Promise<Measured> {
  const job = { port: rig.port, connections: UNDICI_CONNECTIONS, destinations: DESTINATIONS };
  const send = (durationMs: number, firstSequence: number) => rig.undici.ask({ ...job, firstSequence, durationMs });
  return await measure(rig, { name: "undici alone", pids: { undici: rig.undici.pid }, send });
}

async function measureService(rig: Rig, destinations: number) {
  await using service = await startMeasuredService(rig, destinations);
  const target = { account: ACCOUNT, apiKey: service.apiKey, port: Number(new URL(service.url).port), destinations };
  const pids = { service: service.child.pid, load: rig.load.pid };
  const closed = async (batch: number, connections: number): Promise<Measured> => {
    const send = (durationMs: number, firstSequence: number) =>
      rig.load.ask({ kind: "closed", ...target, batch, connections, firstSequence, durationMs });
    const name = `${batch === 1 ? "single posts" : `NDJSON of ${batch}`}, ${plural(destinations, "destination")}`;
    return await measure(rig, { name, pids, send, service });
  };
  const measured = [await closed(BATCH, BATCH_CONNECTIONS), await closed(1, SINGLE_CONNECTIONS)];
  const ratePerSecond = Math.floor((measured[1]?.deliveredPerSecond ?? 0) / 2);
  const latency = await measureLatency(rig, (durationMs, firstSequence) =>
    rig.load.ask({
      kind: "open",
      ...target,
      ratePerSecond,
      batch: 1,
      connections: SINGLE_CONNECTIONS,
      firstSequence,
      durationMs,
    }),
  );
  const { code } = await service.stop();
  assert.equal(code, 0, service.child.err.text);
  return { measured, latency: [`${plural(destinations, "destination")}, ${ratePerSecond} posts/s: ${latency}`] };
}

async function startMeasuredService({ folder: parent, port }: Rig, destinations: number): Promise<Running> {
  const dataDir = join(parent, `${destinations}`);
  const numbers = Array.from({ length: destinations }, (_, destination) => destination);
  const alerts = numbers.map((number) => ({ url: `http://127.0.0.1:${port}/in/${number}`, demos: [demoName(number)] }));
  await setUpAccount({ dataDir, alerts });
  return await startService({ dataDir, output: openSync(join(parent, `${destinations}.log`), "w") });
}

type Send = (durationMs: number, firstSequence: number) => Promise<FromLoad>;

interface Subject {
  readonly name: string;
  /** Whose CPU is counted, besides the receiver's. */
  readonly pids: Readonly<Record<string, number>>;
  readonly send: Send;
  readonly service?: Running;
}

async function measure(rig: Rig, { name, pids, send, service }: Subject): Promise<Measured> {
  await sendAndAwait(rig, { send, durationMs: WARM_UP_MS });
  const counted = { ...pids, receiver: rig.receiver.pid };
  const commitsBefore = service === undefined ? null : await readCounters(service.url);
  const [cpuBefore, machineBefore] = [cpuOf(counted), machineCpuSeconds()];
  const { done, lastAtMs } = await sendAndAwait(rig, { send, durationMs: MEASURED_MS });
  const [cpuAfter, machineSeconds] = [cpuOf(counted), machineCpuSeconds() - machineBefore];
  const used = Object.entries(cpuAfter).map(([key, after]) => [key, after - (cpuBefore[key] ?? 0)] as const);
  const seconds = (lastAtMs - done.startedAtMs) / 1000;
  const measured = {
    name,
    deliveredPerSecond: done.records / seconds,
    acceptedPerSecond: done.records / ((done.endedAtMs - done.startedAtMs) / 1000),
    cpuMicros: Object.fromEntries(used.map(([key, cpuSeconds]) => [key, (cpuSeconds * 1e6) / done.records])),
    othersCores: (machineSeconds - used.reduce((sum, [, cpuSeconds]) => sum + cpuSeconds, 0)) / seconds,
  };
  if (service === undefined || commitsBefore === null) return measured;
  return { ...measured, commits: difference(await readCounters(service.url), commitsBefore) };
}

async function measureLatency(rig: Rig, send: Send): Promise<string> {
  await sendAndAwait(rig, { send, durationMs: WARM_UP_MS });
  const { done, atMs } = await sendAndAwait(rig, { send, durationMs: MEASURED_MS, stamp: true });
  const waits = atMs.map((arrivedAtMs, index) => arrivedAtMs - (done.atMs[index] ?? 0)).toSorted();
  const at = (share: number) => (waits[Math.floor((waits.length - 1) * share)] ?? Number.NaN).toFixed(1);
  const late = `generator late by ${done.lateMsMax.toFixed(1)} ms at most`;
  return `post → receiver p50 ${at(0.5)} ms, p99 ${at(0.99)} ms, max ${at(1)} ms (${late})`;
}

interface Sending {
  readonly send: Send;
  readonly durationMs: number;
  readonly stamp?: boolean;
}

/** Sends for a while, then waits until the receiver has seen each of the records once and nothing else. */
async function sendAndAwait({ receiver }: Rig, { send, durationMs, stamp = false }: Sending) {
  await receiver.ask({ kind: "expect", first: nextSequence, most: RECORDS_MAX, stamp });
  const done = await send(durationMs, nextSequence);
  nextSequence += done.records;
  const arrived = await receiver.ask({ kind: "await", count: done.records });
  assert(arrived.kind === "arrived");
  assert.deepEqual([arrived.count, arrived.others], [done.records, 0], "everything has arrived, once");
  return { done, lastAtMs: arrived.lastAtMs, atMs: arrived.atMs };
}

/** By process; the service's threads apart, because each of them can be the one that is in the way. */
function cpuOf(pids: Readonly<Record<string, number>>): Record<string, number> {
  const used = Object.entries(pids).flatMap(([name, pid]) => {
    const threads = cpuSecondsOf(pid);
    if (name === "service") return Object.entries(threads).map(([thread, seconds]) => [`${name} ${thread}`, seconds]);
    return [[name, Object.values(threads).reduce((sum, seconds) => sum + seconds, 0)]];
  });
  return Object.fromEntries(used) as Record<string, number>;
}

function difference(after: Counters, before: Counters): Counters {
  return {
    commits: after.commits - before.commits,
    commitSeconds: after.commitSeconds - before.commitSeconds,
    calls: after.calls - before.calls,
  };
}

function printThroughput(all: readonly Measured[], alone: number): void {
  console.log("| What | delivered/s | ratio | accepted/s | CPU µs per delivery | commit | calls a commit | others |");
  console.log("|---|---|---|---|---|---|---|---|");
  for (const { name, deliveredPerSecond, acceptedPerSecond, cpuMicros, othersCores, commits } of all) {
    const cpu = Object.entries(cpuMicros).map(([key, micros]) => `${key} ${micros.toFixed(0)}`);
    const commitMs = commits === undefined ? "" : `${((commits.commitSeconds / commits.commits) * 1000).toFixed(1)} ms`;
    const calls = commits === undefined ? "" : (commits.calls / commits.commits).toFixed(0);
    const [delivered, accepted] = [deliveredPerSecond, acceptedPerSecond].map((rate) => Math.round(rate));
    const ratio = (deliveredPerSecond / alone).toFixed(2);
    const others = `${othersCores.toFixed(1)} cores`;
    console.log(`| ${[name, delivered, ratio, accepted, cpu.join(", "), commitMs, calls, others].join(" | ")} |`);
  }
  console.log("");
}

function plural(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? "" : "s"}`;
}

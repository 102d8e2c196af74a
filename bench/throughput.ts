/**
 * `npm run bench`: how fast Bellwire is from a record at intake to a signed webhook at a receiver, and what undici
 * alone sends to the same receiver in the same run. Service, receiver and load generator are processes of their own, as
 * in production. `--quick` is a sanity run of about 20 s; its figures mean little.
 */
import assert from "node:assert/strict";
import { openSync } from "node:fs";
import { join } from "node:path";
import { setUpAccount } from "../test/kit/process/account.ts";
import { ACCOUNT, type Running, startService } from "../test/kit/process/running.ts";
import { describeMachine } from "./conditions.ts";
import { newDiskFolder } from "../test/kit/folder.ts";
import type { FromLoad } from "./load.ts";
import { startPart } from "./part.ts";
import { bodyText, demoName } from "./record.ts";
import {
  cpuOfProcess,
  cpuOfThreads,
  type Latency,
  type Measured,
  measure,
  measureLatency,
  printThroughput,
  type Rig,
  sendAndAwait,
  type Send,
  startRig,
} from "./rig.ts";
import type { ToUndici } from "./undici-alone.ts";
import { quantile } from "./windows.ts";

const isQuick = process.argv.includes("--quick");
const SPAN = { warmUpMs: isQuick ? 500 : 3_000, measuredMs: isQuick ? 1_500 : 8_000 };

/** Of the latency at half load. */
const WINDOWS = isQuick ? 1 : 5;

const DESTINATIONS = 8;
const UNDICI_CONNECTIONS = 64;
const SINGLE_CONNECTIONS = 64;
const BATCH = 50;
const BATCH_CONNECTIONS = 8;

const folder = newDiskFolder("throughput");
await run();
process.exit(0);

async function run(): Promise<void> {
  using rig = await startRig();
  printConditions();
  const before = await measureUndici(rig);
  const spread = await measureService(rig, DESTINATIONS);
  const single = await measureService(rig, 1);
  const after = await measureUndici(rig);
  const alone = (before.deliveredPerSecond + after.deliveredPerSecond) / 2;
  const computeRatio = ({ deliveredPerSecond }: Measured) => (deliveredPerSecond / alone).toFixed(2);
  printThroughput([before, ...spread.measured, ...single.measured, after], computeRatio);
  for (const line of [spread.latency, single.latency]) console.log(line);
}

function printConditions(): void {
  for (const line of describeMachine(folder)) console.log(`- ${line}`);
  console.log(`- body ${Buffer.byteLength(bodyText(0))} bytes; receiver, service, load generator: a process each`);
  console.log(`- single posts over ${SINGLE_CONNECTIONS} connections; NDJSON of ${BATCH} over ${BATCH_CONNECTIONS}`);
  console.log(`- undici alone: Pool.dispatch, ${UNDICI_CONNECTIONS} connections; log level info, written to a file`);
  console.log(
    `- ${SPAN.warmUpMs / 1000} s of warm-up, ${SPAN.measuredMs / 1000} s measured, until the last one has arrived`,
  );
  console.log(`- latency: the middle of ${WINDOWS} windows of ${SPAN.measuredMs / 1000} s, which stand behind it\n`);
}

async function measureUndici(rig: Rig): Promise<Measured> {
  using undici = startPart<ToUndici, FromLoad>("undici-alone.ts");
  const job = { port: rig.port, connections: UNDICI_CONNECTIONS, destinations: DESTINATIONS };
  const send: Send = (durationMs, firstSequence) => undici.ask({ ...job, firstSequence, durationMs });
  const cpu = () => ({ undici: cpuOfProcess(undici.pid) });
  return await measure(rig, { name: "undici alone", send, cpu, services: [] }, SPAN);
}

async function measureService(rig: Rig, destinations: number) {
  await using service = await startMeasuredService(rig.port, destinations);
  const target = { accounts: [ACCOUNT], apiKey: service.apiKey, ports: [toPort(service)], destinations };
  const cpu = () => ({ ...cpuOfThreads("service", service.child.pid), load: cpuOfProcess(rig.load.pid) });
  const closed = async (batch: number, connections: number): Promise<Measured> => {
    const send: Send = (durationMs, firstSequence) =>
      rig.load.ask({ kind: "closed", ...target, batch, connections, firstSequence, durationMs });
    const name = `${batch === 1 ? "single posts" : `NDJSON of ${batch}`}, ${plural(destinations, "destination")}`;
    return await measure(rig, { name, send, cpu, services: [service] }, SPAN);
  };
  const measured = [await closed(BATCH, BATCH_CONNECTIONS), await closed(1, SINGLE_CONNECTIONS)];
  const ratePerSecond = Math.floor((measured[1]?.deliveredPerSecond ?? 0) / 2);
  const open = { kind: "open", ...target, ratePerSecond, batch: 1, connections: SINGLE_CONNECTIONS } as const;
  const latency = await describeLatency(rig, (durationMs, firstSequence) =>
    rig.load.ask({ ...open, firstSequence, durationMs }),
  );
  const { code } = await service.stop();
  assert.equal(code, 0, service.child.err.text);
  return { measured, latency: `${plural(destinations, "destination")}, ${ratePerSecond} posts/s: ${latency}` };
}

async function startMeasuredService(receiverPort: number, destinations: number): Promise<Running> {
  const dataDir = join(folder, `${destinations}`);
  const alerts = Array.from({ length: destinations }, (_, number) => ({
    url: `http://127.0.0.1:${receiverPort}/in/${number}`,
    demos: [demoName(number)],
  }));
  await setUpAccount({ dataDir, alerts });
  return await startService({ dataDir, output: openSync(join(folder, `${destinations}.log`), "w") });
}

/** A single stall decides the p99 of a window, so there are several, and the middle one counts. */
async function describeLatency(rig: Rig, send: Send): Promise<string> {
  await sendAndAwait(rig, { send, durationMs: SPAN.warmUpMs });
  const windows: Latency[] = [];
  for (let window = 0; window < WINDOWS; window += 1) windows.push(await measureLatency(rig, send, SPAN.measuredMs));
  const all = windows.flatMap(({ waitsMs }) => waitsMs);
  const p99s = windows.map(({ waitsMs }) => quantile(waitsMs, 0.99));
  const lateMs = Math.max(...windows.map(({ lateMsMax }) => lateMsMax));
  const each = p99s.map((ms) => ms.toFixed(1)).join(", ");
  return (
    `post → receiver p50 ${quantile(all, 0.5).toFixed(1)} ms, p99 ${quantile(p99s, 0.5).toFixed(1)} ms (${each}), ` +
    `most ${quantile(all, 1).toFixed(0)} ms (generator late by ${lateMs.toFixed(1)} ms at most)`
  );
}

function toPort({ url }: Running): number {
  return Number(new URL(url).port);
}

function plural(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? "" : "s"}`;
}

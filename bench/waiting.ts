/**
 * `node bench/waiting.ts`: what a million waiting deliveries cost the process that holds them: memory and start-up
 * time, against a thousand, with the destination paused and with its receiver down. The two take turns, each time in a
 * new process that was killed before, so that a start also recovers the log. `--quick` has 50,000 instead of a
 * million.
 *
 * Ends with 1 when a gate is missed.
 */
import { openSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { type Running, startService } from "../test/kit/process/running.ts";
import { describeMachine } from "./conditions.ts";
import { newDiskFolder } from "../test/kit/folder.ts";
import { acceptBacklog, setUpDestinations } from "./many-destinations.ts";
import { pause } from "../test/kit/wait.ts";

const isQuick = process.argv.includes("--quick");
const FEW = 1_000;
const MANY = isQuick ? 50_000 : 1_000_000;
const ROUNDS = isQuick ? 2 : 3;
/** Until memory has settled: a service that has just started has not collected its garbage yet. */
const WATCH_MS = isQuick ? 4_000 : 10_000;
const SAMPLE_MS = 100;
const RSS_MB_GATE = 20;
const START_MS_GATE = 2_000;

/** Nothing listens there: connections are refused at once. */
const DOWN = "http://127.0.0.1:9/down";

interface Life {
  readonly startMs: number;
  /** At the end, and at most. */
  readonly rssMb: number;
  readonly peakMb: number;
}

const folder = newDiskFolder("waiting");
process.exit((await measure()) ? 0 : 1);

async function measure(): Promise<boolean> {
  for (const line of describeMachine(folder)) console.log(`- ${line}`);
  console.log(`- ${ROUNDS} rounds of ${WATCH_MS / 1000} s, medians; a start is from spawn to the first 200 of /readyz`);
  const verdicts: boolean[] = [];
  for (const isPaused of [true, false]) {
    const how = isPaused ? "paused" : "receiver down";
    for (const deliveries of [FEW, MANY]) await prepare({ how, deliveries, isPaused });
    verdicts.push(await compare(how));
  }
  return verdicts.every(Boolean);
}

async function prepare({ how, deliveries, isPaused }: { how: string; deliveries: number; isPaused: boolean }) {
  const startedMs = performance.now();
  await setUpDestinations(toDataDir(how, deliveries), [DOWN]);
  await acceptBacklog(toDataDir(how, deliveries), { destination: 0, deliveries, isPaused });
  const seconds = ((performance.now() - startedMs) / 1000).toFixed(0);
  console.log(`- ${deliveries} waiting (${how}) made in ${seconds} s`);
}

function toDataDir(how: string, deliveries: number): string {
  return join(folder, `${how.replace(" ", "-")}-${deliveries}`);
}

async function compare(how: string): Promise<boolean> {
  const few: Life[] = [];
  const many: Life[] = [];
  for (let round = 0; round < ROUNDS; round += 1) {
    few.push(await live(toDataDir(how, FEW)));
    many.push(await live(toDataDir(how, MANY)));
  }
  const row = (name: string, lives: readonly Life[]) => {
    const start = median(lives.map(({ startMs }) => startMs)).toFixed(0);
    const slowest = Math.max(...lives.map(({ startMs }) => startMs)).toFixed(0);
    const rss = median(lives.map(({ rssMb }) => rssMb)).toFixed(1);
    const peak = median(lives.map(({ peakMb }) => peakMb)).toFixed(1);
    console.log(`| ${[how, name, `${start} ms (slowest ${slowest})`, `${rss} MB`, `${peak} MB`].join(" | ")} |`);
  };
  console.log("\n| Destination | waiting | start | RSS at the end | RSS at most |\n|---|---|---|---|---|");
  row(String(FEW), few);
  row(String(MANY), many);
  const moreMb = median(many.map(({ rssMb }) => rssMb)) - median(few.map(({ rssMb }) => rssMb));
  const slowestMs = Math.max(...many.map(({ startMs }) => startMs));
  const isGood = moreMb <= RSS_MB_GATE && slowestMs <= START_MS_GATE;
  const gates = `gates: ${RSS_MB_GATE} MB, ${START_MS_GATE} ms: ${isGood ? "kept" : "MISSED"}`;
  console.log(`\n${how}: ${moreMb.toFixed(1)} MB more, slowest start ${slowestMs.toFixed(0)} ms; ${gates}\n`);
  return isGood;
}

/** Starts, watches and kills. */
async function live(dataDir: string): Promise<Life> {
  const startedMs = performance.now();
  await using service = await startService({ dataDir, output: openSync(join(folder, "log"), "a") });
  while ((await service.get("/readyz")).status !== 200) await pause(1);
  const startMs = performance.now() - startedMs;
  let peakMb = 0;
  for (let waited = 0; waited < WATCH_MS; waited += SAMPLE_MS) {
    await pause(SAMPLE_MS);
    peakMb = Math.max(peakMb, readRssMb(service));
  }
  const rssMb = readRssMb(service);
  await service.crash();
  return { startMs, rssMb, peakMb };
}

function readRssMb({ child }: Running): number {
  const kib = /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${child.pid}/status`, "utf8"))?.[1];
  return Number(kib) / 1024;
}

function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN;
}

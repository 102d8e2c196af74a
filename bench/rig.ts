/**
 * The parts of a throughput measurement besides the service: the receiver and the load generator, each a process of its
 * own, and the counting of what went through. No figure comes out of it before everything that was acknowledged has
 * arrived at the receiver, once.
 */
import assert from "node:assert/strict";
import type { Running } from "../test/kit/process/running.ts";
import { type Counters, readCpuSeconds, machineCpuSeconds, readCounters } from "./conditions.ts";
import type { FromLoad, ToLoad } from "./load.ts";
import { sharedClockMs } from "./record.ts";
import { type Part, startPart } from "./part.ts";
import type { FromReceiver, ToReceiver } from "./receiver.ts";

export interface Rig extends Disposable {
  /** The receiver's. */
  readonly port: number;
  readonly receiver: Part<ToReceiver, FromReceiver>;
  readonly load: Part<ToLoad, FromLoad>;
  /** The number of the next record that is sent. */
  nextSequence: number;
}

/** Far above what any phase sends. */
const RECORDS_MAX = 2_000_000;

export async function startRig(): Promise<Rig> {
  const receiver = startPart<ToReceiver, FromReceiver>("receiver.ts");
  const load = startPart<ToLoad, FromLoad>("load.ts");
  const listening = await receiver.next();
  assert(listening.kind === "listening");
  return {
    port: listening.port,
    receiver,
    load,
    nextSequence: 1,
    [Symbol.dispose]() {
      receiver[Symbol.dispose]();
      load[Symbol.dispose]();
    },
  };
}

/** Sends for so long, with records from that number on. */
export type Send = (durationMs: number, firstSequence: number) => Promise<FromLoad>;

export interface Span {
  readonly warmUpMs: number;
  readonly measuredMs: number;
}

export interface Subject {
  readonly name: string;
  readonly send: Send;
  /** CPU seconds so far, by name, of everything that is measured besides the receiver. */
  readonly cpu: () => Readonly<Record<string, number>>;
  readonly services: readonly Running[];
  /** Resolves when they have nothing left to do, such as the index of search. Left out: CPU ends with the arrival. */
  readonly rest?: () => Promise<void>;
}

export interface Measured {
  readonly name: string;
  readonly deliveredPerSecond: number;
  readonly acceptedPerSecond: number;
  /** Microseconds of CPU for each delivery, by process. */
  readonly cpuMicros: Readonly<Record<string, number>>;
  /** Of those, what came after the last arrival: work that no webhook waits for, such as the index of search. */
  readonly laterCpuMicros: Readonly<Record<string, number>>;
  /** Cores that somebody else on the machine had meanwhile: what these figures are worth. */
  readonly othersCores: number;
  /** Commits of all services together. */
  readonly commits: Counters;
}

/** Throughput, and what it cost. */
export async function measure(rig: Rig, subject: Subject, { warmUpMs, measuredMs }: Span): Promise<Measured> {
  const { name, send, services } = subject;
  await sendAndAwait(rig, { send, durationMs: warmUpMs });
  await subject.rest?.();
  const cpu = () => ({ ...subject.cpu(), receiver: cpuOfProcess(rig.receiver.pid) });
  const commitsBefore = await sumCounters(services);
  const [cpuBefore, machineBefore, beforeMs] = [cpu() as Record<string, number>, machineCpuSeconds(), sharedClockMs()];
  const { done, lastAtMs } = await sendAndAwait(rig, { send, durationMs: measuredMs });
  const cpuAtArrival = cpu() as Record<string, number>;
  await subject.rest?.();
  const [cpuAfter, machineSeconds] = [cpu(), machineCpuSeconds() - machineBefore];
  const usedSince = (before: Readonly<Record<string, number>>) =>
    Object.entries(cpuAfter).map(([key, after]) => [key, after - (before[key] ?? 0)] as const);
  const toMicros = (used: readonly (readonly [string, number])[]) =>
    Object.fromEntries(used.map(([key, cpuSeconds]) => [key, (cpuSeconds * 1e6) / done.records]));
  const used = usedSince(cpuBefore);
  const seconds = (lastAtMs - done.startedAtMs) / 1000;
  return {
    name,
    deliveredPerSecond: done.records / seconds,
    acceptedPerSecond: done.records / ((done.endedAtMs - done.startedAtMs) / 1000),
    cpuMicros: toMicros(used),
    laterCpuMicros: toMicros(usedSince(cpuAtArrival)),
    othersCores:
      (machineSeconds - used.reduce((sum, [, cpuSeconds]) => sum + cpuSeconds, 0)) /
      ((sharedClockMs() - beforeMs) / 1000),
    commits: difference(await sumCounters(services), commitsBefore),
  };
}

export interface Latency {
  /** From a post's release to its arrival at the receiver, in the order of release. */
  readonly waitsMs: readonly number[];
  readonly deliveredPerSecond: number;
  /** How late the generator itself released one, at worst. */
  readonly lateMsMax: number;
}

/** For an open load, which releases posts at their times whatever the service does. */
export async function measureLatency(rig: Rig, send: Send, durationMs: number): Promise<Latency> {
  const { done, atMs, lastAtMs } = await sendAndAwait(rig, { send, durationMs, stamp: true });
  return {
    waitsMs: [...atMs].map((arrivedAtMs, index) => arrivedAtMs - (done.atMs[index] ?? 0)),
    deliveredPerSecond: done.records / ((lastAtMs - done.startedAtMs) / 1000),
    lateMsMax: done.lateMsMax,
  };
}

interface Sending {
  readonly send: Send;
  readonly durationMs: number;
  readonly stamp?: boolean;
}

/** Sends for a while, then waits until the receiver has seen each of the records once and nothing else. */
export async function sendAndAwait(rig: Rig, { send, durationMs, stamp = false }: Sending) {
  const { receiver } = rig;
  await receiver.ask({ kind: "expect", first: rig.nextSequence, most: RECORDS_MAX, stamp });
  const done = await send(durationMs, rig.nextSequence);
  rig.nextSequence += done.records;
  const arrived = await receiver.ask({ kind: "await", count: done.records });
  assert(arrived.kind === "arrived");
  assert.deepEqual([arrived.count, arrived.others], [done.records, 0], "everything has arrived, once");
  return { done, lastAtMs: arrived.lastAtMs, atMs: arrived.atMs };
}

export function cpuOfProcess(pid: number): number {
  return Object.values(readCpuSeconds(pid)).reduce((sum, seconds) => sum + seconds, 0);
}

/** By thread, because each of them can be the one that is in the way. */
export function cpuOfThreads(name: string, pid: number): Record<string, number> {
  const threads = Object.entries(readCpuSeconds(pid));
  return Object.fromEntries(threads.map(([thread, seconds]) => [`${name} ${thread}`, seconds]));
}

async function sumCounters(services: readonly Running[]): Promise<Counters> {
  const all = await Promise.all(services.map(({ url }) => readCounters(url)));
  return all.reduce((sum, each) => combine(sum, each, 1), { commits: 0, commitSeconds: 0, calls: 0 });
}

const difference = (after: Counters, before: Counters): Counters => combine(after, before, -1);

function combine(one: Counters, other: Counters, factor: number): Counters {
  return {
    commits: one.commits + factor * other.commits,
    commitSeconds: one.commitSeconds + factor * other.commitSeconds,
    calls: one.calls + factor * other.calls,
  };
}

/** A table, with what `computeRatio` makes of each rate. */
export function printThroughput(all: readonly Measured[], computeRatio: (measured: Measured) => string): void {
  console.log("| What | delivered/s | ratio | accepted/s | CPU µs per delivery | commit | calls a commit | others |");
  console.log("|---|---|---|---|---|---|---|---|");
  for (const measured of all) {
    const { name, deliveredPerSecond, acceptedPerSecond, cpuMicros, othersCores, commits } = measured;
    const cpu = Object.entries(cpuMicros).map(([key, micros]) => `${key} ${micros.toFixed(0)}`);
    const hasCommits = commits.commits > 0;
    const commitMs = hasCommits ? `${((commits.commitSeconds / commits.commits) * 1000).toFixed(1)} ms` : "";
    const calls = hasCommits ? (commits.calls / commits.commits).toFixed(0) : "";
    const [delivered, accepted] = [deliveredPerSecond, acceptedPerSecond].map((rate) => Math.round(rate));
    const others = `${othersCores.toFixed(1)} cores`;
    const cells = [name, delivered, computeRatio(measured), accepted, cpu.join(", "), commitMs, calls, others];
    console.log(`| ${cells.join(" | ")} |`);
  }
  console.log("");
}

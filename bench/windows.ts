/**
 * Windows of traffic that are compared: with a trouble and without it, in turns, in one run. The p99 of a window is at
 * the mercy of the machine: a pause of 10 ms a second already decides it. So each second has a p99 of its own, and the
 * medians of those are compared. How much the windows without any trouble differ among themselves by the same measure
 * is the noise: where it is above the gate, a ratio below it shows nothing either way, and is called so.
 */
import type { Running } from "../test/kit/process/running.ts";
import type { Part } from "./part.ts";
import type { FromTraffic, ToTraffic } from "./traffic.ts";

export interface Waits {
  readonly ms: number[];
  readonly timerMs: number[];
  /** The p99 of each second by itself, by window. */
  readonly secondsMs: (readonly number[])[];
  missing: number;
  /** What waited before and arrived, a second, by window. */
  readonly drainedPerSecond: number[];
}

export interface Comparison {
  readonly name: string;
  readonly without: Waits;
  readonly during: Waits;
  readonly gate: number | null;
}

export function noWaits(): Waits {
  return { ms: [], timerMs: [], secondsMs: [], missing: 0, drainedPerSecond: [] };
}

export function add(to: Waits, { ms, timerMs, secondsMs, missing, drainedPerSecond }: Waits): void {
  to.ms.push(...ms);
  to.drainedPerSecond.push(...drainedPerSecond);
  to.secondsMs.push(...secondsMs);
  to.timerMs.push(...timerMs);
  to.missing += missing;
}

/** The job of the traffic, without the service's address. */
export type Window = Omit<ToTraffic, "port" | "apiKey">;

/** One window of it. */
export async function run(
  traffic: Part<ToTraffic, FromTraffic>,
  { url, apiKey }: Running,
  window: Window,
): Promise<Waits> {
  const sent = await traffic.ask({ ...window, port: Number(new URL(url).port), apiKey });
  if (sent.kind !== "sent") throw new Error("the traffic answered something else");
  const waits = computeWaits([...sent.waitsMs], window.durationMs, {
    timerMs: [...sent.timerMs],
    missing: sent.missing,
  });
  return { ...waits, drainedPerSecond: [sent.drainedPerSecond] };
}

/** `ms` in the order of time, evenly spread over the window. */
export function computeWaits(
  ms: number[],
  durationMs: number,
  { timerMs, missing }: Pick<Waits, "timerMs" | "missing">,
): Waits {
  const perSecond = Math.ceil((ms.length * 1000) / durationMs);
  const seconds = Array.from({ length: Math.ceil(ms.length / perSecond) }, (_, second) =>
    quantile(ms.slice(second * perSecond, (second + 1) * perSecond), 0.99),
  );
  return { ms, timerMs, secondsMs: [seconds], missing, drainedPerSecond: [] };
}

/** Whether every gate was kept. */
export function printComparisons(comparisons: readonly Comparison[]): boolean {
  console.log(
    "| Trouble | p50 ms without, with | p99 ms without, with | middle p99 | ratio | noise | max | timer | gate |",
  );
  console.log("|---|---|---|---|---|---|---|---|---|");
  const verdicts = comparisons.map(printRow);
  console.log("\nmiddle p99: the median of the p99 of each second; ratio: of these, with to without");
  console.log("\nnoise: the same ratio between the window without trouble that went worst and the one that went best");
  console.log(
    "\ntimer: p99 of how late a timer of 1 ms was in the generator, without, with: what the machine itself did",
  );
  return verdicts.every(Boolean);
}

function printRow({ name, without, during, gate }: Comparison): boolean {
  const pair = (of: "ms" | "timerMs", share: number) =>
    `${quantile(without[of], share).toFixed(1)}, ${quantile(during[of], share).toFixed(1)}`;
  const middleMs = ({ secondsMs }: Waits) => quantile(secondsMs.flat(), 0.5);
  const [withoutMs, duringMs] = [middleMs(without), middleMs(during)];
  const ratio = duringMs / withoutMs;
  const noise = computeNoise(without);
  const verdict = gate === null ? "none" : verdictOn({ ratio, noise, gate, missing: during.missing });
  const late = during.missing === 0 ? "" : ` (${during.missing} had not arrived)`;
  const max = quantile(during.ms, 1).toFixed(0) + late;
  const middle = `${withoutMs.toFixed(1)}, ${duringMs.toFixed(1)}`;
  const waits = [pair("ms", 0.5), pair("ms", 0.99), middle, ratio.toFixed(2), noise.toFixed(2), max];
  console.log(`| ${[name, ...waits, pair("timerMs", 0.99), verdict].join(" | ")} |`);
  return !verdict.startsWith("MISSED");
}

function computeNoise({ secondsMs }: Waits): number {
  const middles = secondsMs.map((seconds) => quantile(seconds, 0.5));
  return Math.max(...middles) / Math.min(...middles);
}

interface Gated {
  readonly ratio: number;
  readonly noise: number;
  readonly gate: number;
  readonly missing: number;
}

function verdictOn({ ratio, noise, gate, missing }: Gated): string {
  if (missing > 0 || ratio > Math.max(gate, noise)) return `MISSED (${gate})`;
  return noise > gate ? `not shown: noise above ${gate}` : `kept (${gate})`;
}

export function quantile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.floor((sorted.length - 1) * share)] ?? Number.NaN;
}

/** The table of the bench of little load: what a second costs, and a webhook. */
import { head, row } from "../markdown.ts";
import type { ThreadName, ThreadUse } from "./threads.ts";

export interface Cost {
  readonly tree: string;
  /** Posts a second; 0 is a node that idles. */
  readonly rate: number;
  readonly webhooks: number;
  /** CPU milliseconds of a second. */
  readonly cpuMs: Readonly<Record<ThreadName | "server", number>>;
  /** Wake-ups of a second. */
  readonly wakeUps: Readonly<Record<ThreadName, number>>;
}

interface Reading {
  readonly threads: Readonly<Record<ThreadName, ThreadUse>>;
  readonly serverMs: number;
}

const THREADS = ["main", "store", "other"] as const;

export function toRates(before: Reading, after: Reading, seconds: number): Pick<Cost, "cpuMs" | "wakeUps"> {
  const each = (read: (use: ThreadUse) => number) => {
    const rate = (name: ThreadName) => (read(after.threads[name]) - read(before.threads[name])) / seconds;
    return { main: rate("main"), store: rate("store"), other: rate("other") };
  };
  const server = (after.serverMs - before.serverMs) / seconds;
  return { cpuMs: { ...each(({ cpuMs }) => cpuMs), server }, wakeUps: each(({ wakeUps }) => wakeUps) };
}

/** A line for each rate, code and turn: what runs beside shows in how far the turns differ. */
export function printCosts(costs: readonly Cost[]): void {
  head("posts/s", "Code", "ms/s main", "store", "V8 and libuv", "server", "in all", "µs a webhook", "wake-ups/s");
  for (const cost of costs.toSorted((one, other) => one.rate - other.rate || one.tree.localeCompare(other.tree))) {
    const { rate, tree, cpuMs, wakeUps } = cost;
    const parts = [...THREADS.map((name) => cpuMs[name]), cpuMs.server];
    const all = parts.reduce((sum, ms) => sum + ms, 0);
    const micros = rate === 0 ? "" : ((all * 1000) / rate).toFixed(0);
    const woken = THREADS.map((name) => wakeUps[name].toFixed(0)).join(", ");
    row(rate, tree, ...parts.map((ms) => ms.toFixed(1)), all.toFixed(1), micros, woken);
  }
}

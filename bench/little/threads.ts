/** CPU and wake-ups of a process by thread, from /proc; nothing where there is none. */
import { globSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";

export interface ThreadUse {
  readonly cpuMs: number;
  /** A thread that waits has been woken; preemption does not count. */
  readonly wakeUps: number;
}

export type ThreadName = "main" | "store" | "other";

/** Node 26 gave its main thread another name; the writer was called "store" when it read, too. */
const NAMES: Readonly<Record<string, ThreadName>> = {
  MainThread: "main",
  "node-MainThread": "main",
  store: "store",
  writer: "store",
  reader: "store",
  // Copies the store's log into its database.
  checkpoint: "store",
};

/** By the name that the system knows a thread by; all others are V8's own (compiler, collector) and libuv's. */
export const threadNamed = (name: string): ThreadName => NAMES[name] ?? "other";

export function readThreads(pid: number): Readonly<Record<ThreadName, ThreadUse>> {
  const use = { main: NONE, store: NONE, other: NONE };
  for (const file of globSync(`/proc/${pid}/task/*/schedstat`)) {
    const read = (name: string): string => readFileSync(join(dirname(file), name), "latin1");
    const thread = threadNamed(read("comm").trim());
    const cpuMs = use[thread].cpuMs + Number(read("schedstat").split(" ")[0]) / 1e6;
    const wakeUps = use[thread].wakeUps + Number(/^voluntary_ctxt_switches:\s*(\d+)/m.exec(read("status"))?.[1] ?? 0);
    use[thread] = { cpuMs, wakeUps };
  }
  return use;
}

const NONE: ThreadUse = { cpuMs: 0, wakeUps: 0 };

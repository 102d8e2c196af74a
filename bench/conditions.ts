/** Everything that a figure depends on, read from the machine and from the service that was measured. */
import { globSync, readFileSync, statfsSync } from "node:fs";
import { availableParallelism, cpus, loadavg, release, totalmem } from "node:os";
import { join } from "node:path";
import { openConnection } from "../src/store/sqlite/connection/connection.ts";
import { threadNamed } from "./little/threads.ts";

/** `pragma synchronous`, sqlite.org/pragma.html. */
const SYNCHRONOUS = ["OFF", "NORMAL", "FULL", "EXTRA"];

/** `statfs` of Linux; others are printed as their number. */
const FILE_SYSTEMS: Readonly<Record<number, string>> = {
  0xef53: "ext4",
  0x01021994: "tmpfs",
  0x9123683e: "btrfs",
  0x58465342: "xfs",
};

/** Lines for people. `folder` is where the database is. */
export function describeMachine(folder: string): string[] {
  return [
    describeHost(),
    `SQLite ${process.versions.sqlite}, ${measureDurability(folder)}, database on ${readDisk(folder)}`,
  ];
}

export function describeHost(): string {
  const cores = `${availableParallelism()} cores (${cpus()[0]?.model.trim() ?? "?"})`;
  const memory = `${(totalmem() / 1024 ** 3).toFixed(0)} GB`;
  const load = loadavg()[0]?.toFixed(1) ?? "?";
  return `${cores}, ${memory}, Linux ${release()}, Node ${process.versions.node}, load ${load} at the start`;
}

/** The kind of file system that a folder is on. */
export function readDisk(folder: string): string {
  const { type } = statfsSync(folder);
  return FILE_SYSTEMS[type] ?? `file system ${type}`;
}

/** Read back from a connection that was opened by the store's own code, on the same disk. */
function measureDurability(folder: string): string {
  const connection = openConnection(join(folder, "pragmas.db"));
  const { synchronous } = connection.get<{ synchronous: number }>("pragma synchronous") ?? { synchronous: -1 };
  const { journal_mode: mode } = connection.get<{ journal_mode: string }>("pragma journal_mode") ?? {
    journal_mode: "?",
  };
  connection.close();
  return `synchronous = ${SYNCHRONOUS[synchronous] ?? synchronous}, journal_mode = ${mode}`;
}

export interface Counters {
  readonly commits: number;
  readonly commitSeconds: number;
  readonly calls: number;
}

/** The service's own count of its commits. */
export async function readCounters(url: string): Promise<Counters> {
  const text = await (await fetch(`${url}/metrics`)).text();
  const findValue = (name: string) => Number(new RegExp(`^${name} (\\S+)`, "m").exec(text)?.[1] ?? Number.NaN);
  return {
    commits: findValue("bellwire_commit_seconds_count"),
    commitSeconds: findValue("bellwire_commit_seconds_sum"),
    calls: findValue("bellwire_commit_commands_total"),
  };
}

/** CPU seconds that a process has used, by thread; empty where there is no /proc. */
export function readCpuSeconds(pid: number): Record<string, number> {
  const seconds: Record<string, number> = {};
  for (const file of globSync(`/proc/${pid}/task/*/stat`)) {
    const [, name = "", rest = ""] = /^\d+ \((.*)\) (.*)/.exec(readFileSync(file, "latin1")) ?? [];
    const fields = rest.split(" ");
    const thread = threadNamed(name);
    // Ticks of 10 ms, in user and in system mode.
    seconds[thread] = (seconds[thread] ?? 0) + (Number(fields[11]) + Number(fields[12])) / 100;
  }
  return seconds;
}

/** CPU seconds of a process and of all that it has started; 0 where there is no /proc. */
export function cpuSecondsOfFamily(pid: number): number {
  const own = processStat(`/proc/${pid}/stat`);
  if (own === null) return 0;
  const children = globSync("/proc/[0-9]*/stat").map(processStat);
  // The parent keeps the sum of children that have ended.
  return children.reduce(
    (sum, child) => (child?.parent === pid ? sum + child.seconds : sum),
    own.seconds + own.endedChildrenSeconds,
  );
}

/** `null` when the process has ended meanwhile. */
function processStat(file: string) {
  const text = readIfThere(file);
  const fields =
    text === null
      ? []
      : text
          .slice(text.lastIndexOf(")") + 2)
          .split(" ")
          .map(Number);
  const [parent, user, system, childrenUser, childrenSystem] = [1, 11, 12, 13, 14].map((place) => fields[place] ?? 0);
  if (text === null || parent === undefined) return null;
  const seconds = ((user ?? 0) + (system ?? 0)) / 100;
  return { parent, seconds, endedChildrenSeconds: ((childrenUser ?? 0) + (childrenSystem ?? 0)) / 100 };
}

function readIfThere(file: string): string | null {
  try {
    return readFileSync(file, "latin1");
  } catch {
    return null;
  }
}

/** A process's memory now, in MB: RSS counts pages that it shares, PSS its share of them. */
export function readMemory(pid: number): { readonly rssMb: number; readonly pssMb: number } {
  const text = readFileSync(`/proc/${pid}/smaps_rollup`, "latin1");
  const read = (field: "Rss" | "Pss"): number => Number(new RegExp(`^${field}: +(\\d+)`, "m").exec(text)?.[1]) / 1024;
  return { rssMb: read("Rss"), pssMb: read("Pss") };
}

/** CPU seconds that the whole machine has used; 0 where there is no /proc. */
export function machineCpuSeconds(): number {
  const [file] = globSync("/proc/stat");
  if (file === undefined) return 0;
  // User, nice, system, idle, waiting for disks, interrupts (two), stolen by the host.
  const fields = /^cpu +(.*)$/m.exec(readFileSync(file, "latin1"))?.[1]?.split(" ").map(Number) ?? [];
  const [user = 0, nice = 0, system = 0, , , hard = 0, soft = 0, stolen = 0] = fields;
  return (user + nice + system + hard + soft + stolen) / 100;
}

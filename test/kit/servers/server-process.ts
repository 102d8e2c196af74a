/** A PostgreSQL server's processes on this machine, as `/proc` shows them: killed as a crash kills them, and frozen. */
import { readdirSync, readFileSync } from "node:fs";
import { eventually } from "../wait.ts";

/** SIGKILL to the server and all of its processes; resolves when none of them is alive. */
export async function killWithChildren(pid: number): Promise<void> {
  // Stopped first, so that it starts no other process meanwhile.
  signal(pid, "SIGSTOP");
  const pids = [pid, ...childrenOf(pid)];
  for (const each of pids) signal(each, "SIGKILL");
  await eventually("the server's processes to end", () => pids.every((each) => !isAlive(each)));
}

/** SIGSTOP to all of them: connections stay open, and nothing is answered. */
export function freeze(pid: number): void {
  signal(pid, "SIGSTOP");
  for (const each of childrenOf(pid)) signal(each, "SIGSTOP");
}

export function thaw(pid: number): void {
  for (const each of [...childrenOf(pid), pid]) signal(each, "SIGCONT");
}

function signal(pid: number, name: "SIGKILL" | "SIGSTOP" | "SIGCONT"): void {
  try {
    process.kill(pid, name);
  } catch {
    // It has ended meanwhile.
  }
}

function childrenOf(parent: number): number[] {
  const pids = readdirSync("/proc").filter((name) => /^\d+$/.test(name));
  return pids.filter((pid) => readStatus(pid, "PPid") === String(parent)).map(Number);
}

/** One that has ended and that its parent has not asked about is no more than a name. */
function isAlive(pid: number): boolean {
  const state = readStatus(String(pid), "State");
  return state !== null && !state.startsWith("Z");
}

function readStatus(pid: string, line: "PPid" | "State"): string | null {
  try {
    return new RegExp(`^${line}:\\s+(.*)$`, "m").exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1] ?? null;
  } catch {
    // It has ended meanwhile.
    return null;
  }
}

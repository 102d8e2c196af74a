/**
 * A server's processes, on this machine: a worker's or the coordinator's, killed as a crash kills them, and started
 * again as they were. Only for a Citus on loopback whose processes `/proc` shows; others are left alone.
 */
import { spawn } from "node:child_process";
import { existsSync, readFileSync, readdirSync, readlinkSync, statSync } from "node:fs";
import pg from "pg";
import { eventually } from "../../test/kit/wait.ts";

export interface ServerProcess {
  readonly pid: number;
  /** SIGKILL to the server and all of its processes. */
  kill(): Promise<void>;
  /** SIGSTOP to all of them: connections stay open, and nothing is answered. */
  freeze(): void;
  thaw(): void;
  /** Resolves when it takes connections again. */
  start(): Promise<void>;
}

const BACK_MS_MAX = 60_000;

/** `url`: of a database there, as a superuser. `null`: its processes are not on this machine. */
export async function findServerProcess(url: string): Promise<ServerProcess | null> {
  const folder = await ask(url, "select current_setting('data_directory') as value");
  const pid = Number((await ask(url, "select pg_read_file('postmaster.pid') as value")).split("\n")[0]);
  if (!existsSync(`/proc/${pid}/exe`) || !existsSync(folder)) return null;
  const program = readlinkSync(`/proc/${pid}/exe`);
  const [, ...args] = readFileSync(`/proc/${pid}/cmdline`, "utf8").split("\0").slice(0, -1);
  const { uid, gid } = statSync(folder);
  return {
    pid,
    async kill() {
      const pids = [pid, ...childrenOf(pid)];
      for (const each of pids) signal(each, "SIGKILL");
      await eventually("the server's processes to end", () => pids.every((each) => !isAlive(each)), BACK_MS_MAX);
    },
    freeze() {
      // The server first, so that it starts no other process meanwhile.
      for (const each of [pid, ...childrenOf(pid)]) signal(each, "SIGSTOP");
    },
    thaw() {
      for (const each of [...childrenOf(pid), pid]) signal(each, "SIGCONT");
    },
    async start() {
      const server = spawn(program, args, { uid, gid, cwd: folder, stdio: "ignore", detached: true });
      server.unref();
      const isBack = () =>
        ask(url, "select 1 as value").then(
          () => true,
          () => false,
        );
      await eventually("the server to take connections", isBack, BACK_MS_MAX);
    },
  };
}

function signal(pid: number, name: "SIGKILL" | "SIGSTOP" | "SIGCONT"): void {
  try {
    process.kill(pid, name);
  } catch {
    // It has ended meanwhile.
  }
}

async function ask(url: string, sql: string): Promise<string> {
  const client = new pg.Client({ connectionString: url });
  client.on("error", () => {});
  try {
    await client.connect();
    return String((await client.query<{ value: unknown }>(sql)).rows[0]?.value);
  } finally {
    await client.end();
  }
}

function childrenOf(parent: number): number[] {
  return readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name) && parentOf(name) === parent)
    .map(Number);
}

function parentOf(pid: string): number | null {
  try {
    return Number(/^PPid:\s+(\d+)$/m.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1]);
  } catch {
    // It has ended meanwhile.
    return null;
  }
}

/** A process that has ended and that its parent has not asked about is no more than a name. */
function isAlive(pid: number): boolean {
  try {
    return !/^State:\s+Z/m.test(readFileSync(`/proc/${pid}/status`, "utf8"));
  } catch {
    return false;
  }
}

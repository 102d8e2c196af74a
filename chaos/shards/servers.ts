/** Servers that can be lost; those of a Citus on this machine die as a crash kills them, and start as they were. */
import { spawn } from "node:child_process";
import { existsSync, readFileSync, readlinkSync, statSync } from "node:fs";
import pg from "pg";
import { freeze, killWithChildren, thaw } from "../../test/kit/servers/server-process.ts";
import { eventually } from "../../test/kit/wait.ts";
import type { Cluster } from "../../test/kit/servers/postgres.ts";

export type Server = Pick<Cluster, "kill" | "freeze" | "thaw"> & { start(): Promise<void> };

/** `coordinator`: of a database there, as a superuser. The coordinator comes first. */
export async function findCitusServers(coordinator: string): Promise<[Server, ...Server[]]> {
  const [workers = ""] = await ask(coordinator, LIST_WORKERS);
  const urls = workers.split(" ").filter((worker) => worker !== "");
  const others = await Promise.all(urls.map((worker) => findServer(toUrl(coordinator, worker))));
  return [await findServer(coordinator), ...others];
}

const LIST_WORKERS = `
  select coalesce(string_agg(node_name || ':' || node_port, ' '), '')
  from citus_get_active_worker_nodes()`;

function toUrl(coordinator: string, worker: string): string {
  const url = new URL(coordinator);
  url.host = worker;
  return url.href;
}

/** Each life of a server has processes of its own, so it is found again when it is to die. */
async function findServer(url: string): Promise<Server> {
  const [folder = ""] = await ask(url, "select current_setting('data_directory')");
  const pid = (): number => Number(readFileSync(`${folder}/postmaster.pid`, "utf8").split("\n")[0]);
  if (!existsSync(folder) || !existsSync(`/proc/${pid()}/exe`)) {
    throw new Error(`the processes of ${folder} are not on this machine`);
  }
  const program = readlinkSync(`/proc/${pid()}/exe`);
  const [, ...args] = readFileSync(`/proc/${pid()}/cmdline`, "utf8").split("\0").slice(0, -1);
  const { uid, gid } = statSync(folder);
  const isBack = (): Promise<boolean> =>
    ask(url, "select 1").then(
      () => true,
      () => false,
    );
  return {
    kill: () => killWithChildren(pid()),
    freeze: () => freeze(pid()),
    thaw: () => thaw(pid()),
    async start() {
      spawn(program, args, { uid, gid, cwd: folder, stdio: "ignore", detached: true }).unref();
      await eventually("the server to take connections", isBack);
    },
  };
}

/** The first row's values, as text. */
async function ask(url: string, sql: string): Promise<string[]> {
  const client = new pg.Client({ connectionString: url });
  client.on("error", () => {});
  try {
    await client.connect();
    const { rows } = await client.query<unknown[]>({ text: sql, rowMode: "array" });
    return (rows[0] ?? []).map(String);
  } finally {
    await client.end().catch(() => {});
  }
}

/**
 * A real PgBouncer in transaction mode between a test and its cluster, as operators run it: from the package of the
 * system, since npm has none. It has few sessions of the server, so that the transactions of a store really take turns
 * on them. It lives in a temporary folder, is reached by a socket in it, and ends with the test's process however that
 * ends, as the cluster does (see `postgres.ts`).
 */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { chownSync, existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { installForBuild } from "../process/debian-packages.ts";
import { untilReady } from "./postgres.ts";

export interface PgBouncerOptions {
  /** An address of the cluster, of any database. */
  readonly clusterUrl: string;
  /** Lines of its section `[pgbouncer]`, such as `ignore_startup_parameters = options`. */
  readonly settings?: readonly string[];
}

export interface PgBouncer extends AsyncDisposable {
  /** The way through it to the database of the cluster's that an address names. */
  through(clusterUrl: string): string;
}

/** Far fewer than the connections that one node opens. */
export const SESSIONS_MAX = 5;

/** The number in the socket's name; nothing listens on a port of this number. */
const PORT = 6432;

/** As in `postgres.ts`: PgBouncer refuses to run as root too. */
const NOBODY = 65_534;

/** `false` where there is one, or else what a skipped test says. */
export const NO_PGBOUNCER: string | false =
  (programPath() ?? installedNow()) === null &&
  "there is no pgbouncer on this machine: apt-get install pgbouncer (as root with CI=true the tests do it themselves)";

export async function startPgBouncer({ clusterUrl, settings = [] }: PgBouncerOptions): Promise<PgBouncer> {
  const program = programPath();
  if (program === null || NO_PGBOUNCER !== false) throw new Error(String(NO_PGBOUNCER));
  const folder = mkdtempSync(join(tmpdir(), "bellwire-pgb-"));
  process.once("exit", () => rmSync(folder, { recursive: true, force: true }));
  const runAs = process.getuid?.() === 0 ? { uid: NOBODY, gid: NOBODY } : {};
  if ("uid" in runAs) chownSync(folder, NOBODY, NOBODY);
  const file = join(folder, "pgbouncer.ini");
  writeFileSync(file, configuration(clusterUrl, folder, settings));
  // Its log is not read: what it refuses, the client is told.
  const shell = ["-c", WATCH, "watch", program, file, folder];
  const watcher = spawn("/bin/sh", shell, { ...runAs, cwd: folder, stdio: ["pipe", "ignore", "ignore"] });
  watcher.unref();
  const through = (url: string): string => throughSocket(url, folder);
  await untilReady(through(clusterUrl), watcher);
  return {
    through,
    async [Symbol.asyncDispose]() {
      if (watcher.exitCode !== null) return;
      watcher.ref();
      const ended = once(watcher, "exit");
      watcher.stdin?.end();
      await ended;
    },
  };
}

function configuration(clusterUrl: string, folder: string, settings: readonly string[]): string {
  const { searchParams } = new URL(clusterUrl);
  return [
    "[databases]",
    `* = host=${searchParams.get("host")} user=${searchParams.get("user")}`,
    "[pgbouncer]",
    "pool_mode = transaction",
    `default_pool_size = ${SESSIONS_MAX}`,
    "max_client_conn = 500",
    "auth_type = any",
    "listen_addr =",
    `listen_port = ${PORT}`,
    `unix_socket_dir = ${folder}`,
    // It waits 15 s by itself before it tries a server again that refused it.
    "server_login_retry = 1",
    ...settings,
    "",
  ].join("\n");
}

function throughSocket(clusterUrl: string, folder: string): string {
  const url = new URL(clusterUrl);
  url.searchParams.set("host", folder);
  url.searchParams.set("port", String(PORT));
  return url.href;
}

/** Ends it at once, and removes the folder, when our end of the pipe is closed: by us, or by the end of the test. */
const WATCH = `
  trap "" TERM INT HUP
  "$1" -q "$2" <&- & pooler=$!
  read -r end
  kill -TERM "$pooler"; wait "$pooler"; rm -rf "$3"`;

/** Debian keeps it where only root's path leads. */
function programPath(): string | null {
  const folders = [...(process.env["PATH"] ?? "").split(delimiter), "/usr/sbin", "/usr/local/sbin"];
  return folders.map((folder) => join(folder, "pgbouncer")).find((path) => existsSync(path)) ?? null;
}

function installedNow(): string | null {
  installForBuild(["pgbouncer"]);
  return programPath();
}

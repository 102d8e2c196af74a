/** A look at a Citus for the doctor: which worker has what, and which one is away. */
import type { Connection } from "../connection/connection.ts";
import { listTablesLeft } from "./distribute.ts";
import { listShards, listWorkers, loadCitusVersion } from "./shards.ts";

export interface CitusInspection {
  /** Such as "13.2-1". */
  readonly version: string;
  readonly workers: readonly InspectedWorker[];
  /** Tables with a bucket that lie on the coordinator. */
  readonly tablesLeft: readonly string[];
}

export interface InspectedWorker {
  /** Such as `db-2:5432`. */
  readonly name: string;
  /** The coordinator reaches it. */
  readonly isReached: boolean;
  readonly shards: number;
}

/** `null`: the database has no Citus. */
export async function inspectCitus(db: Connection): Promise<CitusInspection | null> {
  const version = await loadCitusVersion(db);
  if (version === null) return null;
  const shards = Map.groupBy(await listShards(db), ({ worker }) => worker);
  const reached = new Set((await db.all<{ name: string }>(LIST_REACHED)).map(({ name }) => name));
  const workers = (await listWorkers(db)).map(({ name }) => ({
    name,
    isReached: reached.has(name),
    shards: shards.get(name)?.length ?? 0,
  }));
  return { version, workers, tablesLeft: (await listTablesLeft(db)).map(({ name }) => name) };
}

const LIST_REACHED = `-- name: list workers that are reached
  select nodename || ':' || nodeport as name
  from run_command_on_workers('values (1)')
  where success`;

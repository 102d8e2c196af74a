/** Whether a database can be distributed now. What it lacks is told in a sentence, before anything is changed. */
import { StoreUnusable } from "../../contract/store.ts";
import type { Connection } from "../connection/connection.ts";
import { loadVersion } from "../schema/migrate.ts";
import { NEWEST_VERSION } from "../schema/migrations.ts";
import { listWorkers, loadCitusVersion, type Worker } from "./shards.ts";

/** A node on a database with Citus names its sessions so: it keeps each transaction within one shard. */
export const ON_CITUS = "bellwire node on citus";
/** The command itself is no node. */
export const DISTRIBUTING = "bellwire distribute";

/** Online distribution of partitioned tables was tried from this one on. */
const CITUS_MIN = 13;

export interface Ready {
  readonly version: string;
  readonly workers: readonly Worker[];
}

export interface Wanted {
  readonly place: string;
  /** While traffic goes on. */
  readonly isOnline: boolean;
}

/** Throws `StoreUnusable`. */
export async function assertIsReady(db: Connection, { place, isOnline }: Wanted): Promise<Ready> {
  const version = await loadCitusVersion(db);
  if (version === null) throw new StoreUnusable(`${place} has no Citus. ${HOW_TO_GET_IT}`);
  if (Number.parseInt(version, 10) < CITUS_MIN) {
    throw new StoreUnusable(`${place} has Citus ${version}; ${CITUS_MIN}.0 or newer is needed`);
  }
  await assertSchemaIsNew(db, place);
  const workers = (await listWorkers(db)).filter(({ takesShards }) => takesShards);
  if (workers.length === 0) {
    throw new StoreUnusable(
      `${place} has no workers. Add each: select citus_add_node('host', 5432). If this is itself a worker, name the ` +
        "coordinator in BELLWIRE_DATABASE",
    );
  }
  await assertNodesKnow(db);
  if (isOnline) await assertLogicalDecoding(db, place);
  return { version, workers };
}

const HOW_TO_GET_IT =
  "On the coordinator and on each worker put citus into shared_preload_libraries, restart PostgreSQL, and in this " +
  "database run: create extension citus. Then add the workers on the coordinator, restart Bellwire's nodes, and run " +
  "this again";

async function assertSchemaIsNew(db: Connection, place: string): Promise<void> {
  const version = await loadVersion(db, place);
  if (version === NEWEST_VERSION) return;
  const what =
    version === 0 ? "no tables of Bellwire yet" : `schema version ${version}, this Bellwire ${NEWEST_VERSION}`;
  throw new StoreUnusable(`${place} has ${what}: start a node of this version on it once, then run this again`);
}

/** A node that started before Citus was there takes all buckets to be on one server: each of its locks would fail. */
async function assertNodesKnow(db: Connection): Promise<void> {
  const sessions = (await db.get<{ count: number }>(COUNT_OTHER_SESSIONS, [ON_CITUS, DISTRIBUTING]))?.count ?? 0;
  if (sessions === 0) return;
  throw new StoreUnusable(
    `Nodes run here that started before Citus was in this database, or are of an older Bellwire (${sessions} ` +
      "of their sessions are open). Restart each with this version, then run this again; nothing was changed",
  );
}

async function assertLogicalDecoding(db: Connection, place: string): Promise<void> {
  const settings = await db.get<{ walLevel: string; plugins: string | null }>(LOAD_DECODING);
  const either = "or stop the nodes and run this with --blocking";
  if (settings?.walLevel !== "logical") {
    throw new StoreUnusable(
      `${place} cannot be distributed while traffic goes on: wal_level is ${settings?.walLevel}. On the coordinator, ` +
        `the workers set wal_level = logical and restart PostgreSQL, ${either}`,
    );
  }
  const plugins = settings.plugins?.split(/\s*,\s*/) ?? null;
  if (plugins === null || plugins.includes("citus")) return;
  throw new StoreUnusable(
    `${place} cannot be distributed while traffic goes on: output_plugin_libraries is "${settings.plugins}". On the ` +
      `coordinator and the workers set it to 'citus, pgoutput' and reload PostgreSQL, ${either}`,
  );
}

/** Sessions of Bellwire in this database; those of other programs are no concern of ours. */
const COUNT_OTHER_SESSIONS = `-- name: count sessions of unknowing nodes
  select count(1)::integer as count
  from pg_stat_activity
  where datname = current_database() and application_name like 'bellwire%' and application_name <> all ($1::text[])`;

/** PostgreSQL's minor releases from the end of 2026 on name the plugins that may be used. */
const LOAD_DECODING = `-- name: load settings of logical decoding
  select current_setting('wal_level') as "walLevel", current_setting('output_plugin_libraries', true) as plugins`;

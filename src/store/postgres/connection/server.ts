/** The PostgreSQL server: what the store needs of it, and what an operator should know. */
import type pg from "pg";
import { StoreUnavailable, StoreUnusable } from "../../contract/store.ts";
import type { Pooler } from "./connections.ts";
import { POOLER_ADVICE } from "./opening-error.ts";

export interface Server {
  /** Such as "18.1". */
  readonly version: string;
  /** Such as 180001. */
  readonly versionNumber: number;
  readonly encoding: string;
  /** A commit is on disk when it is answered, by the defaults of this database and user. */
  readonly syncsCommits: boolean;
  /** False: the operator has turned off what brings data through a crash. */
  readonly survivesCrashes: boolean;
  /** A standby: it takes no writes. */
  readonly isStandby: boolean;
  /** The session stands in our schema, as we asked for when we opened it. */
  readonly takesSettings: boolean;
  /** The whole server's, for all clients. */
  readonly connectionsMax: number;
}

/** The oldest release that PostgreSQL's own community still mends. */
const VERSION_MIN = 14;

export async function loadServer(client: pg.Client): Promise<Server> {
  const { rows } = await client.query<Server>(LOAD_SERVER);
  const [server] = rows;
  if (server === undefined) throw new StoreUnusable("the database says nothing about its server");
  return server;
}

/** Throws `StoreUnusable` for what could lose or garble data, and for what the store's SQL does not run on. */
export function assertServerIsUsable(server: Server, place: string, pooler: Pooler): void {
  const { version, versionNumber, encoding, takesSettings } = server;
  if (versionNumber < VERSION_MIN * 10_000) {
    throw new StoreUnusable(`${place} is PostgreSQL ${version}; ${VERSION_MIN} or newer is needed`);
  }
  if (encoding !== "UTF8") {
    throw new StoreUnusable(`${place} is encoded in ${encoding}; make one with: create database … encoding 'UTF8'`);
  }
  // PgBouncer's `ignore_startup_parameters`: our settings are dropped without a word.
  if (pooler === "none" && !takesSettings) {
    const why = "a pooler stands in front of it and drops the settings of our sessions";
    throw new StoreUnusable(`${place} cannot be used: ${why}; ${POOLER_ADVICE}`);
  }
}

/** Throws `StoreUnavailable` for what waiting may mend: it becomes the primary, or the address leads to another. */
export function assertServerTakesWrites({ isStandby }: Server, place: string): void {
  if (isStandby) throw new StoreUnavailable(`${place} is a standby and takes no writes now`);
}

const LOAD_SERVER = `-- name: load settings of server
  select current_setting('server_version') as "version",
    current_setting('server_version_num')::integer as "versionNumber",
    current_setting('server_encoding') as "encoding",
    current_setting('synchronous_commit') not in ('off', 'local') as "syncsCommits",
    current_setting('fsync')::boolean and current_setting('full_page_writes')::boolean as "survivesCrashes",
    pg_is_in_recovery() as "isStandby", current_setting('search_path') = 'bellwire' as "takesSettings",
    current_setting('max_connections')::integer as "connectionsMax"`;

/**
 * The node's connections. Every transaction is short, and everything about it has a time limit, on the server as well
 * as here: a node that is cut off finds out by itself, and one that hangs holds no lock for long.
 *
 * Connections that break are dropped and opened again when they are needed; until the server is back every call rejects
 * with `StoreUnavailable`, and then everything goes on without anybody's help.
 */
import pg from "pg";
import { secondsMs } from "../../../lib/duration.ts";
import { toPgAddress } from "./address.ts";
import type { Beginning } from "./connection.ts";
import { openingError, type Pooler } from "./server.ts";
import {
  beginSql,
  IDLE_IN_TRANSACTION_MS_MAX,
  LOCK_MS_MAX,
  PLAN_ANEW,
  startUpOptions,
} from "./transaction-settings.ts";

export interface PoolSize {
  readonly connectionsMax: number;
  /** The longest that one statement may take. */
  readonly statementMsMax: number;
  /** Sessions keep the plans of statements, for transactions that begin by `pathSql`. */
  readonly keepsPlans?: boolean;
}

/** Commits of accepts and settlements, a claim, and what people wait for. */
export const PATH_POOL: PoolSize = { connectionsMax: 8, statementMsMax: secondsMs(10), keepsPlans: true };

/** Accepts and settlements where a worker of a Citus has the shard: Citus plans a statement for its values only. */
export const CITUS_POOL: PoolSize = { ...PATH_POOL, keepsPlans: false };

/** Housekeeping, lists and counts. */
export const SIDE_POOL: PoolSize = { connectionsMax: 4, statementMsMax: secondsMs(60) };

/** Where there are several shards: whether this one is there. One that hangs is found out by this time. */
export const PROBE_POOL: PoolSize = { connectionsMax: 1, statementMsMax: secondsMs(2) };

/**
 * The connections that one node can have open to a shard: besides these one session that listens (see `hints.ts`).
 * Where there are several shards, each has the probe's beside them.
 */
export const NODE_CONNECTIONS_MAX = PATH_POOL.connectionsMax + SIDE_POOL.connectionsMax + 1;

const CONNECT_MS_MAX = secondsMs(5);
/** The server is given the time to say so itself. */
const ANSWER_MARGIN_MS = secondsMs(2);
/** An idle connection costs the server memory; opening one costs 5 ms. */
const IDLE_MS_MAX = secondsMs(60);
const KEEP_ALIVE_AFTER_MS = secondsMs(10);

/** The schema of the shard that `BELLWIRE_DATABASE` names. */
export const HOME_SCHEMA = "bellwire";

export interface ConnectionOptions {
  /** `postgres://…` */
  readonly url: string;
  /**
   * The same for a session that is opened now: a role's name, password and certificates change while nodes live.
   * Another place is not followed, because a node belongs to the database that it was started on.
   */
  readonly urlNow?: () => string;
  readonly pooler: Pooler;
  /** Asks for a commit to be on disk before it is answered, where the server's own default is not to. */
  readonly forcesSync: boolean;
  /** Lets the server pack large values by lz4, which it must be built with. */
  readonly packsByLz4?: boolean;
  /** Its sessions have it, as the server shows them. */
  readonly name?: string;
  /** Of the shard; `bellwire` unless given. */
  readonly schema?: string;
}

export function openPool(options: ConnectionOptions, size: PoolSize): pg.Pool {
  const { connectionsMax, statementMsMax } = size;
  const session = {
    // Sound behind PgBouncer too: it lends a session until the transaction's end, and nothing of ours goes out behind
    // a `commit` before it is answered (tried with 1.18: 6,000 transactions of 30 clients on 5 sessions).
    pipeline: true,
    query_timeout: statementMsMax + ANSWER_MARGIN_MS,
    ...(options.pooler === "none" ? timeLimits(statementMsMax) : {}),
  };
  const pool = new pg.Pool({
    max: connectionsMax,
    idleTimeoutMillis: IDLE_MS_MAX,
    connectionTimeoutMillis: CONNECT_MS_MAX,
    // pg makes its sessions with `new`, which gives back what the function does.
    Client: function openAnew() {
      return newSession(options, session, size);
    } as unknown as typeof pg.Client,
  });
  // A connection that breaks is dropped: its user hears of it by its query.
  pool.on("error", () => {});
  pool.on("connect", (client) => client.on("error", () => {}));
  return pool;
}

/** Connections that are not in use. The next call opens another, wherever the address leads by then. */
export function dropIdle(pool: pg.Pool): void {
  for (let left = pool.idleCount; left > 0; left -= 1) {
    pool.connect().then(
      (client) => client.release(true),
      () => {},
    );
  }
}

const timeLimits = (statementMsMax: number): pg.ClientConfig => ({
  statement_timeout: statementMsMax,
  lock_timeout: LOCK_MS_MAX,
  idle_in_transaction_session_timeout: IDLE_IN_TRANSACTION_MS_MAX,
});

/** How transactions on these connections begin; `null`: without limits of time, as a migration does. */
export function toBeginning(
  { pooler, forcesSync, packsByLz4 = false, schema = HOME_SCHEMA }: ConnectionOptions,
  size: PoolSize | null,
): Beginning {
  if (pooler === "none") {
    const anew = size?.keepsPlans === true ? `; ${PLAN_ANEW}` : "";
    return { sql: `begin${anew}`, readSql: `begin read only${anew}`, pathSql: "begin", keepsStatements: true };
  }
  const statementMsMax = size?.statementMsMax ?? null;
  const sql = beginSql({ schema, forcesSync, packsByLz4, statementMsMax });
  const readSql = beginSql({ schema, forcesSync, packsByLz4, statementMsMax, isReadOnly: true });
  return { sql, readSql, pathSql: sql, keepsStatements: false };
}

/**
 * A session that is not connected yet. Without `size` it has no limits of time, for migrations. Throws when a file that
 * its address names cannot be read and never could.
 */
export function newSession(
  options: ConnectionOptions,
  more: pg.ClientConfig = {},
  size: Partial<PoolSize> = {},
): pg.Client {
  const config = { ...clientConfig(options, size), ...more };
  try {
    // pg reads the files of certificates now.
    const client = new pg.Client({ ...config, connectionString: toPgAddress(findUrl(options)) });
    const { host, port, database, user, password, ssl } = client;
    LAST_READ.set(options, { host, port, database, user, password, ssl });
    return client;
  } catch (error) {
    // A file that is being replaced is not there for a moment.
    const last = LAST_READ.get(options);
    if (last === undefined) throw openingError(describeUrl(options.url), error);
    return new pg.Client({ ...config, ...last });
  }
}

const LAST_READ = new WeakMap<ConnectionOptions, pg.ClientConfig>();

function findUrl({ url, urlNow = () => url }: ConnectionOptions): string {
  const now = urlNow();
  return now === url || toPlace(now) === toPlace(url) ? now : url;
}

const toPlace = (url: string): string => {
  const { host, port, database } = readPlace(url);
  return JSON.stringify([host, port, database]);
};

/** Without the files of certificates, which pg would read. */
function readPlace(text: string): pg.Client {
  const url = new URL(text);
  for (const name of ["sslmode", "sslcert", "sslkey", "sslrootcert", "sslnegotiation"]) url.searchParams.delete(name);
  return new pg.Client({ connectionString: toPgAddress(url.href) });
}

function clientConfig(
  { pooler, forcesSync, packsByLz4 = false, name = "bellwire node", schema = HOME_SCHEMA }: ConnectionOptions,
  { keepsPlans = false }: Partial<PoolSize>,
): pg.ClientConfig {
  return {
    fallback_application_name: name,
    connectionTimeoutMillis: CONNECT_MS_MAX,
    keepAlive: true,
    keepAliveInitialDelayMillis: KEEP_ALIVE_AFTER_MS,
    ...(pooler === "none" ? { options: startUpOptions({ schema, forcesSync, packsByLz4, keepsPlans }) } : {}),
    types: { getTypeParser: findParser },
  };
}

const OID_BIGINT = 20;

/** Our whole numbers are instants and counts, far below 2^53. */
const findParser: typeof pg.types.getTypeParser = (oid, format) =>
  (oid as number) === OID_BIGINT ? Number : (pg.types.getTypeParser(oid, format) as (text: string) => unknown);

/** Where the database is, for messages: never with the password. */
export function describeUrl(url: string): string {
  const { user, host, port, database } = readPlace(url);
  const at = host.startsWith("/") ? host : `${host}:${port}`;
  return `the database ${database ?? ""} of ${user ?? ""} at ${at}`;
}

/**
 * The node's connections. Every transaction is short, and everything about it has a time limit, on the server as well
 * as here: a node that is cut off finds out by itself, and one that hangs holds no lock for long.
 *
 * Connections that break are dropped and opened again when they are needed; until the server is back every call rejects
 * with `StoreUnavailable`, and then everything goes on without anybody's help.
 */
import pg from "pg";
import { secondsMs } from "../../lib/duration.ts";

export interface PoolSize {
  readonly connectionsMax: number;
  /** The longest that one statement may take. */
  readonly statementMsMax: number;
}

/** Commits of accepts and settlements, a claim, and what people wait for. */
export const PATH_POOL: PoolSize = { connectionsMax: 8, statementMsMax: secondsMs(10) };

/** Housekeeping, lists and counts. */
export const SIDE_POOL: PoolSize = { connectionsMax: 4, statementMsMax: secondsMs(60) };

/** What one node can have open: besides these one session that listens (see `hints.ts`). */
export const NODE_CONNECTIONS_MAX = PATH_POOL.connectionsMax + SIDE_POOL.connectionsMax + 1;

/** Longer than any other transaction of ours should take, shorter than a claim. */
const LOCK_MS_MAX = secondsMs(5);
const IDLE_IN_TRANSACTION_MS_MAX = secondsMs(10);
const CONNECT_MS_MAX = secondsMs(5);
/** The server is given the time to say so itself. */
const ANSWER_MARGIN_MS = secondsMs(2);
/** An idle connection costs the server memory; opening one costs 5 ms. */
const IDLE_MS_MAX = secondsMs(60);
const KEEP_ALIVE_AFTER_MS = secondsMs(10);

export interface ConnectionOptions {
  /** `postgres://…` */
  readonly url: string;
  /** Asks for a commit to be on disk before it is answered, where the server's own default is not to. */
  readonly forcesSync: boolean;
}

export function openPool(options: ConnectionOptions, { connectionsMax, statementMsMax }: PoolSize): pg.Pool {
  const pool = new pg.Pool({
    ...clientConfig(options),
    max: connectionsMax,
    pipeline: true,
    idleTimeoutMillis: IDLE_MS_MAX,
    statement_timeout: statementMsMax,
    query_timeout: statementMsMax + ANSWER_MARGIN_MS,
    lock_timeout: LOCK_MS_MAX,
    idle_in_transaction_session_timeout: IDLE_IN_TRANSACTION_MS_MAX,
  });
  // A connection that breaks is dropped: whoever was using it hears of it by its query, and nobody else needs to.
  pool.on("error", () => {});
  pool.on("connect", (client) => client.on("error", () => {}));
  return pool;
}

/** One without limits of time, for migrations. */
export function clientConfig({ url, forcesSync }: ConnectionOptions): pg.ClientConfig {
  return {
    connectionString: url,
    fallback_application_name: "bellwire",
    connectionTimeoutMillis: CONNECT_MS_MAX,
    keepAlive: true,
    keepAliveInitialDelayMillis: KEEP_ALIVE_AFTER_MS,
    options: [...SESSION, ...(forcesSync ? ["synchronous_commit=on"] : [])].map((one) => `-c ${one}`).join(" "),
    types: { getTypeParser: parserOf },
  };
}

/**
 * - Each statement is planned for the values it gets: a plan that was kept from when a table was empty would read all
 *   of it a minute later. Planning costs 0.1 ms a batch.
 * - The locks in the verbs are made for read committed.
 */
const SESSION = [
  "search_path=bellwire",
  "plan_cache_mode=force_custom_plan",
  "jit=off",
  String.raw`default_transaction_isolation=read\ committed`,
];

const OID_BIGINT = 20;

/** Our whole numbers are instants and counts, far below 2^53. */
const parserOf: typeof pg.types.getTypeParser = (oid, format) =>
  (oid as number) === OID_BIGINT ? Number : (pg.types.getTypeParser(oid, format) as (text: string) => unknown);

/** Where the database is, for messages: never with the password. */
export function describeUrl(url: string): string {
  const { user, host, port, database } = new pg.Client({ connectionString: url });
  const at = host.startsWith("/") ? host : `${host}:${port}`;
  return `the database ${database ?? ""} of ${user ?? ""} at ${at}`;
}

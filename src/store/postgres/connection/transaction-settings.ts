/**
 * Settings that our transactions run under, whatever the defaults of the server, the database and the user are.
 * Without a pooler, settings are sent once per session. Behind a pooler the next transaction may run on a session that
 * others have used and will use: there each sets it all for itself, in one message with its `begin`, and it ends with
 * the transaction. It adds no round trip, and costs 12 µs (measured with PostgreSQL 18 on a socket: 43 µs without,
 * 55 µs with it).
 */
import { secondsMs } from "../../../lib/duration.ts";

/** Longer than any other transaction of ours should take, shorter than a claim. */
export const LOCK_MS_MAX = secondsMs(5);
export const IDLE_IN_TRANSACTION_MS_MAX = secondsMs(10);

/** For every transaction: the shard's schema, so that no statement names one. */
const always = (schema: string) => ({ search_path: schema, jit: "off" });

/** Only where the server's own default is not to wait for the disk. */
const SYNCED = { synchronous_commit: "on" };

/**
 * Only where the server is built with it. It packs a body as small as the server's own default, by a third of the work:
 * a row with 256 KiB of records took the server 5.6 ms, and so 1.5; one with 4 KiB 0.30 and 0.21 (PostgreSQL 15).
 */
const PACKED = { default_toast_compression: "lz4" };

const limits = (statementMsMax: number) => ({
  statement_timeout: statementMsMax,
  lock_timeout: LOCK_MS_MAX,
  idle_in_transaction_session_timeout: IDLE_IN_TRANSACTION_MS_MAX,
});

/** A migration's: a default of the user or the database that ends statements early would keep a node from starting. */
const NO_LIMITS = { statement_timeout: 0, lock_timeout: 0, idle_in_transaction_session_timeout: 0 };

/**
 * - Each statement is planned for the values it gets: a plan that was kept from when a table was empty would read all
 *   of it a minute later, and one that is made for any values looks into every day. Statements without a name are
 *   planned so anyway. Only accepts and settlements keep their plans (`keepsPlans`): they read small tables by their
 *   keys and otherwise only add rows. Planning them cost 0.1 ms a statement.
 * - The locks in the verbs are made for read committed.
 */
const OF_SESSION = {
  // For a pool that has limits they stand beside these, and win.
  ...NO_LIMITS,
  plan_cache_mode: "force_custom_plan",
  default_transaction_isolation: String.raw`read\ committed`,
};

/** For the rest of a transaction on a session that keeps plans. */
export const PLAN_ANEW = "set local plan_cache_mode = force_custom_plan";

/**
 * For searches of the queue that read its first rows in its index's order. A queue that has grown since it was last
 * analysed, or never was, seems to hold little for each destination: reading all of that and sorting it looks cheaper.
 */
export const READ_IN_ORDER = "set local enable_bitmapscan = off";

const KEEPING_PLANS = { plan_cache_mode: "force_generic_plan" };

interface OfServer {
  readonly forcesSync: boolean;
  readonly packsByLz4?: boolean;
}

const ofServer = ({ forcesSync, packsByLz4 = false }: OfServer) => ({
  ...(forcesSync ? SYNCED : {}),
  ...(packsByLz4 ? PACKED : {}),
});

export interface SessionSettings extends OfServer {
  readonly schema: string;
  readonly keepsPlans: boolean;
}

/** For a session of our own: PostgreSQL's `options`, which it takes when the session is opened. */
export function startUpOptions({ schema, keepsPlans, ...server }: SessionSettings): string {
  const settings = {
    ...always(schema),
    ...OF_SESSION,
    ...ofServer(server),
    ...(keepsPlans ? KEEPING_PLANS : {}),
  };
  return Object.entries(settings)
    .map(([name, value]) => `-c ${name}=${value}`)
    .join(" ");
}

export interface BeginOptions extends OfServer {
  readonly schema: string;
  /** The longest that one statement may take; `null`: nothing has a limit of time. */
  readonly statementMsMax: number | null;
  readonly isReadOnly?: boolean;
}

/** For a session that is lent: `begin`, and what holds until the commit. */
export function beginSql({ schema, statementMsMax, isReadOnly = false, ...server }: BeginOptions): string {
  const settings = {
    ...always(schema),
    ...ofServer(server),
    ...(statementMsMax === null ? NO_LIMITS : limits(statementMsMax)),
  };
  const set = Object.entries(settings).map(([name, value]) => `set local ${name} = ${value}`);
  const begin = `begin isolation level read committed${isReadOnly ? " read only" : ""}`;
  return [begin, ...set].join("; ");
}

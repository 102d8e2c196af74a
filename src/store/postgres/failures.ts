/**
 * Errors of PostgreSQL and of the way to it, sorted: gone or overloaded (waiting may help), in each other's way
 * (running again helps), or a fault of ours. Messages carry the server's own short text and code, never values.
 */
import pg from "pg";
import { StoreUnavailable } from "../contract/store.ts";

/** These accounts, or some of them, are not in the shard that was asked: nothing was done there. */
export class AccountElsewhere extends StoreUnavailable {
  override name = "AccountElsewhere";
  readonly accountIds: readonly string[];

  constructor(accountIds: readonly string[]) {
    super("the account is not in this shard");
    this.accountIds = accountIds;
  }
}

/** These accounts are being moved, and the call did not wait: nothing was done. It waits apart (`apart.ts`). */
export class AccountsMoving extends StoreUnavailable {
  override name = "AccountsMoving";
  readonly accountIds: readonly string[];

  constructor(accountIds: readonly string[]) {
    super("the account is being moved to another shard");
    this.accountIds = accountIds;
  }
}

/** SQLSTATE classes that say the server cannot work now: postgresql.org/docs/current/errcodes-appendix.html. */
const STORAGE_CLASSES = new Set([
  "08", // connection
  "25", // transaction state: read-only after a failover, idle for too long
  "53", // resources: disk full, no memory, too many connections
  "57", // operator: shutting down, starting up, a statement's time is over
  "58", // system: input and output
  "XX", // damaged, or a fault of the server's own
]);
const STORAGE_CODES = new Set([
  "55P03", // a lock was not free in time
  "28000", // who we are is not accepted, maybe only until the operator has changed it everywhere
  "28P01",
  "3D000", // the database is not there
]);

/** Two transactions waited for each other; the one that is told so may simply run again. */
const COLLISION_CODES = new Set(["40001", "40P01"]);

/** Waiting at the start does not mend these; a service that runs already waits for the operator instead. */
const SETTING_CODES = new Set(["28000", "28P01", "3D000", "42501", "3F000"]);

const sqlState = (error: unknown): string | null =>
  error instanceof pg.DatabaseError && error.code !== undefined ? error.code : null;

export function isStorageFailure(error: unknown): boolean {
  const code = sqlState(error);
  if (code !== null) {
    return STORAGE_CLASSES.has(code.slice(0, 2)) || STORAGE_CODES.has(code) || COLLISION_CODES.has(code);
  }
  return isConnectionFailure(error);
}

/** A call failed of this because its server is gone, does not answer in time, or was never reached. */
export function meansAway(cause: unknown): boolean {
  const code = cause instanceof Error && "code" in cause ? String(cause.code) : "";
  return /^(?:08|57)[\dA-Z]{3}$/.test(code) || isConnectionFailure(cause);
}

/** The server is a standby, or read-only by its operator: our connections there are of no use. */
export const isReadOnly = (error: unknown): boolean => sqlState(error) === "25006";

/**
 * Tables of days cannot be made or dropped now: a lock was not free in time, the default partition holds rows of that
 * day already, we may not, somebody has made such a table by hand, or a worker that has its part of them is away.
 * Nothing depends on it today.
 */
export const isRefusedForNow = (error: unknown): boolean => REFUSAL_CODES.has(sqlState(error) ?? "");

const REFUSAL_CODES = new Set(["08006", "55P03", "57014", "40P01", "23514", "42501", "42P07", "42P17"]);

/** The statement itself is fine: one before it in its transaction has failed, or one that would have named it. */
export const isAftermath = (error: unknown): boolean => AFTERMATH_CODES.has(sqlState(error) ?? "");

const AFTERMATH_CODES = new Set(["25P02", "26000"]);

/** A lock was not to be had within `lock_timeout`. */
export const isLockedOut = (error: unknown): boolean => sqlState(error) === "55P03";

export const isCollision = (error: unknown): boolean => COLLISION_CODES.has(sqlState(error) ?? "");

/** An event's key was inserted as a new one and is known (see `repeats.ts`). */
export const isKnownKey = (error: unknown): boolean =>
  sqlState(error) === "23505" && error instanceof pg.DatabaseError && /^event_keys(?:_\d+)?$/.test(error.table ?? "");

/** At the start: name, password, database or rights are wrong, or the address leads nowhere. */
export function isMisconfigured(error: unknown): boolean {
  if (SETTING_CODES.has(sqlState(error) ?? "")) return true;
  return error instanceof Error && SETTING_MESSAGES.test(error.message);
}

/** Errors of TLS and passwords, without a code; and PgBouncer's, which has one code (08P01) for everything. */
const SETTING_MESSAGES =
  /\bSSL\b|certificate|^SASL|^(?:no such )?database .* does not exist|^no such (?:database|user)/;

/** PgBouncer and its like refuse what would set up a session: they lend each transaction another one. */
export const isRefusedByPooler = (error: unknown): boolean =>
  sqlState(error) === "08P01" && error instanceof Error && error.message.startsWith("unsupported startup parameter");

/**
 * Node's own codes, and pg's messages, which have none. Everything else without a SQLSTATE is a fault of ours, such as
 * an assertion.
 */
function isConnectionFailure(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  if ("code" in error && /^(?:E(?!RR_)[A-Z_]+|ERR_(?:TLS|SSL|SOCKET|STREAM|OSSL)_\w+)$/.test(String(error.code)))
    return true;
  return CONNECTION_MESSAGES.test(error.message);
}

const CONNECTION_MESSAGES = new RegExp(
  [
    "^Connection terminated",
    "^Client (?:has encountered a connection|was closed)",
    "[Tt]imeout",
    "^Cannot use a pool after",
    // A server that is going down, or whose operator is changing how it is reached, while we open a session.
    "^The server does not support SSL|establishing an SSL connection",
    "^SASL",
  ].join("|"),
);

/** Such as `no space left on device (PostgreSQL error 53100)`. */
export function describeFailure(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const code = sqlState(error);
  // Errors of class 22 quote the value that they are about.
  if (code?.startsWith("22") === true) return `a value does not fit its column (PostgreSQL error ${code})`;
  if (code !== null) return `${error.message} (PostgreSQL error ${code})`;
  // A host of several addresses that all refuse has an empty message around them.
  const nodeCode = "code" in error ? String(error.code) : "";
  return error.message === "" ? nodeCode || error.name : error.message;
}

/** The same error, or `StoreUnavailable` where it says that a server is gone or overloaded. */
export function toStoreError(error: unknown): unknown {
  if (error instanceof StoreUnavailable || !isStorageFailure(error)) return error;
  return new StoreUnavailable(describeFailure(error), { cause: toLoggedCause(error) });
}

/** `work`, rejecting by `toStoreError`. */
export const withStoreError = <Value>(work: Promise<Value>): Promise<Value> =>
  work.catch((error: unknown) => {
    throw toStoreError(error);
  });

/** For the log: the server's details quote whole rows, with bodies and URLs. */
export function toLoggedCause(error: unknown): unknown {
  if (!(error instanceof pg.DatabaseError)) return error;
  return Object.assign(new Error(describeFailure(error)), { code: error.code, routine: error.routine });
}

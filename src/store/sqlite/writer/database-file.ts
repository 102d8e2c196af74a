/**
 * Opens a database file for work: folder, lock, connection, schema, and the claims that a dead process left behind.
 *
 * Invariant: a process that gets the connection is the only Bellwire process on the file, and no claim in it is held.
 */
import { accessSync, closeSync, constants, openSync, realpathSync, statSync } from "node:fs";
import { dirname } from "node:path";
import { explainFileFault, faultCode } from "../../../lib/file-fault.ts";
import { StoreUnavailable, StoreUnusable } from "../../contract/store.ts";
import { releaseAllClaims } from "../path/claims.ts";
import { type Connection, openConnection } from "../connection/connection.ts";
import { describeFailure, isDamage, isForbidden, isFull } from "../failures.ts";
import { lockDatabase } from "../connection/lock.ts";
import { migrate } from "../schema/migrate.ts";
import { countPending } from "../path/statistics.ts";
import { commitAtOnce } from "../commit.ts";
import { recoverInMemory } from "../path/pending-rows.ts";
import { makeFolder } from "../../../lib/make-folder.ts";

/** SQLite 3.7.0 to 3.51.2 can damage a database with a write-ahead log: sqlite.org/wal.html#walresetbug. */
const SQLITE_VERSION_MIN = [3, 51, 3] as const;

export interface OpenDatabase {
  readonly nowMs: number;
}

export interface DatabaseFile extends Disposable {
  readonly db: Connection;
}

/** Throws `StoreUnusable` (waiting will not help) or `StoreUnavailable` (it may). */
export function openDatabaseFile({ path, ...how }: OpenDatabase & { readonly path: string }): DatabaseFile {
  try {
    return openFile(createPrivately(path), how);
  } catch (error) {
    throw openingError(path, error);
  }
}

/** A database that lives as long as its connection: the same schema and verbs, without a disk. */
export function openMemory({ nowMs }: OpenDatabase): DatabaseFile {
  const db = openConnection(":memory:");
  migrate(db, { place: "the database in memory", nowMs });
  return { db, [Symbol.dispose]: () => db.close() };
}

/** Refuses SQLite versions with the write-ahead log's corruption fault. */
export function assertSqliteIsSafe(version: string): void {
  const parts = version.split(".").map(Number);
  const differing = SQLITE_VERSION_MIN.findIndex((part, place) => part !== parts[place]);
  if (differing === -1 || (parts[differing] ?? 0) > (SQLITE_VERSION_MIN[differing] ?? 0)) return;
  const needed = SQLITE_VERSION_MIN.join(".");
  throw new StoreUnusable(
    `SQLite ${version} can damage databases; ${needed} or newer is needed: use Node 24.15 or newer`,
  );
}

function openFile(path: string, { nowMs }: OpenDatabase): DatabaseFile {
  using undo = new DisposableStack();
  undo.use(lockDatabase(path));
  const isLogLeft = (statSync(`${path}-wal`, { throwIfNoEntry: false })?.size ?? 0) > 0;
  const db = openConnection(path);
  undo.defer(() => db.close());
  // The process before may have erased a person, and could not cut off its log.
  db.cutsOffLog = isLogLeft;
  migrate(db, { place: path, nowMs });
  recover(db, nowMs);
  db.waiting = commitAtOnce(db, countPending);
  const held = undo.move();
  // Closing writes the log back and removes it, so that a copy of the one file is then a whole backup.
  return { db, [Symbol.dispose]: () => held.dispose() };
}

/** Takes up what the process before left: also its claims, because no other process may use the file. */
function recover(db: Connection, nowMs: number): void {
  commitAtOnce(db, (tx) => {
    recoverInMemory(tx, nowMs);
    releaseAllClaims(tx, { nowMs });
  });
}

/** As if the process had died and the next one had opened the database: for tests, which cannot kill their own. */
export function restart(db: Connection, nowMs: number): void {
  forgetMemory(db);
  recover(db, nowMs);
}

export function forgetMemory(db: Connection): void {
  db.inMemory.clear();
}

/**
 * Payloads are personal data: only the service's own user may read them. SQLite gives its log the file's mode. The real
 * path, because the same file under two names would get two locks.
 */
function createPrivately(path: string): string {
  makeFolder(dirname(path));
  const there = statSync(path, { throwIfNoEntry: false });
  // To open a pipe for writing would wait for its reader.
  if (there !== undefined && !there.isFile() && !there.isDirectory())
    throw new StoreUnusable(`${path} is no regular file; name one, or one to be made`);
  closeSync(openSync(path, "a", 0o600));
  return realpathSync(path);
}

function openingError(path: string, error: unknown): Error {
  if (error instanceof StoreUnusable) return error;
  const what = describeFailure(error);
  if (isDamage(error)) {
    return new StoreUnusable(`${path} is damaged or not an SQLite database: ${what}; restore it from a backup`, {
      cause: error,
    });
  }
  if (isForbidden(error)) {
    const refused = findRefused(path, error);
    const why = refused === null ? `${what}; check its folder and who may write there` : explainFileFault(...refused);
    return new StoreUnusable(`${path} cannot be opened for writing: ${why}`, { cause: error });
  }
  const advice = isFull(error) ? "; make room on its disk and start again" : "";
  return new StoreUnavailable(`${path} cannot be opened now: ${what}${advice}`, { cause: error });
}

/** The file that the system refuses, with its reason: SQLite says only that it cannot open something. */
function findRefused(path: string, error: unknown): readonly [string, unknown] | null {
  if (error instanceof Error && "syscall" in error) return ["path" in error ? String(error.path) : path, error];
  for (const each of [dirname(path), path, `${path}-wal`, `${path}-shm`]) {
    try {
      accessSync(each, constants.R_OK | constants.W_OK);
    } catch (refusal) {
      if (faultCode(refusal) !== "ENOENT") return [each, refusal];
    }
  }
  return null;
}

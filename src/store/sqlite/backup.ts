/**
 * A database file as a backup and back again. A backup is made beside a running service, from one snapshot, and looked
 * through before it counts as one. A restore needs the file's lock, so it never happens under a running service, and
 * what was there before is kept under another name.
 *
 * `vacuum into` and not SQLite's backup interface: that one starts again after each write, and under load there is
 * always one.
 */
import {
  accessSync,
  closeSync,
  constants,
  copyFileSync,
  existsSync,
  chmodSync,
  fsyncSync,
  lchownSync,
  linkSync,
  openSync,
  renameSync,
  rmSync,
  statSync,
} from "node:fs";
import { dirname } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { HELD_SETTING } from "../contract/installation.ts";
import type { Result } from "../../domain/problem.ts";
import { ok, refuse } from "../../lib/result.ts";
import { describeFailure } from "./failures.ts";
import { StoreUnusable } from "../contract/store.ts";
import { LOCK_SUFFIX, lockDatabase } from "./connection/lock.ts";
import { isOurs, judgeHistory } from "./schema/migrate.ts";
import { explainFileFault, faultCode } from "../../lib/file-fault.ts";
import { makeFolder } from "../../lib/make-folder.ts";
import { findOwner, openNewFile } from "../../lib/new-file.ts";

/** A service's commits are short. */
const BUSY_TIMEOUT_MS = 5_000;

export interface Backup {
  readonly bytes: number;
  readonly schemaVersion: number;
  readonly events: number;
  readonly pending: number;
}

export interface BackUp {
  /** A new file. */
  readonly to: string;
  readonly nowMs: number;
}

/**
 * Writes a copy of the database at `path`, which starts held; what it holds, or a sentence why there is none. It has
 * another name until it is whole.
 */
export function backUp(path: string, { to, nowMs }: BackUp): Result<Backup, string> {
  if (existsSync(to)) return refuse(`${to} is there already; name a new file`);
  try {
    using source = new DatabaseSync(path, { readOnly: true });
    using draft = beginDraft(to);
    if (draft.refusal !== null) return refuse(draft.refusal);
    // Its owner's alone from the first byte on: payloads are personal data.
    closeSync(openNewFile(draft.path, path));
    source.prepare(BACK_UP).run(draft.path);
    stampHeld(draft.path, `it is a copy, made by bellwire backup at ${timeOf(nowMs)}`);
    sync(draft.path);
    const backup = examined(draft.path);
    if (!backup.ok) return backup;
    if (existsSync(to)) return refuse(`${to} is there since; name a new file`);
    renameSync(draft.path, to);
    sync(dirname(to));
    return backup;
  } catch (error) {
    return refuse(`${to} cannot be written: ${describeAny(to, error)}`);
  }
}

interface Draft extends Disposable {
  readonly path: string;
  /** Why it may not be written. */
  readonly refusal: string | null;
}

/** The file `to` while it is written. Its lock tells it from what a killed process left, which is removed here. */
function beginDraft(to: string): Draft {
  const path = `${to}.part`;
  const refused = (refusal: string): Draft => ({ path, refusal, [Symbol.dispose]() {} });
  if (existsSync(path) && !existsSync(`${path}${LOCK_SUFFIX}`)) return refused(`${path} is in the way`);
  const lock = lockIfFree(path);
  if (lock === null) return refused(`another bellwire backup is writing ${path}`);
  removeDraft(path);
  return {
    path,
    refusal: null,
    [Symbol.dispose]() {
      removeDraft(path);
      rmSync(`${path}${LOCK_SUFFIX}`, { force: true });
      lock[Symbol.dispose]();
    },
  };
}

function lockIfFree(path: string): Disposable | null {
  try {
    return lockDatabase(path);
  } catch (error) {
    if (error instanceof StoreUnusable) return null;
    throw error;
  }
}

/** Removes what a backup of `to` that was killed has left; false: one that runs has it, or it is none of ours. */
export function removeUnfinished(to: string): boolean {
  using draft = beginDraft(to);
  return draft.refusal === null;
}

const timeOf = (nowMs: number): string => new Date(nowMs).toISOString();

/** One that is held already says why it was first. */
function stampHeld(path: string, why: string): void {
  using copy = new DatabaseSync(path);
  copy.prepare(HOLD).run(HELD_SETTING, why);
}

/** Also of a database that a service has. False: it was not held. */
export function endHold(path: string): Result<boolean, string> {
  try {
    using database = new DatabaseSync(path, { timeout: BUSY_TIMEOUT_MS });
    if (!isOurs(database.prepare("pragma application_id").get()?.["application_id"])) {
      return refuse(`${path} is no database of Bellwire`);
    }
    return ok(database.prepare(END_HOLD).run(HELD_SETTING).changes === 1);
  } catch (error) {
    return refuse(`${path} cannot be written: ${describeAny(path, error)}`);
  }
}

/** Why it is held; also of a database that a service has. `null`: it is not, or has nothing yet. */
export function findHold(path: string): string | null {
  using database = new DatabaseSync(path, { readOnly: true });
  if (database.prepare(FIND_SETTINGS).get() === undefined) return null;
  const why = database.prepare(FIND_HOLD).get(HELD_SETTING)?.["value"];
  return why === undefined ? null : String(why);
}

/** A backup's contents, or why it is none. It is read to its last page. */
export function examineBackup(from: string): Result<Backup, string> {
  try {
    accessSync(from, constants.R_OK);
    return examined(from);
  } catch (error) {
    if (faultCode(error) === "ENOENT") return refuse(`there is no file ${from}`);
    return refuse(`${from} cannot be read as a database: ${describeAny(from, error)}`);
  }
}

function examined(path: string): Result<Backup, string> {
  using database = new DatabaseSync(path, { readOnly: true });
  if (!isOurs(database.prepare("pragma application_id").get()?.["application_id"])) {
    return refuse(`${path} is no database of Bellwire`);
  }
  const faults = database.prepare("pragma integrity_check").all();
  const [first = "no answer"] = faults.map((row) => String(row["integrity_check"]));
  if (first !== "ok") return refuse(`${path} is damaged: ${first}`);
  const count = (sql: string): number => Number(database.prepare(sql).get()?.["count"] ?? 0);
  const all = <Row>(sql: string): Row[] => database.prepare(sql).all() as Row[];
  const { version: schemaVersion, refusal } = judgeHistory(all);
  if (refusal !== null) return refuse(`${path} ${refusal}`);
  const bytes = statSync(path).size;
  return ok({ bytes, schemaVersion, events: count(COUNT_EVENTS), pending: count(COUNT_WAITING) });
}

/**
 * Puts a good backup in the place of the database at `path`, held, whoever made it. `kept` is where the old one is now;
 * `null`: there was none. Throws `StoreUnusable` when a process has it.
 *
 * The log of the old file is moved before the new file takes its place: SQLite would write it into any database.
 */
export function restore(from: string, path: string, nowMs: number): Result<{ readonly kept: string | null }, string> {
  using stack = new DisposableStack();
  try {
    makeFolder(dirname(path));
    stack.use(lockDatabase(path));
  } catch (error) {
    if (error instanceof StoreUnusable) throw error;
    return refuse(`${path} cannot be made: ${describeAny(path, error)}`);
  }
  const kept = existsSync(path) ? `${path}.before-${timeOf(nowMs).replaceAll(/[:.]/g, "-")}` : null;
  const copy = `${path}.restoring`;
  const owner = findOwner(path);
  try {
    removeDraft(copy);
    copyFileSync(from, copy, constants.COPYFILE_EXCL);
    chmodSync(copy, 0o600);
    stampHeld(copy, `it is a copy, put there by bellwire restore at ${timeOf(nowMs)}`);
    if (owner !== null) lchownSync(copy, owner.uid, owner.gid);
    sync(copy);
    if (kept !== null) linkSync(path, kept);
    for (const log of ["-wal", "-shm"].filter((suffix) => existsSync(`${path}${suffix}`))) {
      renameSync(`${path}${log}`, `${kept ?? path}${log}`);
    }
    renameSync(copy, path);
    sync(dirname(path));
    return ok({ kept });
  } catch (error) {
    removeDraft(copy);
    return refuse(`${path} cannot be replaced: ${describeAny(path, error)}`);
  }
}

/** With the logs that a killed process left: SQLite would write them into the next file of this name. */
function removeDraft(path: string): void {
  for (const suffix of ["", "-journal", "-wal", "-shm"]) rmSync(`${path}${suffix}`, { force: true });
}

/** A fault of SQLite, or of the system for a file of this name. */
const describeAny = (path: string, error: unknown): string =>
  error instanceof Error && "errcode" in error ? describeFailure(error) : explainFileFault(path, error);

/** A file, or a folder after a change of its names. */
function sync(path: string): void {
  const file = openSync(path, "r");
  try {
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
}

const BACK_UP = `-- name: write a copy of the database
  vacuum into ?`;

const HOLD = `-- name: hold copy
  insert into settings (name, value)
  values (?, ?)
  on conflict (name) do nothing`;

const FIND_SETTINGS = `-- name: find table of settings
  select 1
  from sqlite_schema
  where name = 'settings'`;

const FIND_HOLD = `-- name: find out why database is held
  select value
  from settings
  where name = ?`;

const END_HOLD = `-- name: end hold of database
  delete from settings
  where name = ?`;

const COUNT_EVENTS = `-- name: count events of backup
  select count(*) as count
  from events`;

/** Also in-memory deliveries of the service, which only their events name. */
const COUNT_WAITING = `-- name: count pending deliveries of backup
  select (select count(*) from deliveries where state = 'pending') + count(*) as count
  from events e
  cross join json_each(e.deliveries) n
  where e.seq >= (select in_memory_from from low_water_marks) and octet_length(e.body) > 0
    and not exists (select 1 from deliveries d where d.id = n.key)`;

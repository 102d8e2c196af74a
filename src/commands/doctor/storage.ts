/**
 * The doctor's checks of this machine's storage: data folder and database file. It makes and migrates nothing: the
 * first start makes what is missing, and the next start migrates an older database.
 */
import { accessSync, constants, existsSync, statSync } from "node:fs";
import { platform } from "node:os";
import { resolve, sep } from "node:path";
import { DatabaseSync } from "node:sqlite";
import type { Config } from "../../config/options.ts";
import { daysMs } from "../../lib/duration.ts";
import { explainFileFault } from "../../lib/file-fault.ts";
import { assertNotMoving } from "../../store/move/marks.ts";
import { lockDatabase } from "../../store/sqlite/connection/lock.ts";
import { findHold } from "../../store/sqlite/backup.ts";
import { lastBackupMs } from "../../store/sqlite/last-backup.ts";
import { judgeHistory } from "../../store/sqlite/schema/migrate.ts";
import { NEWEST_VERSION } from "../../store/sqlite/schema/migrations.ts";
import { openSqliteStore } from "../../store/sqlite/open.ts";
import { StoreUnusable } from "../../store/contract/store.ts";
import { type DoctorContext, type Finding, bad, findingsOfHold, fine, warning } from "./finding.ts";
import { checkEncryptionKeyIfThere } from "./keys.ts";
import { IF_ELSEWHERE, asItsOwner, isClosedToUs } from "../installation.ts";
import { existingFolder } from "./machine.ts";
import { checkPostgres } from "./postgres.ts";

const OTHERS = 0o077;

export function checkDataFolder(config: Config): Finding[] {
  const { dataDir } = config;
  if (!usesDataFolder(config)) return [fine("The data folder is not used: database and keys are elsewhere.")];
  const folder = existingFolder(dataDir);
  const fault = folderFault(folder);
  if (fault !== null) {
    const text = `The data folder ${dataDir} cannot be used: ${fault}.`;
    const ifUsed = "If it is a running service's, change nothing, and run the doctor as that user, or as root.";
    return [bad(text, "Bellwire needs one that it may write to; BELLWIRE_DATA_DIR names another.", ifUsed)];
  }
  if (!existsSync(dataDir)) return [fine(`The data folder ${dataDir} is not there yet; the first start makes it.`)];
  const { mode, uid } = statSync(dataDir);
  const isPrivate = platform() === "win32" || (mode & OTHERS) === 0;
  if (isPrivate) return [fine(`The data folder ${dataDir} is there and private.`)];
  // A volume of Docker or Kubernetes is open, belongs to somebody else, and cannot be closed by us.
  if (uid !== process.getuid?.()) return [fine(`The data folder ${dataDir} is there; its files are closed to others.`)];
  const text = `The data folder ${dataDir} is open to other users (mode 0${(mode & 0o777).toString(8)}).`;
  return [warning(text, `Its keys are closed to them. Better: chmod 700 ${dataDir}`)];
}

/** The data folder holds what the settings do not: the keys, and the database where that is a file in it. */
function usesDataFolder({ dataDir, database, encryptionKey, apiKeys }: Config): boolean {
  if (encryptionKey === null || apiKeys.length === 0) return true;
  return database.kind === "sqlite" && resolve(database.path).startsWith(resolve(dataDir) + sep);
}

/**
 * Opens the database as the service would, but only when that changes nothing: it is ours, of this version, and not in
 * use.
 */
export async function checkDatabase(config: Config, ctx: DoctorContext): Promise<Finding[]> {
  if (config.database.kind === "postgres") return await checkPostgres(config, config.database.url, ctx);
  const { path } = config.database;
  if (path === ":memory:") return [warning("The database is in memory: it is forgotten when the service ends.")];
  if (isClosedToUs(path)) return [bad(`The database ${path} is closed to this user.`, asItsOwner(path))];
  if (!existsSync(path)) return [fine(`The database ${path} is not there yet; the first start makes it.`)];
  return [...(await checkFile(config, path, ctx)), backupFinding(path, ctx.clock.nowMs())];
}

/** Guess. Who makes one a day has missed one. */
const OLD_BACKUP_MS = daysMs(2);

function backupFinding(path: string, nowMs: number): Finding {
  const madeMs = lastBackupMs(path);
  const advice = "Let a timer run `bellwire backup --into folder`: see docs/backups.md.";
  if (madeMs === null) return warning("No backup of it is known here.", advice);
  const text = `The last backup was made ${new Date(madeMs).toISOString()}.`;
  return nowMs - madeMs > OLD_BACKUP_MS ? warning(text, advice) : fine(text);
}

async function checkFile(config: Config, path: string, ctx: DoctorContext): Promise<Finding[]> {
  const owner = statSync(path).uid;
  const self = process.getuid?.() ?? owner;
  if (owner !== self) {
    const text = `The database ${path} belongs to another user (uid ${owner}), so it was not opened.`;
    return [warning(text, `Run the doctor as the user who runs the service. ${IF_ELSEWHERE}`)];
  }
  try {
    const opened = isInUse(path)
      ? fine(`The database ${path} is in use by a running Bellwire, as it should be.`)
      : await openAndWrite(config, path, ctx);
    return [opened, ...findingsOfHold(findHold(path))];
  } catch (error) {
    return [bad(`The database ${path} cannot be used: ${error instanceof Error ? error.message : String(error)}`)];
  }
}

/** Takes the lock and releases it at once. Without a lock file no service has ever used the database. */
function isInUse(path: string): boolean {
  if (!existsSync(`${path}.lock`)) return false;
  try {
    lockDatabase(path)[Symbol.dispose]();
    return false;
  } catch (error) {
    if (error instanceof StoreUnusable) return true;
    throw error;
  }
}

async function openAndWrite(config: Config, path: string, { clock }: DoctorContext): Promise<Finding> {
  const { version, refusal } = readHistory(path);
  if (refusal === null && version < NEWEST_VERSION) {
    return fine(`The database ${path} has schema version ${version}; the next start brings it to ${NEWEST_VERSION}.`);
  }
  await using store = await openSqliteStore({ path, clock });
  await store.probe({ nowMs: clock.nowMs() });
  await assertNotMoving(store);
  await checkEncryptionKeyIfThere(config, store);
  return fine(`The database ${path} opens and takes a write (schema version ${version}).`);
}

/** One with others' tables counts as new: opening it as a store says whose it is. */
function readHistory(path: string): ReturnType<typeof judgeHistory> {
  using database = new DatabaseSync(path, { readOnly: true });
  const all = <Row>(sql: string): Row[] => database.prepare(sql).all() as Row[];
  const history = judgeHistory(all);
  return history.version > 0 || isEmpty(database) ? history : { ...history, version: NEWEST_VERSION };
}

const isEmpty = (database: DatabaseSync): boolean =>
  database.prepare("select 1 from sqlite_schema limit 1").get() === undefined;

/** The reason why the folder cannot be used, as the end of a sentence; `null` when it can. */
function folderFault(folder: string): string | null {
  try {
    if (!statSync(folder).isDirectory()) return `${folder} is not a folder`;
    accessSync(folder, constants.R_OK | constants.W_OK | constants.X_OK);
    return null;
  } catch (error) {
    return explainFileFault(folder, error);
  }
}

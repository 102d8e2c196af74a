/**
 * The installation that a command looks at. Its settings come from the environment and its data folder may be the
 * current folder's, so a command that is started elsewhere than the service finds another one, or none: then it says
 * where it looked, and how the right one is named.
 */
import { accessSync, constants, existsSync } from "node:fs";
import { join, resolve } from "node:path";
import { showDatabase } from "../config/option-text.ts";
import type { Config } from "../config/options.ts";
import { faultCode, findObstacle, ownerWords } from "../lib/file-fault.ts";
import type { CommandIo } from "./command.ts";

/** For the end of a message of a command that found nothing. */
export const IF_ELSEWHERE =
  "If your service is another one, run this with its settings, as its user: " +
  "docs/day-two.md has the line for each way of installing (with systemd: sudo bellwire …).";

/** The place of the database, without a password. */
export function databaseWords({ database }: Config): string {
  if (database.kind === "postgres" || database.path === ":memory:") return showDatabase(database);
  return resolve(database.path);
}

/** Whether anything says that a service has ever started with these settings. */
export function isInstalled(config: Config): boolean {
  const { database } = config;
  if (database.kind === "postgres") return missingKeyFiles(config).length === 0;
  return database.path === ":memory:" || existsSync(database.path);
}

/** Those that the settings do not give, and the first start makes. */
export function missingKeyFiles({ dataDir, encryptionKey, apiKeys }: Config): string[] {
  const needed = [
    ...(encryptionKey === null ? ["encryption-key"] : []),
    ...(apiKeys.length === 0 ? ["intake-key"] : []),
  ];
  return needed.filter((name) => !existsSync(join(dataDir, name)));
}

/** The whole path of the settings' SQLite database, which may not be there; `null` after it was printed why not. */
export function databaseFile(io: Pick<CommandIo, "err">, { database }: Config): string | null {
  if (database.kind === "postgres") {
    io.err("The database is PostgreSQL: use pg_dump and pg_restore, see docs/backups.md.");
    return null;
  }
  if (database.path === ":memory:") {
    io.err("The database is in memory: there is no file.");
    return null;
  }
  const path = resolve(database.path);
  const isClosed = isClosedToUs(path);
  if (isClosed) io.err(`The database ${path} is closed to this user. ${asItsOwner(path)}`);
  return isClosed ? null : path;
}

/** Whether this user may not even look: such a file seems not to be there. */
export function isClosedToUs(path: string): boolean {
  try {
    accessSync(path, constants.R_OK);
    return false;
  } catch (error) {
    return faultCode(error) === "EACCES";
  }
}

/** For a file that this user may not open: whose it, or the closed folder above it, is. */
export function asItsOwner(path: string): string {
  const owner = findObstacle(resolve(path));
  const self = process.getuid?.();
  if (owner === null || self === undefined) return "Run the same command as the service's user.";
  return `This is uid ${self}, and ${owner.at} is of ${ownerWords(owner)}: run it as that user, or as root.`;
}

/** `bellwire backup`: makes a whole, checked copy of the SQLite database while the service runs. */
import type { Config } from "../config/options.ts";
import { backUp, type Backup } from "../store/sqlite/backup.ts";
import { misuse, readArguments } from "./arguments.ts";
import type { Command, CommandIo } from "./command.ts";
import { readSettings } from "./start-up.ts";

const HELP = `Usage: bellwire backup --to file

Writes a copy of the SQLite database into a new file, from one instant, also while the service runs, and reads the copy
to its end. Keep it where the encryption key is not: whoever has both can read the secrets in it.

  --to file         the copy; it must not exist`;

export const backup: Command = async (io) => {
  const given = readArguments(io, HELP, { to: { type: "string" } });
  if (given.kind === "done") return given.exitCode;
  const { to } = given.values;
  if (to === undefined) return misuse(io, HELP, "--to must name a file");
  const config = readSettings(io);
  const path = config === null ? null : databaseFile(io, config);
  if (path === null) return 1;
  const made = backUp(path, to);
  if (!made.ok) {
    io.err(`No backup: ${made.error}.`);
    return 1;
  }
  io.out(`${to}: ${contentWords(made.value)}; integrity_check says ok.`);
  return 0;
};

/** The database file of the settings; `null` after it has printed what to do instead. */
export function databaseFile(io: CommandIo, { database }: Config): string | null {
  if (database.kind === "postgres") {
    io.err("The database is PostgreSQL: use pg_dump and pg_restore, see docs/operations.md.");
    return null;
  }
  if (database.path === ":memory:") {
    io.err("The database is in memory: there is no file.");
    return null;
  }
  return database.path;
}

export const contentWords = ({ bytes, schemaVersion, events, pending }: Backup): string =>
  `${events} events, ${pending} deliveries pending, ${(bytes / 1024 / 1024).toFixed(1)} MiB, ` +
  `schema version ${schemaVersion}`;

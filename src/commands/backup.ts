/** `bellwire backup`: makes a whole, checked copy of the SQLite database while the service runs. */
import { readdirSync, rmSync } from "node:fs";
import { basename, join } from "node:path";
import type { Config } from "../config/options.ts";
import { backUp, type Backup } from "../store/sqlite/backup.ts";
import { systemClock } from "../lib/clock.ts";
import { noteBackup } from "../store/sqlite/last-backup.ts";
import { misuse, readArguments } from "./arguments.ts";
import type { Command, CommandIo } from "./command.ts";
import { readSettings } from "./start-up.ts";

const HELP = `Usage: bellwire backup --to file
       bellwire backup --into folder [--keep 7]

Writes a copy of the SQLite database into a new file, from one instant, also while the service runs, and reads the copy
to its end. Keep it where the encryption key is not: whoever has both can read the secrets in it.

  --to file         the copy; it must not exist
  --into folder     a copy that is named after the time, beside the earlier ones; for a timer
  --keep number     how many copies stay in the folder, 7 unless given; older ones go once the new one is whole`;

const KEPT = "7";
/** As it names them itself: nothing else in the folder is touched. */
const NAME = /^bellwire-\d{8}T\d{6}Z\.db$/;

export const backup: Command = async (io) => {
  const flags = { to: { type: "string" }, into: { type: "string" }, keep: { type: "string" } } as const;
  const given = readArguments(io, HELP, flags);
  if (given.kind === "done") return given.exitCode;
  const { to, into, keep = KEPT } = given.values;
  if ((to === undefined) === (into === undefined)) return misuse(io, HELP, "--to or --into must say where");
  if (!/^[1-9]\d{0,3}$/.test(keep))
    return misuse(io, HELP, `--keep must be a whole number from 1 to 9999, not ${keep}`);
  const config = readSettings(io);
  const path = config === null ? null : databaseFile(io, config);
  if (path === null) return 1;
  const nowMs = systemClock.nowMs();
  const file = to ?? join(into ?? "", nameAt(nowMs));
  const made = backUp(path, file);
  if (!made.ok) {
    io.err(`No backup: ${made.error}.`);
    return 1;
  }
  noteBackup(path, nowMs);
  io.out(`${file}: ${contentWords(made.value)}; integrity_check says ok.`);
  if (into !== undefined) removeOldest(io, { folder: into, made: basename(file), keep: Number(keep) });
  return 0;
};

const nameAt = (nowMs: number): string =>
  `bellwire-${new Date(nowMs)
    .toISOString()
    .replace(/\.\d+Z$/, "Z")
    .replaceAll(/[-:]/g, "")}.db`;

interface Copies {
  readonly folder: string;
  /** The name of the new one: it stays, also where others are named after a later time by a clock that was wrong. */
  readonly made: string;
  readonly keep: number;
}

/** Names are times, so their order is that of the copies. */
function removeOldest({ out }: CommandIo, { folder, made, keep }: Copies): void {
  const others = readdirSync(folder).filter((name) => NAME.test(name) && name !== made);
  for (const name of others
    .toSorted()
    .toReversed()
    .slice(keep - 1)) {
    rmSync(join(folder, name));
    out(`${join(folder, name)}: removed, ${keep} newer ones are kept.`);
  }
}

/** The database file of the settings; `null` after it has printed what to do instead. */
export function databaseFile(io: CommandIo, { database }: Config): string | null {
  if (database.kind === "postgres") {
    io.err("The database is PostgreSQL: use pg_dump and pg_restore, see docs/backups.md.");
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

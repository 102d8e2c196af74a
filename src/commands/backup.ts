/** `bellwire backup`: makes a whole, checked copy of the SQLite database while the service runs. */
import { existsSync, readdirSync, rmSync } from "node:fs";
import { basename, join } from "node:path";
import { backUp, type Backup, removeUnfinished } from "../store/sqlite/backup.ts";
import type { Result } from "../domain/problem.ts";
import { ok, refuse } from "../lib/result.ts";
import { explainFileFault } from "../lib/file-fault.ts";
import { systemClock } from "../lib/clock.ts";
import { noteBackup } from "../store/sqlite/last-backup.ts";
import { JSON_FLAG, JSON_HELP, misuse, readArguments, show } from "./arguments.ts";
import type { Command, CommandIo } from "./command.ts";
import { IF_ELSEWHERE, databaseFile } from "./installation.ts";
import { readSettings } from "./start-up.ts";

const HELP = `Usage: bellwire backup --to file [--json]
       bellwire backup --into folder [--keep 7] [--json]

Writes a copy of the SQLite database into a new file, from one instant, also while the service runs, and reads the copy
to its end; until then .part is behind its name. A node on the copy starts held, until bellwire adopt is run there. Keep
it where the encryption key is not: whoever has both can read the secrets in it.

  --to file         the copy; it must not exist
  --into folder     a copy that is named after the time, beside the earlier ones; for a timer
  --keep number     how many copies stay in the folder, 7 unless given; older ones go once the new one is whole
${JSON_HELP}`;

const KEPT = "7";
/** As it names them itself: nothing else in the folder is touched. */
const NAME = /^bellwire-\d{8}T\d{6}Z\.db$/;
const UNFINISHED = /^(bellwire-\d{8}T\d{6}Z\.db)\.part/;

export const backup: Command = async (io) => {
  const flags = { to: { type: "string" }, into: { type: "string" }, keep: { type: "string" }, ...JSON_FLAG } as const;
  const given = readArguments(io, HELP, flags);
  if (given.kind === "done") return given.exitCode;
  const { to, into, keep = KEPT, json } = given.values;
  if ((to === undefined) === (into === undefined) || to === "" || into === "")
    return misuse(io, HELP, "--to or --into must say where");
  if (!/^[1-9]\d{0,3}$/.test(keep))
    return misuse(io, HELP, `--keep must be a whole number from 1 to 9999, not ${keep}`);
  const config = readSettings(io);
  const path = config === null ? null : databaseFile(io, config);
  if (path === null) return 1;
  if (!existsSync(path)) {
    io.err(`No backup: there is no database ${path}. ${IF_ELSEWHERE}`);
    return 1;
  }
  if (into !== undefined) removeUnfinishedIn(io, into);
  const nowMs = systemClock.nowMs();
  const file = to ?? join(into ?? "", nameAt(nowMs));
  const made = backUp(path, { to: file, nowMs });
  if (!made.ok) {
    io.err(`No backup: ${made.error}.`);
    return 1;
  }
  const said = (): string => `${file}: ${contentWords(made.value)}; integrity_check says ok.`;
  const noted = noteBackup(path, nowMs);
  if (!noted.ok) io.err(`The copy is whole, but nobody is told of it: ${noted.error}.`);
  const kept = into === undefined ? null : { folder: into, made: basename(file), keep: Number(keep) };
  const { removed, isTidy } = kept === null ? { removed: [], isTidy: true } : removeOldest(io, kept);
  const gone = removed.map((each) => `${each}: removed, ${keep} newer ones are kept.`);
  show(io, json, { value: { file, ...contentOf(made.value), removed }, lines: () => [said(), ...gone] });
  return noted.ok && isTidy ? 0 : 1;
};

const nameAt = (nowMs: number): string =>
  `bellwire-${new Date(nowMs)
    .toISOString()
    .replace(/\.\d+Z$/, "Z")
    .replaceAll(/[-:]/g, "")}.db`;

/** What killed ones have left: as much disk as the database has, for each. One that runs now keeps its own. */
function removeUnfinishedIn({ err }: CommandIo, folder: string): void {
  const names = attempt(folder, () => readdirSync(folder));
  // Where there is no such folder the copy cannot be written, which is said then.
  if (!names.ok) return;
  for (const name of new Set(names.value.flatMap((each) => UNFINISHED.exec(each)?.[1] ?? []))) {
    const file = join(folder, name);
    const removed = attempt(file, () => removeUnfinished(file));
    if (!removed.ok) err(`What is left of a backup was not removed, ${removed.error}.`);
    else if (removed.value) err(`${file}: what a backup that was killed has left is removed.`);
  }
}

interface Copies {
  readonly folder: string;
  /** The name of the new one: it stays, also where others are named after a later time by a clock that was wrong. */
  readonly made: string;
  readonly keep: number;
}

/** Names are times, so their order is that of the copies. Not tidy: it was printed what stays, and why. */
function removeOldest({ err }: CommandIo, { folder, made, keep }: Copies): { removed: string[]; isTidy: boolean } {
  const names = attempt(folder, () => readdirSync(folder));
  if (!names.ok) err(`No older copy was removed, ${names.error}.`);
  const others = names.ok ? names.value.filter((name) => NAME.test(name) && name !== made) : [];
  const gone: string[] = [];
  let isTidy = names.ok;
  for (const name of others
    .toSorted()
    .toReversed()
    .slice(keep - 1)) {
    const file = join(folder, name);
    const removed = attempt(file, () => rmSync(file));
    if (removed.ok) gone.push(file);
    else err(`It was not removed, ${removed.error}.`);
    isTidy &&= removed.ok;
  }
  return { removed: gone, isTidy };
}

function attempt<Value>(path: string, work: () => Value): Result<Value, string> {
  try {
    return ok(work());
  } catch (error) {
    return refuse(`${path}: ${explainFileFault(path, error)}`);
  }
}

/** For a program. */
export const contentOf = ({ bytes, schemaVersion, events, pending }: Backup) => ({
  events,
  pending,
  bytes,
  schema_version: schemaVersion,
});

export const contentWords = ({ bytes, schemaVersion, events, pending }: Backup): string =>
  `${events} events, ${pending} deliveries pending, ${(bytes / 1024 / 1024).toFixed(1)} MiB, ` +
  `schema version ${schemaVersion}`;

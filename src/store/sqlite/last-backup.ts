/**
 * When `bellwire backup` last made a copy of a database, in a file beside it: the database itself belongs to the
 * service that runs. The metric and the doctor read it.
 */
import { closeSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import type { Result } from "../../domain/problem.ts";
import { ok, refuse } from "../../lib/result.ts";
import { explainFileFault } from "../../lib/file-fault.ts";
import { openNewFile } from "../../lib/new-file.ts";

const noteOf = (path: string): string => `${path}.last-backup`;

/** In the place of an older note, whoever's that is; or a sentence why not. */
export function noteBackup(path: string, nowMs: number): Result<null, string> {
  const draft = `${noteOf(path)}.new`;
  try {
    rmSync(draft, { force: true });
    const file = openNewFile(draft, path);
    writeFileSync(file, `${new Date(nowMs).toISOString()}\n`);
    closeSync(file);
    renameSync(draft, noteOf(path));
    return ok(null);
  } catch (error) {
    return refuse(`${noteOf(path)} cannot be written: ${explainFileFault(noteOf(path), error)}`);
  }
}

/** Milliseconds; `null` when none was made, or the note cannot be read. */
export function lastBackupMs(path: string): number | null {
  try {
    const atMs = Date.parse(readFileSync(noteOf(path), "utf8").trim());
    return Number.isNaN(atMs) ? null : atMs;
  } catch {
    return null;
  }
}

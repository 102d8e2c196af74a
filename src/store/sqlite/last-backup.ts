/**
 * When `bellwire backup` last made a copy of a database, in a file beside it: the database itself belongs to the
 * service that runs. The metric and the doctor read it.
 */
import { readFileSync, writeFileSync } from "node:fs";

const noteOf = (path: string): string => `${path}.last-backup`;

export function noteBackup(path: string, nowMs: number): void {
  writeFileSync(noteOf(path), `${new Date(nowMs).toISOString()}\n`, { mode: 0o600 });
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

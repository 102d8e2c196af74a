/**
 * The schema's history: each step is a file of SQL that is never changed once released. The number of the last one is
 * the version that a database has and that this code needs.
 */
import { readFileSync } from "node:fs";

export interface Migration {
  readonly version: number;
  readonly name: string;
  readonly sql: string;
}

export const MIGRATIONS: readonly Migration[] = [read(1, "schema")];

export const NEWEST_VERSION = MIGRATIONS.length;

function read(version: number, name: string): Migration {
  const file = new URL(`./${String(version).padStart(4, "0")}-${name}.sql`, import.meta.url);
  return { version, name, sql: readFileSync(file, "utf8") };
}

/**
 * The schema's history: each step is a file of SQL that is never changed once released. The number of the last one is
 * the version that a database has and that this code needs.
 */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

export interface Migration {
  readonly version: number;
  readonly name: string;
  readonly sql: string;
}

const FOLDER = import.meta.dirname;

/** A step's file begins with its number, in four digits. */
export const MIGRATIONS: readonly Migration[] = readdirSync(FOLDER)
  .filter((file) => file.endsWith(".sql"))
  .toSorted()
  .map((file) => ({
    version: Number(file.slice(0, 4)),
    name: file.slice(5, -".sql".length),
    sql: readFileSync(join(FOLDER, file), "utf8"),
  }));

export const NEWEST_VERSION = MIGRATIONS.length;

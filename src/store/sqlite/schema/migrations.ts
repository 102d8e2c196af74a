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

export const MIGRATIONS: readonly Migration[] = [
  read(1, "schema"),
  read(2, "incidents"),
  read(3, "forward"),
  read(4, "authentication"),
  read(5, "news-channels"),
  read(6, "search"),
  read(7, "conditions"),
  read(8, "recalled"),
  read(9, "shorter-bodies"),
  read(10, "certificate-ends"),
  read(11, "search-blocks"),
  read(12, "count-slices"),
];

export const NEWEST_VERSION = MIGRATIONS.length;

function read(version: number, name: string): Migration {
  const file = new URL(`./migrations/${String(version).padStart(4, "0")}-${name}.sql`, import.meta.url);
  return { version, name, sql: readFileSync(file, "utf8") };
}

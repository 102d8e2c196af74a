/** The schema of the PostgreSQL store, as its migrations lay it. */
import { readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";

const FOLDER = join(import.meta.dirname, "../../../src/store/postgres/schema");

export const readSchema = (): string =>
  readdirSync(FOLDER)
    .filter((name) => name.endsWith(".sql"))
    .toSorted()
    .map((name) => readFileSync(join(FOLDER, name), "utf8"))
    .join("\n");

/**
 * The first start of this version on a database of another one, which dies by SIGKILL before its n-th statement
 * that may write: `upgrade-and-die.ts <file or URL> <n>`. On PostgreSQL two steps follow those of today, the second an
 * index that is made while others work. Where there are fewer such statements it comes to its end.
 */
import { DatabaseSync, StatementSync } from "node:sqlite";
import pg from "pg";
import { openDatabaseFile } from "../../../src/store/sqlite/writer/database-file.ts";
import { COLUMN, INDEX, migrateAhead } from "../world/newer-schema.ts";
import { GOES_ON_MS } from "../world/releases.ts";

const [place = "", deadly = ""] = process.argv.slice(2);
let statements = 0;

const READS = /^\s*(?:--.*\n\s*)*select\b/;
/** Of a prepared one there is none: only `run` is counted there. */
const textOf = (query: unknown): string =>
  typeof query === "object" && query !== null && "text" in query ? String(query.text) : String(query);

function count(prototype: object, method: string): void {
  const known: unknown = Reflect.get(prototype, method);
  Reflect.set(prototype, method, function (this: object, ...args: unknown[]): unknown {
    if (!READS.test(textOf(args[0]))) statements += 1;
    if (statements === Number(deadly)) process.kill(process.pid, "SIGKILL");
    return Reflect.apply(known as () => unknown, this, args);
  });
}

if (place.startsWith("postgres:")) {
  count(pg.Client.prototype, "query");
  await migrateAhead(place, [COLUMN, INDEX]);
} else {
  count(DatabaseSync.prototype, "exec");
  count(StatementSync.prototype, "run");
  openDatabaseFile({ path: place, nowMs: GOES_ON_MS })[Symbol.dispose]();
}

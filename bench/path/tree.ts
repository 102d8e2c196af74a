/**
 * A state of this repository that can be measured: the one that is checked out here, or a commit's. A commit gets a
 * folder of its own with this one's packages and page, so that both run the same libraries on the same Node, and the
 * service's own code is all that differs.
 */
import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import type { SetUp } from "../../test/kit/process/account.ts";

export interface Tree {
  /** A short commit, or `here`. */
  readonly name: string;
  readonly root: string;
}

const ROOT = join(import.meta.dirname, "..", "..");

/** Where a tree keeps the code that sets an account up, the newest place first. */
const SET_UP_PLACES = ["test/kit/process/account.ts", "e2e/account.ts"];

export const HERE: Tree = { name: "here", root: ROOT };

/** Throws with git's own words when there is no such commit. */
export function checkOut(commit: string, folder: string): Tree {
  const hash = git("rev-parse", "--short=7", "--verify", `${commit}^{commit}`).trim();
  const root = join(folder, hash);
  mkdirSync(root, { recursive: true });
  execFileSync("tar", ["-x", "-C", root], { input: execFileSync("git", ["archive", hash], whole) });
  symlinkSync(join(ROOT, "node_modules"), join(root, "node_modules"));
  symlinkSync(join(ROOT, "web", "dist"), join(root, "web", "dist"));
  return { name: hash, root };
}

/** Archives are larger than what a child may print by default. */
const whole = { cwd: ROOT, maxBuffer: 512 * 1024 * 1024 } as const;

const git = (...args: readonly string[]): string => execFileSync("git", args, { ...whole, encoding: "utf8" });

/** By the tree's own code: what a database holds is each commit's own affair. */
export async function setUpIn({ name, root }: Tree, setUp: SetUp): Promise<void> {
  const place = SET_UP_PLACES.map((path) => join(root, path)).find((path) => existsSync(path));
  if (place === undefined) throw new Error(`${name} has no code here that sets an account up`);
  const kit = (await import(pathToFileURL(place).href)) as { setUpAccount(options: SetUp): Promise<string> };
  await kit.setUpAccount(setUp);
}

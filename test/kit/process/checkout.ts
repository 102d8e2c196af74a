/**
 * A commit of this repository in a folder of its own, with this one's packages and page: the same libraries on the same
 * Node, so that the service's own code is all that differs.
 */
import { execFileSync, spawnSync } from "node:child_process";
import { mkdirSync, symlinkSync } from "node:fs";
import { join } from "node:path";

export interface Tree {
  /** A short commit, or `here`. */
  readonly name: string;
  readonly root: string;
}

const ROOT = join(import.meta.dirname, "..", "..", "..");

export const HERE: Tree = { name: "here", root: ROOT };

/** Archives are larger than what a child may print by default. */
const whole = { cwd: ROOT, maxBuffer: 512 * 1024 * 1024 } as const;

/** A clone may be without its history. */
export const hasCommit = (commit: string): boolean =>
  spawnSync("git", ["cat-file", "-e", `${commit}^{commit}`], { cwd: ROOT }).status === 0;

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

const git = (...args: readonly string[]): string => execFileSync("git", args, { ...whole, encoding: "utf8" });

/**
 * A state of this repository that can be measured: the one that is checked out here, or a commit's. A commit gets a
 * folder of its own with this one's packages and page, so that both run the same libraries on the same Node, and the
 * service's own code is all that differs.
 */
import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import type { readEventTypes as Read } from "../../src/events/declared/read-event-types.ts";
import type { createEventTypes as Create, EventTypes } from "../../src/events/event-types.ts";
import type { SetUp } from "../../test/kit/process/account.ts";
import { toValue } from "../../test/kit/world/world.ts";

export interface Tree {
  /** A short commit, or `here`. */
  readonly name: string;
  readonly root: string;
}

const ROOT = join(import.meta.dirname, "..", "..");

/** Where a tree keeps the code that sets an account up, the newest place first. */
const SET_UP_PLACES = ["test/kit/process/account.ts", "e2e/account.ts"];

/** Where it has read its declared types since there are webhooks of their own. */
const TYPES_PLACES = ["src/events/declared/read-event-types.ts", "src/events/event-types.ts"];

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

export interface SetUpOf {
  setUpAccount(options: SetUp): Promise<string>;
  setUpAccounts(options: Omit<SetUp, "accountId">, accountIds: readonly string[]): Promise<void>;
  /** Of that folder. */
  readTypes(events: string): EventTypes;
}

/**
 * The tree's own code, because what a database holds is each commit's own affair; `null` where it lacks what a folder
 * of declared types needs.
 */
export async function findSetUp({ name, root }: Tree, hasTypes: boolean): Promise<SetUpOf | null> {
  const place = SET_UP_PLACES.map((path) => join(root, path)).find((path) => existsSync(path));
  if (place === undefined) throw new Error(`${name} has no code here that sets an account up`);
  const kit = await importOf<SetUpOf>(place);
  if (!hasTypes) return kit;
  const [declared = "", types = ""] = TYPES_PLACES.map((path) => join(root, path));
  if (!existsSync(declared) || kit.setUpAccounts === undefined) return null;
  const { readEventTypes } = await importOf<{ readEventTypes: typeof Read }>(declared);
  const { createEventTypes } = await importOf<{ createEventTypes: typeof Create }>(types);
  return { ...kit, readTypes: (events) => createEventTypes(toValue(readEventTypes(events, { taken: [] }))) };
}

export async function setUpIn(tree: Tree, setUp: SetUp): Promise<void> {
  await (await findSetUp(tree, false))?.setUpAccount(setUp);
}

const importOf = async <Module>(path: string): Promise<Module> => (await import(pathToFileURL(path).href)) as Module;

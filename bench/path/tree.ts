/** What a state of this repository that is measured sets itself up with: its own code. */
import { existsSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import type { readEventTypes as Read } from "../../src/events/declared/read-event-types.ts";
import type { createEventTypes as Create, EventTypes } from "../../src/events/event-types.ts";
import type { SetUp } from "../../test/kit/process/account.ts";
import type { Tree } from "../../test/kit/process/checkout.ts";
import { toValue } from "../../test/kit/world/world.ts";

/** Where a tree keeps the code that sets an account up, the newest place first. */
const SET_UP_PLACES = ["test/kit/process/account.ts", "e2e/account.ts"];

/** Where it has read its declared types since there are webhooks of their own. */
const TYPES_PLACES = ["src/events/declared/read-event-types.ts", "src/events/event-types.ts"];

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

/**
 * The databases of releases, as each release left them (`npm run release-fixture`), brought back and opened by the code
 * of today. What they answer is kept beside them, and is the same on both stores.
 */
import { globSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { gunzipSync, gzipSync } from "node:zlib";
import { continueInstallation, describeInstallation } from "../../../src/store/conformance/installation.ts";
import { LEASE_MS, T0 } from "../../../src/store/conformance/world.ts";
import type { Store } from "../../../src/store/contract/store.ts";
import { openPostgresStore } from "../../../src/store/postgres/open.ts";
import { openSqliteStore } from "../../../src/store/sqlite/open.ts";
import type { SharedCluster } from "../servers/postgres.ts";
import { createVirtualClock } from "./virtual-clock.ts";

const FOLDER = join(import.meta.dirname, "../../../src/store/conformance/golden");

/** Such as "1.0.0". */
export const listReleases = (): string[] => globSync("*/sqlite.db.gz", { cwd: FOLDER }).map(dirname).toSorted();

export const folderOf = (release: string): string => join(FOLDER, release);

type Kept = "sqlite.db.gz" | "postgres.sql.gz";

export const keep = (release: string, name: Kept, bytes: Uint8Array | string): void =>
  writeFileSync(join(folderOf(release), name), gzipSync(bytes, { level: 9 }));

const read = (release: string, name: Kept): Buffer => gunzipSync(readFileSync(join(folderOf(release), name)));

/** Its file anew, in `folder`. */
export function restoreFile(release: string, folder: string): string {
  const path = join(folder, `${release}.db`);
  writeFileSync(path, read(release, "sqlite.db.gz"));
  return path;
}

/** Its database anew, on `cluster`. */
export async function restoreDatabase(release: string, cluster: SharedCluster): Promise<string> {
  const url = await cluster.createDatabase();
  await cluster.query(url, read(release, "postgres.sql.gz").toString("utf8"));
  return url;
}

/**
 * It goes on at its own time, which has long passed: when the claim ends of what a process held that is gone. SQLite
 * lets go of it at the start, PostgreSQL then.
 */
const clock = createVirtualClock(T0 + 2 + LEASE_MS);

export const openFile = (path: string): Promise<Store> => openSqliteStore({ path, clock });
export const openDatabase = async (url: string): Promise<Store> => (await openPostgresStore({ url, clock })).store;

export interface Answers {
  readonly holds: unknown;
  readonly goesOn: { readonly claimed: readonly string[]; readonly again: readonly { readonly kind: string }[] };
}

/** What it holds, then its next steps. As JSON, which is how they are kept. */
export async function askInstallation(store: Store): Promise<Answers> {
  const holds = await describeInstallation(store);
  const goesOn = await continueInstallation(store);
  return JSON.parse(JSON.stringify({ holds, goesOn })) as Answers;
}

export const readExpected = (release: string): Answers =>
  JSON.parse(readFileSync(join(folderOf(release), "expected.json"), "utf8")) as Answers;

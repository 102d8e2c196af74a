/**
 * The databases of releases, as each release left them (`npm run release-fixture`), brought back and opened by the code
 * of today. What they answer is kept beside them, and is the same on both stores.
 */
import { globSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { gunzipSync, gzipSync } from "node:zlib";
import { firstIdAt } from "../../../src/domain/id.ts";
import { parsePhrases } from "../../../src/domain/search-words.ts";
import { daysMs } from "../../../src/lib/duration.ts";
import {
  continueInstallation,
  describeInstallation,
  fillInstallation,
} from "../../../src/store/conformance/installation.ts";
import {
  ACCOUNT,
  accept,
  held,
  LEASE_MS,
  makeEvent,
  makeSettlement,
  setUp,
  T0,
} from "../../../src/store/conformance/world.ts";
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

/** Its database anew, on `cluster`, or in the place of what `url` has. */
export async function restoreDatabase(release: string, cluster: SharedCluster, url?: string): Promise<string> {
  if (url === undefined) return await restoreDatabase(release, cluster, await cluster.createDatabase());
  await cluster.query(url, "drop schema if exists bellwire cascade");
  await cluster.query(url, read(release, "postgres.sql.gz").toString("utf8"));
  return url;
}

/**
 * It goes on at its own time, which has long passed: when the claim ends of what a process held that is gone. SQLite
 * lets go of it at the start, PostgreSQL then.
 */
export const GOES_ON_MS = T0 + 2 + LEASE_MS;
const clock = createVirtualClock(GOES_ON_MS);

export const openFile = (path: string): Promise<Store> => openSqliteStore({ path, clock });
export const openDatabase = async (url: string): Promise<Store> => (await openPostgresStore({ url, clock })).store;

/** An account that has been there for weeks, asked about by itself. */
const AGED = { ...ACCOUNT, id: "acc_aged" };
const OLD_WORDS = "Müller Söhne";
/** As real ids are: PostgreSQL finds the day of a row by them. */
const OLD_ID = (prefix: "evt" | "dlv"): string => firstIdAt(prefix, OLD_MS).padEnd(30, "0");
export const OLD_MS = T0 - daysMs(40);
/** A search reads as many of the newest without its index. */
const NEWEST = 256;

/** An installation with something of everything, and an old event that a search finds by its index only. */
export async function fillRelease(store: Store): Promise<void> {
  const own = { accountId: AGED.id, configVersion: await setUp(store, ["dst_aged"], AGED) };
  const deliveries = [held(OLD_ID("dlv"), "dst_aged")];
  const body = JSON.stringify({ lead: { last_name: "Müller" }, buyer_reveal: { company_name: "Söhne" } });
  await accept(store, [makeEvent(30_000, { ...own, id: OLD_ID("evt"), body, deliveries })], OLD_MS);
  const settlements = [makeSettlement(OLD_ID("dlv"), { accountId: AGED.id })];
  await store.settleAttemptsIfClaimed({ nowMs: OLD_MS + 50, settlements });
  const newer = Array.from({ length: NEWEST }, (_, n) => makeEvent(30_001 + n, { ...own, body: "{}" }));
  await accept(store, newer, T0 - daysMs(1));
  await fillInstallation(store);
  const step = { nowMs: T0 + daysMs(1), eventsMax: 1_000, bytesMax: 10 ** 9 };
  // A step ends at days without an event.
  while ((await store.indexEvents(step)).indexed > 0);
}

/** Whether the old event is found by a word, and its delivery by its id. Then retention comes, and asks again. */
export async function findAndForget(store: Store): Promise<unknown> {
  const nowMs = T0 + daysMs(1);
  const look = async () => {
    const asked = { accountId: AGED.id, phrases: parsePhrases(OLD_WORDS), withTests: false, before: null, limit: 9 };
    const { deliveries } = await store.searchDeliveries({ ...asked, nowMs });
    const loaded = await store.loadDelivery({ accountId: AGED.id, deliveryId: OLD_ID("dlv") });
    return { found: deliveries.map(({ id }) => id), isThere: loaded !== null };
  };
  const found = await look();
  const rowsBeforeMs = OLD_MS + daysMs(2);
  const purge = { nowMs, payloadsBeforeMs: 0, attemptBodiesBeforeMs: 0, rowsBeforeMs, rowsMax: 100 };
  while ((await store.purge(purge)).hasMore);
  return [found, await look()];
}

export const FOUND_AND_FORGOTTEN = [
  { found: [OLD_ID("dlv")], isThere: true },
  { found: [], isThere: false },
];

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

/** The fields that the release had too: later ones may be read back besides, and none may be missing. */
export function withoutNew(now: unknown, then: unknown): unknown {
  if (Array.isArray(now) && Array.isArray(then)) return now.map((each, place) => withoutNew(each, then[place]));
  if (!isObject(now) || !isObject(then)) return now;
  const known = Object.entries(now).filter(([key]) => Object.hasOwn(then, key));
  return Object.fromEntries(known.map(([key, value]) => [key, withoutNew(value, then[key])]));
}

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

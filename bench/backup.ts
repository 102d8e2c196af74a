/**
 * `npm run bench -- backup [--store sqlite]`: a backup while 1,000 webhooks a second go through, restored in another
 * place. Everything that was acknowledged before the backup began must be there, with a delivery; it ends with 1 when
 * something is missing. Besides: how long the backup takes, and what posts wait meanwhile. On SQLite it is
 * `bellwire backup` and `bellwire restore`, on PostgreSQL a base backup of the cluster's files. `--quick` is a sanity
 * run.
 */
import { execFile } from "node:child_process";
import { mkdirSync, openSync, readdirSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs, promisify } from "node:util";
import { systemClock } from "../src/lib/clock.ts";
import type { DeliveryCursor, ListedDeliveries, ListedEvent } from "../src/store/contract/log.ts";
import type { Store } from "../src/store/contract/store.ts";
import { openSqliteStore } from "../src/store/sqlite/open.ts";
import { newDiskFolder } from "../test/kit/folder.ts";
import { setUpAccount } from "../test/kit/process/account.ts";
import { ACCOUNT, BIN, drained, startService } from "../test/kit/process/running.ts";
import type { Cluster } from "../test/kit/servers/postgres.ts";
import { pause } from "../test/kit/wait.ts";
import { describeMachine } from "./conditions.ts";
import type { FromLoad } from "./load.ts";
import { alertsTo, sendTo } from "./path/loads.ts";
import { backUpCluster, restoreCluster } from "./postgres/base-backup.ts";
import { count, head, row } from "./postgres/measurement.ts";
import { describeServer, openStore, startServer } from "./postgres/server.ts";
import { sharedClockMs, toId } from "./record.ts";
import { sendAndAwait, startRig } from "./rig.ts";
import { quantile } from "./windows.ts";

const { values } = parseArgs({
  options: { store: { type: "string", default: "sqlite,postgres" }, quick: { type: "boolean", default: false } },
});
const STORES = (["sqlite", "postgres"] as const).filter((kind) => values.store.includes(kind));
if (STORES.length === 0) {
  console.error("usage: npm run bench -- backup [--store sqlite,postgres] [--quick]");
  process.exit(2);
}
/** What the store has before: as fast as it takes it. */
const FILL = { name: "", batch: 50, connections: 8, ratePerSecond: null };
const LOAD = { name: "", batch: 1, connections: 64, ratePerSecond: 1_000 };
const [FILL_MS, LOAD_MS] = values.quick ? [1_000, 4_000] : [10_000, 20_000];
const PAGE_ROWS = 500;

const folder = newDiskFolder("backup");
for (const line of describeMachine(folder)) console.log(`- ${line}`);
console.log(`- ${LOAD.ratePerSecond} single posts a second for ${LOAD_MS / 1000} s, the backup in the middle`);
console.log("- acknowledged: before the backup began, of the load and of what was there; missing: of these");
console.log("- p99: from a post's release to its 202, of the load before the backup and during it\n");
const rows: (readonly string[])[] = [];
let isWhole = true;
for (const kind of STORES) isWhole = (await measure(kind)) && isWhole;
const times = ["backup s", "MB", "p99 ms before, during", "ratio"];
head("Store", "delivered/s", "acknowledged", "found", "missing", "later ones", ...times);
for (const cells of rows) row(...cells);
process.exit(isWhole ? 0 : 1);

/** False: something is missing. */
async function measure(kind: "sqlite" | "postgres"): Promise<boolean> {
  using rig = await startRig();
  await using stack = new AsyncDisposableStack();
  const cluster = kind === "postgres" ? stack.use(await startServer()) : null;
  for (const line of cluster === null ? [] : await describeServer(cluster)) console.log(`- ${line}`);
  const database = await cluster?.createDatabase();
  const [dataDir, into] = [join(folder, kind), join(folder, `${kind}-backup`)];
  for (const path of [dataDir, into]) mkdirSync(path);
  await setUpAccount({ dataDir, alerts: alertsTo(rig), ...(database === undefined ? {} : { database }) });
  const env: Record<string, string> = database === undefined ? {} : { BELLWIRE_DATABASE: database };
  const service = stack.use(await startService({ dataDir, env, output: openSync(join(folder, `${kind}.log`), "w") }));
  await sendAndAwait(rig, { send: sendTo(rig, service, FILL), durationMs: FILL_MS });
  await sendAndAwait(rig, { send: sendTo(rig, service, LOAD), durationMs: LOAD_MS / 4 });
  await drained(service);
  const first = rig.nextSequence;
  const loading = sendAndAwait(rig, { send: sendTo(rig, service, LOAD), durationMs: LOAD_MS });
  await pause(LOAD_MS / 2);
  const span = { startedAtMs: sharedClockMs(), endedAtMs: 0 };
  const bytes = cluster === null ? await backUpFile(dataDir, into) : await backUpCluster(cluster, into);
  span.endedAtMs = sharedClockMs();
  const { done, lastAtMs } = await loading;
  await stack.disposeAsync();

  const before = [...done.answeredAtMs.keys()].filter((place) => (done.answeredAtMs[place] ?? 0) < span.startedAtMs);
  const acknowledged = [
    ...Array.from({ length: first - 1 }, (_, place) => toId(place + 1)),
    ...before.map((place) => toId(first + place)),
  ];
  const restored = await findRestored(into, database);
  const found = acknowledged.filter((id) => restored.has(id)).length;
  const missing = acknowledged.length - found;
  const perSecond = done.records / ((lastAtMs - done.startedAtMs) / 1000);
  const counts = [perSecond, acknowledged.length, found, missing, restored.size - found].map((value) =>
    count(Math.round(value)),
  );
  const seconds = ((span.endedAtMs - span.startedAtMs) / 1000).toFixed(1);
  rows.push([kind, ...counts, seconds, count(Math.round(bytes / 1e6)), ...compareWaits(done, span)]);
  return missing === 0;
}

interface Span {
  readonly startedAtMs: number;
  readonly endedAtMs: number;
}

function compareWaits({ atMs, answeredAtMs }: FromLoad, { startedAtMs, endedAtMs }: Span): [string, string] {
  const p99 = (fromMs: number, toMs: number) => {
    const released = [...atMs.keys()].filter((place) => (atMs[place] ?? 0) >= fromMs && (atMs[place] ?? 0) < toMs);
    return quantile(
      released.map((place) => (answeredAtMs[place] ?? 0) - (atMs[place] ?? 0)),
      0.99,
    );
  };
  const [before, during] = [p99(0, startedAtMs), p99(startedAtMs, endedAtMs)];
  return [`${before.toFixed(1)}, ${during.toFixed(1)}`, `× ${(during / before).toFixed(2)}`];
}

async function bellwire(dataDir: string, ...args: readonly string[]): Promise<void> {
  const env = { PATH: process.env["PATH"], BELLWIRE_DATA_DIR: dataDir };
  await promisify(execFile)(process.execPath, [BIN, ...args], { env });
}

/** Its bytes. */
async function backUpFile(dataDir: string, into: string): Promise<number> {
  await bellwire(dataDir, "backup", "--into", into);
  return statSync(fileIn(into)).size;
}

function fileIn(into: string): string {
  return join(into, readdirSync(into)[0] ?? "");
}

/** Ids of the records that a store has, with a delivery, which is opened on what was restored from the backup. */
async function findRestored(from: string, database: string | undefined): Promise<Set<string>> {
  if (database === undefined) {
    const dataDir = join(folder, "restored");
    await bellwire(dataDir, "restore", "--from", fileIn(from));
    await using store = await openSqliteStore({ path: join(dataDir, "bellwire.db"), clock: systemClock });
    return await listRecords(store);
  }
  // In the temporary folder, as the first one: as root, the server is another user's, who cannot be let in here.
  const place = newDiskFolder("backup-restored", tmpdir());
  await restoreCluster(from, place);
  await using cluster: Cluster = await startServer(place);
  const { store } = await openStore(cluster.toUrl(new URL(database).pathname.slice(1)));
  try {
    return await listRecords(store);
  } finally {
    await store[Symbol.asyncDispose]();
  }
}

async function listRecords(store: Store): Promise<Set<string>> {
  const withDelivery = new Set<string>();
  const list = { accountId: ACCOUNT, limit: PAGE_ROWS };
  for (let before: DeliveryCursor | null = null, isLast = false; !isLast; isLast = before === null) {
    const page: ListedDeliveries = await store.listDeliveries({ ...list, withTests: false, before });
    for (const { eventId } of page.deliveries) withDelivery.add(eventId);
    before = page.next;
  }
  const found = new Set<string>();
  for (let before: { readonly seq: number } | null = null; ;) {
    const page: readonly ListedEvent[] = await store.listEvents({ ...list, type: null, before });
    for (const { id, sourceId } of page) if (withDelivery.has(id)) found.add(sourceId);
    before = page.at(-1) ?? null;
    if (before === null) return found;
  }
}

/**
 * `npm run bench -- purge [--store sqlite,postgres] [--events 1000000]`: so many events of a week, each with one
 * delivery, are older than rows are kept. How long the real housekeeping takes with them, what that does to accepts
 * beside it, and the size of the store before and after.
 */
import { globSync, statSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { systemClock } from "../src/lib/clock.ts";
import { daysMs } from "../src/lib/duration.ts";
import { startOfDay } from "../src/store/postgres/days.ts";
import { openSqliteStore } from "../src/store/sqlite/open.ts";
import type { Store } from "../src/store/contract/store.ts";
import { newDiskFolder } from "../test/kit/folder.ts";
import { describeMachine } from "./conditions.ts";
import { makeHistory } from "./log-history.ts";
import { count, head, row } from "./markdown.ts";
import type { StoreKind } from "./path/subject.ts";
import { describeServer, hastily, makeWeek, openStore, startServer } from "./postgres-server.ts";
import { bodyText } from "./record.ts";
import { CALLERS, PAUSE_MS, RETENTION, startAccepts, startHousekeeping } from "./retention-work.ts";
import { quantile } from "./windows.ts";

const { values } = parseArgs({
  options: {
    store: { type: "string", default: "sqlite,postgres" },
    events: { type: "string", default: "1000000" },
  },
});
const STORES = (["sqlite", "postgres"] as const).filter((kind) => values.store.includes(kind));
const EVENTS = Number(values.events);
/** Of accepts alone. */
const WINDOWS = 5;
const MB = 1e6;
/** Nothing of that week is kept any more; PostgreSQL has it in tables of whole days. */
const END_MS = startOfDay(Date.now() - RETENTION.rowMs - daysMs(1));
if (STORES.length === 0 || !(EVENTS >= 1_000)) {
  console.error("usage: npm run bench -- purge [--store sqlite,postgres] [--events 1000000]");
  process.exit(2);
}

const folder = newDiskFolder("purge");
for (const line of describeMachine(folder)) console.log(`- ${line}`);
console.log(
  `- ${count(EVENTS)} events; beside: ${CALLERS} callers, ${PAUSE_MS} ms between an answer and the next accept`,
);
const rows: string[][] = [];
for (const kind of STORES) rows.push(await measure(kind));
console.log("");
head(
  "Store",
  "purge, s",
  "rows a second",
  "accept p50, p99, most: alone, ms",
  "beside it, ms",
  "MB before",
  "MB after",
);
for (const cells of rows) row(...cells);
process.exit(0);

async function measure(kind: StoreKind): Promise<string[]> {
  await using opened = kind === "sqlite" ? await openFile() : await openServer();
  const { store } = opened;
  const shape = {
    accounts: 1,
    destinations: 30,
    deliveries: EVENTS,
    nowMs: END_MS,
    bodyOf: bodyText,
    isOver: true,
  } as const;
  let account: Awaited<ReturnType<typeof makeHistory>>[number] | undefined;
  await opened.fill(async () => {
    [account] = await makeHistory(store, shape);
    await tidyFigures(store);
  });
  if (account === undefined) throw new Error("there is no account");
  const accepts = startAccepts(store, account);
  const alone: number[] = [];
  for (let window = 0; window < WINDOWS; window += 1) alone.push(...(await accepts()));
  const before = await opened.bytes();
  const { seconds, purged, beside } = await purgeBeside(store, accepts);
  const sizes = [before, await opened.bytes()].map((bytes) => (bytes / MB).toFixed(0));
  return [kind, seconds.toFixed(0), count(Math.round(purged / seconds)), show(alone), show(beside), ...sizes];
}

/** Figures of minutes are joined while they are young: 98 days later there are none. */
async function tidyFigures(store: Store): Promise<void> {
  const [nothing, nowMs] = [0, Date.now()];
  const kept = { payloadsBeforeMs: nothing, attemptBodiesBeforeMs: nothing, rowsBeforeMs: nothing };
  for (let hasMore = true; hasMore;) ({ hasMore } = await store.purge({ nowMs, ...kept, rowsMax: 10_000 }));
}

interface Opened extends AsyncDisposable {
  readonly store: Store;
  fill(work: () => Promise<void>): Promise<void>;
  bytes(): Promise<number>;
}

async function openFile(): Promise<Opened> {
  const path = join(folder, "purge.db");
  const store = await openSqliteStore({ path, clock: systemClock });
  return {
    store,
    fill: (work) => work(),
    bytes: async () => globSync(`${path}*`).reduce((sum, file) => sum + statSync(file).size, 0),
    [Symbol.asyncDispose]: () => store[Symbol.asyncDispose](),
  };
}

async function openServer(): Promise<Opened> {
  const cluster = await startServer();
  const url = await cluster.createDatabase();
  const { store } = await openStore(url);
  await makeWeek(url, END_MS);
  for (const line of await describeServer(cluster)) console.log(`- ${line}`);
  return {
    store,
    fill: (work) => hastily(cluster, work),
    async bytes() {
      const [size] = await cluster.query(url, "select pg_database_size(current_database())::text as bytes");
      return Number(size?.["bytes"]);
    },
    async [Symbol.asyncDispose]() {
      await store[Symbol.asyncDispose]();
      await cluster[Symbol.asyncDispose]();
    },
  };
}

/** Until the housekeeping finds nothing more. */
async function purgeBeside(store: Store, accepts: () => Promise<number[]>) {
  let purged = 0;
  let isOver = false;
  const purge: Store["purge"] = async (limits) => {
    const step = await store.purge(limits);
    purged += step.purged;
    isOver ||= !step.hasMore;
    return step;
  };
  const startedMs = performance.now();
  let endedMs = startedMs;
  const beside: number[] = [];
  await using housekeeping = startHousekeeping(Object.assign(Object.create(store) as Store, { purge }));
  while (!isOver) {
    beside.push(...(await accepts()));
    endedMs = performance.now();
  }
  await housekeeping.stop();
  return { seconds: (endedMs - startedMs) / 1000, purged, beside };
}

function show(times: readonly number[]): string {
  return [0.5, 0.99, 1].map((share) => quantile(times, share).toFixed(1)).join(", ");
}

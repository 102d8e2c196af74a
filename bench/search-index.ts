/**
 * `npm run bench -- search-index [--store sqlite,postgres] [--accounts 1,2000] [--events 20000] [--body 256]
 * [--quick]`: what an event costs search's index, by how many accounts the events are of; `--body` gives each so many
 * KiB. Nothing else runs: events are put into the store, and then taken in by steps as a node with traffic makes them.
 * CPU of the node with its threads, and of the server.
 */
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { INDEX_STEP } from "../src/delivery/search-indexing.ts";
import { systemClock } from "../src/lib/clock.ts";
import type { Store } from "../src/store/contract/store.ts";
import { openPostgresStore } from "../src/store/postgres/open.ts";
import { openSqliteStore } from "../src/store/sqlite/open.ts";
import { newDiskFolder } from "../test/kit/folder.ts";
import { describeMachine } from "./conditions.ts";
import { makeHistory } from "./log-history.ts";
import { count, head, row } from "./markdown.ts";
import { spread } from "./path/table.ts";
import { cpuOfServer, startServer } from "./postgres-server.ts";
import { bodyText, declaredText } from "./record.ts";

const { values } = parseArgs({
  options: {
    store: { type: "string", default: "sqlite,postgres" },
    accounts: { type: "string", default: "1,2000" },
    events: { type: "string", default: "20000" },
    body: { type: "string", default: "0" },
    quick: { type: "boolean", default: false },
  },
});
const STORES = (["sqlite", "postgres"] as const).filter((kind) => values.store.includes(kind));
const EVENTS = values.quick ? 2_000 : Number(values.events);
const PARTS = 4;
const BODY_BYTES = Number(values.body) * 1024;
const large = declaredText(BODY_BYTES);
const bodyOf = (n: number): string => (BODY_BYTES === 0 ? bodyText(n) : large);

const folder = newDiskFolder("search-index");
for (const line of describeMachine(folder)) console.log(`- ${line}`);
console.log(
  `- ${count(EVENTS)} events of one webhook each, in steps of ${INDEX_STEP.eventsMax}; each quarter's mean\n`,
);
head("Store", "accounts", "µs an event, node", "server");
for (const store of STORES) for (const accounts of values.accounts.split(",")) await measure(store, Number(accounts));
process.exit(0);

async function measure(kind: (typeof STORES)[number], accounts: number): Promise<void> {
  await using opened = await open(kind, accounts);
  const { store, server } = opened;
  await makeHistory(store, { accounts, destinations: 1, deliveries: EVENTS, nowMs: Date.now(), bodyOf });
  await opened.settle();
  const [ofNode, ofServer]: [number[], number[]] = [[], []];
  for (let part = 0; part < PARTS; part += 1) {
    const [node, seconds] = [process.cpuUsage(), server()];
    const indexed = await takeIn(store, EVENTS / PARTS);
    const { user, system } = process.cpuUsage(node);
    ofNode.push((user + system) / indexed);
    ofServer.push(((server() - seconds) * 1e6) / indexed);
  }
  row(kind, count(accounts), spread(ofNode, 0), kind === "postgres" ? spread(ofServer, 0) : "");
}

async function takeIn(store: Store, eventsMax: number): Promise<number> {
  let taken = 0;
  for (let hasMore = true; hasMore && taken < eventsMax;) {
    const step = await store.indexEvents({ nowMs: Date.now(), ...INDEX_STEP });
    taken += step.indexed;
    hasMore = step.hasMore;
  }
  return taken;
}

interface Opened extends AsyncDisposable {
  readonly store: Store;
  /** CPU seconds of the server so far. */
  server(): number;
  /** What a database that is long in use has: figures about its tables. */
  settle(): Promise<unknown>;
}

async function open(kind: (typeof STORES)[number], accounts: number): Promise<Opened> {
  await using started = new AsyncDisposableStack();
  if (kind === "sqlite") {
    const near = join(folder, String(accounts));
    mkdirSync(near);
    const store = started.use(await openSqliteStore({ path: join(near, "bellwire.db"), clock: systemClock }));
    const end = started.move();
    return { store, server: () => 0, settle: async () => {}, [Symbol.asyncDispose]: () => end.disposeAsync() };
  }
  const cluster = started.use(await startServer());
  const url = await cluster.createDatabase();
  const { store } = await openPostgresStore({ url, clock: systemClock });
  started.use(store);
  const server = await cpuOfServer(cluster);
  const end = started.move();
  return {
    store,
    server,
    settle: () => cluster.query(url, "analyze"),
    [Symbol.asyncDispose]: () => end.disposeAsync(),
  };
}

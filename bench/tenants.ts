/**
 * `npm run bench -- tenants [--store sqlite,postgres] [--accounts 1,1000] [--turns 3] [--quick]`: a service of many
 * customers, each of whom has 20 webhooks for 50 declared types, beside one with a single customer: how long they take
 * to set up, the memory, and what a webhook costs. Each type is wanted by one webhook of an account; posts go to all
 * accounts and types in turn. Each number of accounts has a service and a store of its own, and the turns alternate.
 */
import { mkdirSync, openSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { readEventTypes } from "../src/events/declared/read-event-types.ts";
import { createEventTypes } from "../src/events/event-types.ts";
import { newDiskFolder } from "../test/kit/folder.ts";
import { setUpAccounts } from "../test/kit/process/account.ts";
import { startService } from "../test/kit/process/running.ts";
import { pause } from "../test/kit/wait.ts";
import { toValue } from "../test/kit/world/world.ts";
import { describeMachine, readMemory } from "./conditions.ts";
import { count, head, row } from "./markdown.ts";
import { declareTypes } from "./path/declared.ts";
import { BUSY, sendTo } from "./path/loads.ts";
import type { StoreKind } from "./path/subject.ts";
import { median, spread } from "./path/table.ts";
import { cpuOfServer, describeServer, startServer } from "./postgres-server.ts";
import { cpuOfProcess, measure, type Rig, sendAndAwait, startRig } from "./rig.ts";

const { values } = parseArgs({
  options: {
    store: { type: "string", default: "sqlite,postgres" },
    accounts: { type: "string", default: "1,1000" },
    turns: { type: "string", default: "3" },
    quick: { type: "boolean", default: false },
  },
});
const STORES = (["sqlite", "postgres"] as const).filter((kind) => values.store.includes(kind));
const COUNTS = values.accounts.split(",").map(Number);
const TURNS = Number(values.turns);
const SPAN = values.quick ? { warmUpMs: 300, measuredMs: 500 } : { warmUpMs: 500, measuredMs: 4_000 };
/** Compiles the service's code, and meets each account at least once. */
const WARMING_MS = values.quick ? 500 : 10_000;
/** A start's own work ends in this time. */
const SETTLED_MS = values.quick ? 1_000 : 8_000;
const WEBHOOKS = 20;
const TYPES = Array.from({ length: 50 }, (_, number) => `type_${number}`);
if (STORES.length === 0 || !COUNTS.every((each) => each >= 1) || !(TURNS >= 1)) {
  console.error("usage: npm run bench -- tenants [--store sqlite,postgres] [--accounts 1,1000] [--turns 3] [--quick]");
  process.exit(2);
}

const folder = newDiskFolder("tenants");
for (const line of describeMachine(folder)) console.log(`- ${line}`);
console.log(`- each account: ${WEBHOOKS} webhooks, ${TYPES.length} types; ${BUSY.name} connections`);
console.log(`- medians of ${TURNS} turns (least to most); ratios to the first line of the same turn`);
for (const store of STORES) await compare(store);
process.exit(0);

interface Subject {
  readonly accounts: number;
  readonly setUpMs: number;
  /** PSS of the node in MB, before any load and after the last turn. */
  readonly restMb: number;
  loadedMb(): number;
  readonly delivered: readonly number[];
  readonly micros: readonly number[];
  turn(): Promise<void>;
}

async function compare(store: StoreKind): Promise<void> {
  using rig = await startRig();
  await using started = new AsyncDisposableStack();
  console.log(`\n## ${store}\n`);
  const subjects: Subject[] = [];
  for (const accounts of COUNTS) subjects.push(await startSubject(store, { accounts, rig, started }));
  for (let turn = 0; turn < TURNS; turn += 1) {
    for (const subject of turn % 2 === 0 ? subjects : subjects.toReversed()) await subject.turn();
  }
  head("Accounts", "set up, s", "PSS at rest, MB", "after the load, MB", "delivered/s", "µs in all", "ratio");
  for (const { accounts, setUpMs, restMb, loadedMb, delivered, micros } of subjects) {
    const ratio = median(micros.map((each, turn) => each / (subjects[0]?.micros[turn] ?? Number.NaN)));
    const memory = [restMb, loadedMb()].map((mb) => mb.toFixed(0));
    row(
      count(accounts),
      (setUpMs / 1000).toFixed(1),
      ...memory,
      spread(delivered, 0),
      spread(micros, 0),
      ratio.toFixed(2),
    );
  }
}

interface Scene {
  readonly accounts: number;
  readonly rig: Rig;
  readonly started: AsyncDisposableStack;
}

async function startSubject(store: StoreKind, { accounts, rig, started }: Scene): Promise<Subject> {
  const cluster = store === "postgres" ? started.use(await startServer()) : null;
  const database = await cluster?.createDatabase();
  const dataDir = join(folder, `${store}-${accounts}`);
  mkdirSync(dataDir, { recursive: true });
  const events = declareTypes(dataDir, TYPES);
  const types = createEventTypes(toValue(readEventTypes(events, { taken: [] })));
  const ids = Array.from({ length: accounts }, (_, number) => `account-${number}`);
  const where = { dataDir, types, ...(database === undefined ? {} : { database }) };
  const startedAt = performance.now();
  await setUpAccounts({ ...where, webhooks: webhooksAt(`http://127.0.0.1:${rig.port}/in/0`) }, ids);
  const setUpMs = performance.now() - startedAt;
  const env = { BELLWIRE_EVENTS: events, ...(database === undefined ? {} : { BELLWIRE_DATABASE: database }) };
  const node = started.use(await startService({ dataDir, env, output: openSync(join(dataDir, "log"), "a") }));
  if (cluster !== null) for (const line of await describeServer(cluster)) console.log(`- ${line}`);
  await pause(SETTLED_MS);
  const { pssMb: restMb } = readMemory(node.child.pid);
  const server = cluster === null ? null : await cpuOfServer(cluster);
  const send = sendTo(rig, node, { ...BUSY, target: { accounts: ids, destinations: 1, types: TYPES } });
  await sendAndAwait(rig, { send, durationMs: WARMING_MS });
  const cpu = () => ({ node: cpuOfProcess(node.child.pid), ...(server === null ? {} : { server: server() }) });
  const [delivered, micros]: [number[], number[]] = [[], []];
  return {
    accounts,
    setUpMs,
    restMb,
    loadedMb: () => readMemory(node.child.pid).pssMb,
    delivered,
    micros,
    async turn() {
      const measured = await measure(rig, { name: String(accounts), send, cpu, services: [node] }, SPAN);
      const { node: ofNode = 0, server: ofServer = 0 } = measured.cpuMicros;
      delivered.push(measured.deliveredPerSecond);
      micros.push(ofNode + ofServer);
    },
  };
}

/** Each wants some of the types, and each type is wanted once. */
function webhooksAt(url: string) {
  return Array.from({ length: WEBHOOKS }, (_, place) => ({
    url,
    name: `Webhook ${place}`,
    events: TYPES.filter((_type, number) => number % WEBHOOKS === place).map((type) => ({ type })),
  }));
}

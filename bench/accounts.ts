/**
 * `npm run bench -- accounts [--store sqlite,postgres] [--accounts 1,100,10000] [--rich] [--turns 3] [--quick]`: what a
 * webhook costs where many accounts have one alert each, or with `--rich` 20 webhooks for 50 declared types, of which
 * each is wanted by one: beside one account in the same run, with the time to set them up and the memory. Posts go to
 * all accounts and types in turn. Every number of accounts has a service and a store of its own; loads go to one after
 * the other, turn after turn.
 */
import { mkdirSync, openSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { readEventTypes } from "../src/events/declared/read-event-types.ts";
import { createEventTypes } from "../src/events/event-types.ts";
import { newDiskFolder } from "../test/kit/folder.ts";
import { type SetUp, setUpAccounts } from "../test/kit/process/account.ts";
import { startService } from "../test/kit/process/running.ts";
import { pause } from "../test/kit/wait.ts";
import { toValue } from "../test/kit/world/world.ts";
import { describeMachine, readMemory } from "./conditions.ts";
import { count, head, row } from "./markdown.ts";
import { declareTypes } from "./path/declared.ts";
import { BUSY, LOADS, sendTo } from "./path/loads.ts";
import type { StoreKind } from "./path/subject.ts";
import { median, spread } from "./path/table.ts";
import { cpuOfServer, describeServer, startServer } from "./postgres-server.ts";
import { cpuOfThreads, measure, measureLatency, type Rig, type Send, sendAndAwait, startRig } from "./rig.ts";
import { quantile } from "./windows.ts";

const { values } = parseArgs({
  options: {
    store: { type: "string", default: "sqlite,postgres" },
    accounts: { type: "string", default: "1,100,10000" },
    rich: { type: "boolean", default: false },
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
const WINDOW_MS = values.quick ? 2_000 : 8_000;
/** A start's own work ends in this time. */
const SETTLED_MS = values.quick ? 1_000 : 8_000;
const WEBHOOKS = 20;
const TYPES = Array.from({ length: 50 }, (_, number) => `type_${number}`);
const [LITTLE] = LOADS.filter(({ ratePerSecond }) => ratePerSecond === 500);
if (STORES.length === 0 || !COUNTS.every((each) => each >= 1) || !(TURNS >= 1) || LITTLE === undefined) {
  console.error(
    "usage: npm run bench -- accounts [--store sqlite,postgres] [--accounts 1,100] [--rich] [--turns 3] [--quick]",
  );
  process.exit(2);
}

const folder = newDiskFolder("accounts");
for (const line of describeMachine(folder)) console.log(`- ${line}`);
console.log(`- each account: ${values.rich ? `${WEBHOOKS} webhooks for ${TYPES.length} types` : "one alert"}`);
console.log(`- full load: ${BUSY.name} connections, ${SPAN.measuredMs / 1000} s; CPU until the last arrival`);
console.log(`- p99: post → receiver, ms, at 500 posts a second for ${WINDOW_MS / 1000} s`);
console.log(`- medians of ${TURNS} turns (least to most); ratios to the first line of the same turn`);
for (const store of STORES) await compare(store);
process.exit(0);

interface Subject {
  readonly accounts: number;
  readonly setUpMs: number;
  /** PSS of the node in MB, before any load and after the last turn. */
  readonly restMb: number;
  loadedMb(): number;
  readonly delivered: number[];
  /** Of a webhook, by thread of the node, and the server's. */
  readonly parts: Readonly<Record<string, number>>[];
  readonly p99s: number[];
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
  head(
    "Accounts",
    "set up, s",
    "PSS at rest, MB",
    "after the load",
    "delivered/s",
    "µs in all",
    "ratio",
    "µs by part",
    "p99, ms",
  );
  for (const { accounts, setUpMs, restMb, loadedMb, delivered, parts, p99s } of subjects) {
    const micros = parts.map(sum);
    const ratio = median(micros.map((each, turn) => each / sum(subjects[0]?.parts[turn] ?? {})));
    const ofParts = Object.keys(parts[0] ?? {}).map(
      (name) => `${name} ${spread([median(parts.map((each) => each[name] ?? 0))], 0)}`,
    );
    const cells = [spread(delivered, 0), spread(micros, 0), ratio.toFixed(2), ofParts.join(", "), spread(p99s, 1)];
    const memory = [restMb, loadedMb()].map((mb) => mb.toFixed(0));
    row(count(accounts), (setUpMs / 1000).toFixed(1), ...memory, ...cells);
  }
}

function sum(parts: Readonly<Record<string, number>>): number {
  return Object.values(parts).reduce((all, each) => all + each, 0);
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
  const ids = Array.from({ length: accounts }, (_, number) => `account-${number}`);
  const url = `http://127.0.0.1:${rig.port}/in/0`;
  const where = { dataDir, ...(database === undefined ? {} : { database }) };
  const events = values.rich ? declareTypes(dataDir, TYPES) : null;
  const setUpMs = await time(() => setUpAccounts({ ...where, ...wantedAt(url, events) }, ids));
  const env = {
    ...(events === null ? {} : { BELLWIRE_EVENTS: events }),
    ...(database === undefined ? {} : { BELLWIRE_DATABASE: database }),
  };
  const node = started.use(await startService({ dataDir, env, output: openSync(join(dataDir, "log"), "a") }));
  if (cluster !== null) for (const line of await describeServer(cluster)) console.log(`- ${line}`);
  const server = cluster === null ? null : await cpuOfServer(cluster);
  await pause(SETTLED_MS);
  const { pssMb: restMb } = readMemory(node.child.pid);
  const target = { accounts: ids, destinations: 1, ...(values.rich ? { types: TYPES } : {}) };
  const [full, little] = [BUSY, LITTLE ?? BUSY].map((load) => sendTo(rig, node, { ...load, target })) as [Send, Send];
  await sendAndAwait(rig, { send: full, durationMs: WARMING_MS });
  const cpu = () => ({ ...cpuOfThreads("node", node.child.pid), ...(server === null ? {} : { server: server() }) });
  const [delivered, parts, p99s]: [number[], Subject["parts"], number[]] = [[], [], []];
  return {
    accounts,
    setUpMs,
    restMb,
    loadedMb: () => readMemory(node.child.pid).pssMb,
    delivered,
    parts,
    p99s,
    async turn() {
      const measured = await measure(rig, { name: String(accounts), send: full, cpu, services: [node] }, SPAN);
      const { receiver: _, ...ofService } = measured.cpuMicros;
      delivered.push(measured.deliveredPerSecond);
      parts.push(ofService);
      const { waitsMs } = await measureLatency(rig, little, WINDOW_MS);
      p99s.push(quantile(waitsMs, 0.99));
    },
  };
}

/** With types, each webhook wants some, and each type is wanted once. */
function wantedAt(url: string, events: string | null): Pick<SetUp, "alerts" | "types" | "webhooks"> {
  if (events === null) return { alerts: [{ url }] };
  const webhooks = Array.from({ length: WEBHOOKS }, (_, place) => ({
    url,
    name: `Webhook ${place}`,
    events: TYPES.filter((_type, number) => number % WEBHOOKS === place).map((type) => ({ type })),
  }));
  return { types: createEventTypes(toValue(readEventTypes(events, { taken: [] }))), webhooks };
}

async function time(work: () => Promise<unknown>): Promise<number> {
  const startedAt = performance.now();
  await work();
  return performance.now() - startedAt;
}

/** One tree's service on one store, and what a webhook of one type costs it under each load. */
import { mkdirSync, openSync, readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { pause } from "../../test/kit/wait.ts";
import { drained, type Running, startService } from "../../test/kit/process/running.ts";
import type { Cluster } from "../../test/kit/servers/postgres.ts";
import { threadNamed } from "../little/threads.ts";
import { DECLARED_TYPE } from "../record.ts";
import { cpuOfServer, describeServer, startServer } from "../postgres-server.ts";
import { cpuOfProcess, cpuOfThreads, type Measured, measure, type Rig, type Span } from "../rig.ts";
import { ACCOUNTS, declareTypes, wantedBy } from "./declared.ts";
import { alertsTo, type PathLoad, sendTo, SESSIONS, type Target } from "./loads.ts";
import { setUpPulls, startAsking } from "./pulls.ts";
import { computeDifference, NO_ROWS, readRows, type RowCounts } from "./rows.ts";
import type { Tree } from "../../test/kit/process/checkout.ts";
import { findSetUp } from "./tree.ts";

export type StoreKind = "sqlite" | "postgres";

export interface PathCost {
  readonly tree: string;
  readonly load: string;
  /** Costs of one turn were measured right after each other. */
  readonly turn: number;
  readonly measured: Measured;
  /** A webhook's: what the store's thread wrote to files (SQLite), or the server's log (PostgreSQL). */
  readonly bytesWritten: number;
  /** A webhook's; nothing on SQLite, which does not count them. */
  readonly rows: RowCounts;
}

export interface Subject extends AsyncDisposable {
  readonly name: string;
  /** Its server's settings; none on SQLite. */
  readonly conditions: readonly string[];
  measure(load: PathLoad, when: When): Promise<PathCost>;
  /** Resolves when it has nothing to do; rejects when that takes two minutes. */
  idle(): Promise<void>;
}

/** Sessions for 8 alerts of an account, or one of the arrangements of `declared.ts`. */
export type Arrangement = "sessions" | Parameters<typeof wantedBy>[0];

export function targetOf(arrangement: Arrangement): Target {
  if (arrangement === "sessions") return SESSIONS;
  return { accounts: ACCOUNTS, destinations: 1, ...(arrangement === "declared" && { types: [DECLARED_TYPE] }) };
}

/** What is measured beside others. */
export interface Measurable {
  readonly name: string;
  readonly tree: Tree;
  readonly arrangement: Arrangement;
  /** So many webhooks of other accounts are asked all the while; none when left out. */
  readonly pulls?: number;
  /** Of its service, besides what it needs. */
  readonly env?: Readonly<Record<string, string>>;
  /** CPU of a second below which it has nothing to do; `IDLE_SECONDS` unless given. */
  readonly idleSeconds?: number;
}

export interface When {
  readonly span: Span;
  readonly turn: number;
}

export interface Scene {
  readonly rig: Rig;
  readonly store: StoreKind;
  /** Empty, for this subject alone. */
  readonly folder: string;
}

/**
 * Its service runs until it is disposed, on a store, and on PostgreSQL on a server, of its own. `null`: the tree cannot
 * be arranged so.
 */
export async function startSubject(of: Measurable, { rig, store, folder }: Scene): Promise<Subject | null> {
  const { name, tree, arrangement } = of;
  const isDeclared = arrangement === "declared";
  const setUp = await findSetUp(tree, arrangement !== "sessions");
  if (setUp === null) return null;
  await using started = new AsyncDisposableStack();
  const cluster = store === "postgres" ? started.use(await startServer()) : null;
  const database = await cluster?.createDatabase();
  const where = { dataDir: folder, ...(database === undefined ? {} : { database }) };
  mkdirSync(folder, { recursive: true });
  const events = isDeclared ? declareTypes(folder) : null;
  const types = events === null ? {} : { types: setUp.readTypes(events) };
  const url = `http://127.0.0.1:${rig.port}/in/0`;
  if (arrangement === "sessions") await setUp.setUpAccount({ ...where, alerts: alertsTo(rig) });
  else await setUp.setUpAccounts({ ...where, ...types, ...wantedBy(arrangement, url) }, ACCOUNTS);
  const tokens = of.pulls === undefined ? [] : await setUpPulls(where, of.pulls);
  const target = targetOf(arrangement);
  const env = {
    ...of.env,
    ...(database === undefined ? {} : { BELLWIRE_DATABASE: database }),
    ...(events === null ? {} : { BELLWIRE_EVENTS: events }),
  };
  const program = [join(tree.root, "bin", "bellwire.js"), "serve"];
  const output = openSync(join(folder, "log"), "a");
  const node = started.use(await startService({ dataDir: folder, env, program, output }));
  const server = cluster === null ? null : await cpuOfServer(cluster);
  const cpu = () => ({ ...cpuOfThreads("node", node.child.pid), ...(server === null ? {} : { server: server() }) });
  const pulls = of.pulls === undefined ? null : await startAsking(node.url, tokens);
  if (pulls !== null) started.use(pulls);
  const ownCost = pulls === null ? {} : await costOfSecond(cpu);
  const counted = cluster === null || database === undefined ? null : { cluster, database };
  const ownSeconds = Object.values(ownCost).reduce((sum, seconds) => sum + seconds, 0);
  const rest = () => idle(node.child.pid, (of.idleSeconds ?? IDLE_SECONDS) + ownSeconds);
  const running = started.move();
  const conditions = [
    ...(cluster === null ? [] : await describeServer(cluster)),
    ...(pulls === null ? [] : [`${name}: ${describeCost(ownCost)} by themselves, which is not counted`]),
  ];
  return {
    name,
    conditions,
    measure: (load, when) => measureLoad(load, { name, target, rig, node, rest, cpu, ownCost, counted, ...when }),
    idle: rest,
    async [Symbol.asyncDispose]() {
      // Those who ask find nobody when they come too late.
      pulls?.[Symbol.dispose]();
      await node.stop();
      await running.disposeAsync();
    },
  };
}

type Cpu = () => Readonly<Record<string, number>>;

const RESTING_SECONDS = 10;

/** Seconds of CPU in a second without a record, by thread. */
async function costOfSecond(cpu: Cpu): Promise<Readonly<Record<string, number>>> {
  const before = cpu();
  await pause(RESTING_SECONDS * 1_000);
  return mapValues(cpu(), (after, key) => (after - (before[key] ?? 0)) / RESTING_SECONDS);
}

const describeCost = (cost: Readonly<Record<string, number>>): string =>
  `${Object.entries(cost)
    .map(([key, seconds]) => `${key} ${(seconds * 1_000).toFixed(0)}`)
    .join(", ")} ms of CPU a second`;

const mapValues = (
  values: Readonly<Record<string, number>>,
  change: (value: number, key: string) => number,
): Readonly<Record<string, number>> =>
  Object.fromEntries(Object.entries(values).map(([key, value]) => [key, change(value, key)]));

/** CPU of a second that a service with nothing to do stays below. */
const IDLE_SECONDS = 0.05;
/** One after the other: search's index pauses for 5 s at most, and goes on. */
const IDLE_LOOKS = 6;
const LOOKS_MAX = 120;

async function idle(pid: number, belowSeconds: number): Promise<void> {
  let idleLooks = 0;
  for (let looks = 0; looks < LOOKS_MAX; looks += 1) {
    const before = cpuOfProcess(pid);
    await pause(1_000);
    idleLooks = cpuOfProcess(pid) - before < belowSeconds ? idleLooks + 1 : 0;
    if (idleLooks === IDLE_LOOKS) return;
  }
  throw new Error(`a service with nothing to do was not idle in ${LOOKS_MAX} s`);
}

interface Place extends When {
  readonly name: string;
  readonly target: Target;
  readonly rig: Rig;
  readonly node: Running;
  rest(): Promise<void>;
  /** Of node and server. */
  readonly cpu: Cpu;
  /** What does not come from records, in a second. */
  readonly ownCost: Readonly<Record<string, number>>;
  readonly counted: { readonly cluster: Cluster; readonly database: string } | null;
}

async function measureLoad(load: PathLoad, place: Place): Promise<PathCost> {
  const { name, target, turn, rig, span, node, rest, ownCost, counted } = place;
  const cpu = () => ({
    ...mapValues(place.cpu(), (seconds, key) => seconds - ((ownCost[key] ?? 0) * performance.now()) / 1_000),
    load: cpuOfProcess(rig.load.pid),
  });
  const read = async () => (counted === null ? NO_ROWS : await readRows(counted.cluster, counted.database));
  const firstRecord = rig.nextSequence;
  const [rowsBefore, bytesBefore] = [await read(), bytesOfStoreThreads(node.child.pid)];
  const subject = { name: load.name, send: sendTo(rig, node, { ...load, target }), cpu, services: [node], rest };
  const measured = await measure(rig, subject, span);
  await drained(node);
  const webhooks = rig.nextSequence - firstRecord;
  const rows = computeDifference(await read(), rowsBefore, webhooks);
  const bytes = (bytesOfStoreThreads(node.child.pid) - bytesBefore) / webhooks;
  const bytesWritten = counted === null ? bytes : rows.logBytes;
  return { tree: name, load: load.name, turn, measured, rows, bytesWritten };
}

/** Bytes that SQLite's threads have written so far; 0 where there are none. */
function bytesOfStoreThreads(pid: number): number {
  const tasks = `/proc/${pid}/task`;
  const read = (task: string, file: string): string => readFileSync(join(tasks, task, file), "latin1");
  const ofStore = readdirSync(tasks).filter((task) => threadNamed(read(task, "comm").trim()) === "store");
  return ofStore.reduce((sum, task) => sum + Number(/^wchar: (\d+)$/m.exec(read(task, "io"))?.[1] ?? 0), 0);
}

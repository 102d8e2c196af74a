/**
 * `node bench/isolation.ts`: what the owners of 990 healthy destinations notice when ten others hang, drip, flood or
 * cannot be resolved, when one holds a backlog of a million, or when one looks at the log. The measure is the time from
 * a post's release to its first attempt at the receiver. On a disk that others use too, their writes decide the p99
 * (every commit is synced): `--folder` puts the database elsewhere, such as a tmpfs. `--quick` is a sanity run of two
 * minutes a store. `--store postgres` measures that store alone, and `--only draining` the rows with that word in their
 * names. How windows with and without a trouble are compared stands in `windows.ts`.
 *
 * A control run puts all destinations into one queue, which shows what lanes are for. Ends with 1 when a gate is
 * missed by more than the noise.
 */
import { openSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { type Person, signIn } from "../test/kit/process/person.ts";
import { type Running, startService } from "../test/kit/process/running.ts";
import type { Cluster } from "../test/kit/servers/postgres.ts";
import { type Behaviour, type ReceivedRequest, type Receiver, startReceiver } from "../test/kit/servers/receiver.ts";
import { describeMachine } from "./conditions.ts";
import { newDiskFolder } from "../test/kit/folder.ts";
import { acceptBacklog, findAccount, setUpDestinations } from "./many-destinations.ts";
import { readThreads } from "./little/threads.ts";
import { type NameServer, startNameServer } from "./name-server.ts";
import { type Part, startPart } from "./part.ts";
import { describeServer, startServer } from "./postgres/server.ts";
import { pause } from "../test/kit/wait.ts";
import type { FromTraffic, ToTraffic } from "./traffic.ts";
import { add, type Comparison, noWaits, printComparisons, run as runWindow, type Waits } from "./windows.ts";

const { values } = parseArgs({
  options: {
    quick: { type: "boolean", default: false },
    folder: { type: "string" },
    store: { type: "string", default: "sqlite,postgres" },
    only: { type: "string", default: "" },
  },
});
const isQuick = values.quick;
const STORES = (["sqlite", "postgres"] as const).filter((kind) => values.store.includes(kind));
const DESTINATIONS = 1_000;
const SICK = 10;
const RATE_PER_SECOND = 500;
const ROUNDS = isQuick ? 2 : 3;
const WARM_UP_MS = isQuick ? 3_000 : 6_000;
const WELL_MS = isQuick ? 4_000 : 8_000;
/** Longer than the deadline of an attempt, 15 s, so that some end by it. */
const SICK_MS = isQuick ? 5_000 : 17_000;
/** After a trouble, until what it holds has ended: a drip ends by the attempt's deadline, the others sooner. */
const REST_MS = isQuick ? 1_000 : 3_000;
const DRIP_REST_MS = isQuick ? 1_000 : 15_500;
/** As the page of the log does while something is delivered. */
const LOOK_EVERY_MS = 1_000;
const BACKLOG = isQuick ? 50_000 : 1_000_000;
/** A longer wait counts as this one. */
const GRACE_MS = 5_000;
const GATE = 1.2;

const TROUBLES = ["hang", "body drip", "endless 103", "dead DNS"] as const;
type Trouble = (typeof TROUBLES)[number];

/** Each trouble of each round has ten destinations to itself: those of an earlier one may be held back. */
const TROUBLED = TROUBLES.length * ROUNDS * SICK;
/** The last one holds the backlog. */
const BACKLOGGED = DESTINATIONS - 1;
/** So slow that the backlog stays: 64 at once are 640 a second at most. */
const BACKLOG_ANSWER_MS = 100;

/** Databases of the measured store; those with a backlog are named so. */
type Place = "troubles" | "queue" | "backlog" | "queue-backlog";

interface Rig {
  /** The measured store's. */
  readonly folder: string;
  /** `null`: SQLite in the folder. */
  readonly cluster: Cluster | null;
  readonly databases: Map<Place, string>;
  readonly names: NameServer;
  readonly traffic: Part<ToTraffic, FromTraffic>;
  readonly hostile: Receiver;
  /** The trouble of the moment, and the round, as in the path of the ten. */
  now: string | null;
  /** The receiver of the one with the backlog answers 503. */
  isBacklogDown: boolean;
  /** Ends the hanging of the moment. */
  release: () => void;
}

const top = newDiskFolder("isolation", values.folder);
printConditions();
const verdicts: boolean[] = [];
for (const store of STORES) {
  await using cluster = store === "postgres" ? await startServer() : null;
  console.log(`\n## ${store}\n`);
  for (const line of cluster === null ? [] : await describeServer(cluster)) console.log(`- ${line}`);
  verdicts.push(await measure(join(top, store), cluster));
}
process.exit(verdicts.every(Boolean) ? 0 : 1);

async function measure(folder: string, cluster: Cluster | null): Promise<boolean> {
  await using names = await startNameServer();
  await using hostile = await startReceiver();
  using traffic = startPart<ToTraffic, FromTraffic>("traffic.ts");
  const listening = await traffic.next();
  if (listening.kind !== "listening") throw new Error("the traffic's receiver does not listen");
  const scene = { folder, cluster, databases: new Map<Place, string>(), names, traffic, hostile };
  const rig: Rig = { ...scene, now: null, isBacklogDown: false, release: () => {} };
  scriptTroubles(rig);
  const rows = chooseRows();
  const places = new Set(rows.flatMap((row) => row.places));
  await fillPlaces(rig, places, destinationUrls(hostile.port, listening.port));
  const comparisons: Comparison[] = [];
  for (const { name, compare } of rows) comparisons.push(...(await compare(rig, name)));
  return printComparisons(comparisons);
}

interface Row {
  readonly name: string;
  /** The databases that it needs. */
  readonly places: readonly Place[];
  compare(rig: Rig, name: string): Promise<Comparison[]>;
}

/** Those that `--only` names, or all. */
function chooseRows(): Row[] {
  const draining = { place: "backlog", gate: GATE, rounds: ROUNDS } as const;
  const inOneQueue = { place: "queue-backlog", gate: null, rounds: 1 } as const;
  const rows: Row[] = [
    { name: "1 % in trouble", places: ["troubles"], compare: compareTroubles },
    { name: "an owner's open page", places: ["queue"], compare: compareOpenPage },
    {
      name: `backlog of ${BACKLOG}, held: its receiver is down`,
      places: ["queue", "backlog"],
      compare: compareHeldBacklog,
    },
    {
      name: `backlog of ${BACKLOG}, draining`,
      places: ["queue", "backlog"],
      compare: (rig, name) => compareBacklog(rig, { name, ...draining }),
    },
    { name: "control: 1 % hang, one queue", places: ["queue"], compare: compareHangInOneQueue },
    {
      name: "control: backlog, one queue",
      places: ["queue", "queue-backlog"],
      compare: (rig, name) => compareBacklog(rig, { name, ...inOneQueue }),
    },
  ];
  return rows.filter(({ name }) => name.includes(values.only));
}

/** The first are troubled in their turn, the last holds the backlog; all others are healthy and reached by name too. */
function destinationUrls(hostilePort: number, healthyPort: number): string[] {
  return Array.from({ length: DESTINATIONS }, (_, destination) => {
    const set = Math.floor(destination / SICK);
    const trouble = TROUBLES[set % TROUBLES.length] ?? "";
    const isTroubled = destination < TROUBLED;
    const key = isTroubled ? toKey(trouble, Math.floor(set / TROUBLES.length)) : "well";
    const host = `d${destination}.${key}.bench.test`;
    if (destination === BACKLOGGED) return `http://${host}:${hostilePort}/backlog`;
    return `http://${host}:${isTroubled ? hostilePort : healthyPort}/${destination}`;
  });
}

function toKey(trouble: string, round: number): string {
  return `${trouble.replaceAll(" ", "-").toLowerCase()}-${round}`;
}

function scriptTroubles(rig: Rig): void {
  const { names, hostile } = rig;
  hostile.script = (request) => {
    if (request.path === "/backlog") return rig.isBacklogDown ? { status: 503 } : { delayMs: BACKLOG_ANSWER_MS };
    // Without connections that stay open every attempt asks for the name again.
    if (findSet(request).startsWith("dead-dns")) return { headers: { connection: "close" } };
    return findSet(request) === rig.now ? misbehave(rig, rig.now) : {};
  };
  names.isSilent = (name) => rig.now?.startsWith("dead-dns") === true && name.includes(`.${rig.now}.`);
}

/** The second label of the host that was called. */
function findSet({ headers }: ReceivedRequest): string {
  return headers["host"]?.split(".")[1] ?? "";
}

function misbehave(rig: Rig, now: string): Behaviour | Promise<Behaviour> {
  if (now.startsWith("body-drip")) return { kind: "drip_body" };
  if (now.startsWith("endless-103")) return { kind: "endless_103" };
  // Answers when the trouble is over, so that the next window starts without it.
  return new Promise((resolve) => {
    const { release } = rig;
    rig.release = () => {
      release();
      resolve({});
    };
  });
}

async function compareTroubles(rig: Rig): Promise<Comparison[]> {
  await using service = await start(rig, "troubles");
  await run(rig, service, WARM_UP_MS);
  const comparisons = TROUBLES.map((trouble): Comparison & { readonly trouble: Trouble } => ({
    name: `1 % ${trouble}`,
    trouble,
    without: noWaits(),
    during: noWaits(),
    gate: GATE,
  }));
  for (let round = 0; round < ROUNDS; round += 1) {
    for (const { trouble, without, during } of comparisons) {
      add(without, await run(rig, service, WELL_MS));
      add(during, await runInTrouble(rig, service, toKey(trouble, round)));
      await run(rig, service, trouble === "body drip" ? DRIP_REST_MS : REST_MS);
    }
  }
  await service.stop();
  return comparisons;
}

async function runInTrouble(rig: Rig, service: Running, key: string): Promise<Waits> {
  rig.now = key;
  const waits = await run(rig, service, SICK_MS);
  rig.now = null;
  rig.release();
  rig.release = () => {};
  return waits;
}

/** One owner looks at what was delivered and at the day's chart, every second, as an open page does. */
async function compareOpenPage(rig: Rig, name: string): Promise<Comparison[]> {
  await using service = await start(rig, "queue");
  await run(rig, service, WARM_UP_MS);
  const owner = await signIn(service, findAccount(TROUBLED));
  const comparison: Comparison = { name, without: noWaits(), during: noWaits(), gate: GATE };
  for (let round = 0; round < ROUNDS; round += 1) {
    add(comparison.without, await run(rig, service, WELL_MS));
    const closePage = openPage(owner);
    add(comparison.during, await run(rig, service, WELL_MS));
    await closePage();
  }
  await service.stop();
  return [comparison];
}

/** Returns what closes it, and rejects then if a look has failed. */
function openPage({ call }: Person): () => Promise<void> {
  let isOpen = true;
  const look = async (): Promise<void> => {
    while (isOpen) {
      await Promise.all(["/deliveries?status=delivered", "/statistics?range=24h"].map((path) => call("GET", path)));
      await pause(LOOK_EVERY_MS);
    }
  };
  const looking = look();
  return async () => {
    isOpen = false;
    await looking;
  };
}

/** The same trouble once more, met by one queue. */
async function compareHangInOneQueue(rig: Rig, name: string): Promise<Comparison[]> {
  await using service = await start(rig, "queue", { ONE_QUEUE: "1" });
  await run(rig, service, WARM_UP_MS);
  const without = await run(rig, service, WELL_MS);
  const during = await runInTrouble(rig, service, toKey("hang", 0));
  return [{ name, without, during, gate: null }];
}

/** Its receiver is down: the breaker holds it all back, and nothing but probes goes out. */
async function compareHeldBacklog(rig: Rig, name: string): Promise<Comparison[]> {
  rig.isBacklogDown = true;
  const comparisons = await compareBacklog(rig, { name, place: "backlog", gate: GATE, rounds: ROUNDS });
  rig.isBacklogDown = false;
  return comparisons;
}

interface BacklogComparison {
  readonly name: string;
  readonly place: Place;
  readonly gate: number | null;
  readonly rounds: number;
}

/** A process of its own for each window, because the backlog is in its file. */
async function compareBacklog(rig: Rig, { name, place, gate, rounds }: BacklogComparison): Promise<Comparison[]> {
  const comparison: Comparison = { name, without: noWaits(), during: noWaits(), gate };
  const env = { ONE_QUEUE: gate === null ? "1" : "0" };
  for (let round = 0; round < rounds; round += 1) {
    for (const [waits, where] of [
      [comparison.without, "queue"],
      [comparison.during, place],
    ] as const) {
      await using service = await start(rig, where, env);
      await run(rig, service, WARM_UP_MS);
      const used = watchUse(rig, service);
      add(waits, await run(rig, service, WELL_MS));
      console.log(`- ${name}, ${where}: ${used()}`);
    }
  }
  if (gate !== null && !rig.isBacklogDown) await showBacklogAlone(rig, place);
  return [comparison];
}

/** Its speed on a node that has nothing else to do: yielding must not cost it anything then. */
async function showBacklogAlone(rig: Rig, place: Place): Promise<void> {
  await using service = await start(rig, place);
  await pause(WARM_UP_MS);
  const used = watchUse(rig, service, 0);
  await pause(WELL_MS);
  console.log(`- the backlog alone: ${used()}`);
}

/** Since the call: who got how much of the node. */
function watchUse({ hostile }: Rig, { child }: Running, fresh = RATE_PER_SECOND): () => string {
  const countBacklog = (): number => hostile.requests.filter(({ path }) => path === "/backlog").length;
  const [startedMs, backlog, before] = [performance.now(), countBacklog(), readThreads(child.pid)];
  return () => {
    const seconds = (performance.now() - startedMs) / 1000;
    const after = readThreads(child.pid);
    const cpu = (["main", "store", "other"] as const).map((thread) => {
      return `${thread} ${((after[thread].cpuMs - before[thread].cpuMs) / seconds).toFixed(0)}`;
    });
    const share = ((countBacklog() - backlog) / seconds).toFixed(0);
    return `${share} requests/s of the backlog beside ${fresh} fresh ones, ms of CPU a second: ${cpu.join(", ")}`;
  };
}

async function fillPlaces(
  { folder, cluster, databases }: Rig,
  places: ReadonlySet<Place>,
  urls: string[],
): Promise<void> {
  for (const place of places) {
    const database = await cluster?.createDatabase();
    if (database !== undefined) databases.set(place, database);
    await setUpDestinations(join(folder, place), urls, database);
    if (!place.includes("backlog")) continue;
    const startedMs = performance.now();
    const deliveries = place === "backlog" ? BACKLOG : Math.min(BACKLOG, 50_000);
    const backlog = { destination: BACKLOGGED, deliveries, isPaused: false, database };
    await acceptBacklog(join(folder, place), backlog);
    // As the server does it by itself within minutes: a backlog is not made in seconds.
    if (database !== undefined) for (const sql of ["vacuum analyze", "checkpoint"]) await cluster?.query(database, sql);
    console.log(`- ${deliveries} waiting made in ${((performance.now() - startedMs) / 1000).toFixed(0)} s`);
  }
  console.log("");
}

async function start(
  { names, folder, databases }: Rig,
  place: Place,
  env: Readonly<Record<string, string>> = {},
): Promise<Running> {
  const database = databases.get(place);
  return await startService({
    dataDir: join(folder, place),
    program: [join(import.meta.dirname, "isolated-service.ts")],
    env: { ...env, NAME_SERVER: names.address, ...(database === undefined ? {} : { BELLWIRE_DATABASE: database }) },
    output: openSync(join(folder, `${place}.log`), "a"),
  });
}

async function run({ traffic }: Rig, service: Running, durationMs: number): Promise<Waits> {
  return await runWindow(traffic, service, {
    destinations: DESTINATIONS,
    measuredFrom: TROUBLED,
    measuredTo: BACKLOGGED,
    ratePerSecond: RATE_PER_SECOND,
    durationMs,
    graceMs: GRACE_MS,
  });
}

function printConditions(): void {
  for (const line of describeMachine(top)) console.log(`- ${line}`);
  console.log(
    `- ${DESTINATIONS} destinations of as many owners, ${RATE_PER_SECOND} posts/s (open loop), ${SICK} in trouble`,
  );
  console.log(`- attempts have their real deadline of 15 s; names by c-ares from a name server of the bench, TTL 60 s`);
  console.log(`- ${ROUNDS} rounds: ${WELL_MS / 1000} s without, ${SICK_MS / 1000} s with, ${REST_MS / 1000} s of rest`);
  console.log(
    `- backlog: without and with ${WELL_MS / 1000} s each; its receiver answers after ${BACKLOG_ANSWER_MS} ms`,
  );
}

/** Brings together a store with its databases, a name server, traffic, and the receiver that makes the trouble. */
import { openSync } from "node:fs";
import { join } from "node:path";
import { type Running, startService } from "../../test/kit/process/running.ts";
import type { Cluster } from "../../test/kit/servers/postgres.ts";
import type { Behaviour, ReceivedRequest, Receiver } from "../../test/kit/servers/receiver.ts";
import { acceptBacklog, setUpDestinations, setUpHooks } from "../many-destinations.ts";
import type { NameServer } from "../name-server.ts";
import type { Part } from "../part.ts";
import type { FromTraffic, ToTraffic } from "../traffic.ts";
import { run as runWindow, type Waits, type Window } from "../windows.ts";
import {
  BACKLOG,
  BACKLOG_ANSWER_MS,
  BACKLOGGED,
  DESTINATIONS,
  GRACE_MS,
  HOOKS,
  ORDERED,
  ORDERED_ANSWER_MS,
  RATE_PER_SECOND,
  RECOVERED,
  RECOVERED_BACKLOG,
  ROUNDS,
  SICK,
  SICK_MS,
  TROUBLED,
  toHooks,
  TROUBLES,
  USUAL,
} from "./sizes.ts";

/** Databases of the measured store; those with a backlog, or an account with many webhooks, are named so. */
export type Place = "troubles" | "hooks" | "order" | "queue" | "backlog" | "queue-backlog" | "recovered-backlog";

export interface Rig {
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

/** The first are troubled in their turn, the last holds the backlog; all others are healthy and reached by name too. */
export function destinationUrls(hostilePort: number, healthyPort: number): string[] {
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

export function toKey(trouble: string, round: number): string {
  return `${trouble.replaceAll(" ", "-").toLowerCase()}-${round}`;
}

export function scriptTroubles(rig: Rig): void {
  const { names, hostile } = rig;
  hostile.script = (request) => {
    if (request.path === "/backlog") return rig.isBacklogDown ? { status: 503 } : { delayMs: BACKLOG_ANSWER_MS };
    if (request.path === "/order") return { delayMs: ORDERED_ANSWER_MS };
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

export async function fillPlaces(
  { folder, cluster, databases, hostile }: Rig,
  places: ReadonlySet<Place>,
  urls: string[],
): Promise<void> {
  for (const place of places) {
    const database = await cluster?.createDatabase();
    if (database !== undefined) databases.set(place, database);
    await setUpDestinations(join(folder, place), urls, database);
    if (place === "hooks") await fillHooks(join(folder, place), hostile, database);
    if (place === "order") await fillOrder(join(folder, place), hostile, database);
    if (!place.includes("backlog")) continue;
    const startedMs = performance.now();
    const { destination, deliveries } = findBacklog(place);
    const backlog = { destination, deliveries, isPaused: false, database };
    await acceptBacklog(join(folder, place), backlog);
    // As the server does it by itself within minutes: a backlog is not made in seconds.
    if (database !== undefined) for (const sql of ["vacuum analyze", "checkpoint"]) await cluster?.query(database, sql);
    console.log(`- ${deliveries} waiting made in ${((performance.now() - startedMs) / 1000).toFixed(0)} s`);
  }
  console.log("");
}

function findBacklog(place: Place): { readonly destination: number; readonly deliveries: number } {
  if (place === "recovered-backlog") return { destination: RECOVERED, deliveries: RECOVERED_BACKLOG };
  return { destination: BACKLOGGED, deliveries: place === "backlog" ? BACKLOG : Math.min(BACKLOG, 50_000) };
}

async function fillHooks(dataDir: string, hostile: Receiver, database?: string): Promise<void> {
  for (let round = 0; round < ROUNDS; round += 1) {
    const accountId = toHooks(round);
    const toUrl = (_: unknown, hook: number) => `http://h${hook}.${accountId}.bench.test:${hostile.port}/hook`;
    await setUpHooks(dataDir, { accountId, urls: Array.from({ length: HOOKS }, toUrl), database });
  }
}

async function fillOrder(dataDir: string, hostile: Receiver, database?: string): Promise<void> {
  for (const accountId of [ORDERED, USUAL]) {
    const urls = [`http://h0.${accountId}.bench.test:${hostile.port}/order`];
    await setUpHooks(dataDir, { accountId, urls, oneAtATime: accountId === ORDERED, database });
  }
}

export async function start(
  { names, folder, databases }: Rig,
  place: Place,
  env: Readonly<Record<string, string>> = {},
): Promise<Running> {
  const database = databases.get(place);
  return await startService({
    dataDir: join(folder, place),
    program: [join(import.meta.dirname, "../isolated-service.ts")],
    env: { ...env, NAME_SERVER: names.address, ...(database === undefined ? {} : { BELLWIRE_DATABASE: database }) },
    output: openSync(join(folder, `${place}.log`), "a"),
  });
}

export function run(rig: Rig, service: Running, durationMs: number): Promise<Waits> {
  return runAt(rig, service, { durationMs, ratePerSecond: RATE_PER_SECOND });
}

export async function runAt(
  { traffic }: Rig,
  service: Running,
  { durationMs, ratePerSecond }: Pick<Window, "durationMs" | "ratePerSecond">,
): Promise<Waits> {
  return await runWindow(traffic, service, {
    destinations: DESTINATIONS,
    measuredFrom: TROUBLED,
    measuredTo: RECOVERED,
    ratePerSecond,
    durationMs,
    graceMs: GRACE_MS,
  });
}

export async function runInTrouble(rig: Rig, service: Running, key: string): Promise<Waits> {
  rig.now = key;
  const waits = await run(rig, service, SICK_MS);
  rig.now = null;
  rig.release();
  rig.release = () => {};
  return waits;
}

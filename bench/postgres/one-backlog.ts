/**
 * Whether one destination with two million due delays the others: the same traffic to 999 healthy ones, on a database
 * with that backlog and on one without, in turns. Once from accept to claim, through the store alone, and once from
 * post to receiver, while the backlog goes out as fast as its receiver takes it.
 */
import { join } from "node:path";
import { minutesMs } from "../../src/lib/duration.ts";
import type { Cluster } from "../../test/kit/servers/postgres.ts";
import { startReceiver } from "../../test/kit/servers/receiver.ts";
import { ASSISTANT, findAccount, setUpDestinations } from "../many-destinations.ts";
import { type Part, startPart } from "../part.ts";
import type { FromTraffic, ToTraffic } from "../traffic.ts";
import { add, type Comparison, noWaits, printComparisons, run, type Waits, computeWaits } from "../windows.ts";
import { measureAcceptToClaim } from "./accept-to-claim.ts";
import { fillBacklog } from "./fill.ts";
import { startMeasuredNode } from "./measured-service.ts";
import { count, type Measurement } from "./measurement.ts";
import { createStore, openStore } from "./server.ts";

const DESTINATIONS = 1_000;
/** The last one holds the backlog. */
const BACKLOGGED = DESTINATIONS - 1;
const RATE_PER_SECOND = 500;
const ROUNDS = 3;
const WARM_UP_MS = 6_000;
const GRACE_MS = 5_000;
const GATE = 1.2;
/** So slow that the backlog stays: 64 at once are 640 a second at most. */
const BACKLOG_ANSWER_MS = 100;
const GROWN_MS = minutesMs(60);

export const oneBacklog: Measurement = {
  name: "backlog",
  minutes: ({ backlog, seconds }) => 1 + backlog / 1_500_000 + (ROUNDS * 4 * (seconds / 3 + 8)) / 60,
  async run({ cluster, folder, sizes }) {
    await using slow = await startReceiver({ delayMs: BACKLOG_ANSWER_MS });
    using traffic = startPart<ToTraffic, FromTraffic>("traffic.ts");
    const listening = await traffic.next();
    if (listening.kind !== "listening") throw new Error("the traffic's receiver does not listen");
    const urls = Array.from({ length: DESTINATIONS }, (_, destination) =>
      destination === BACKLOGGED ? slow.url : `http://127.0.0.1:${listening.port}/${destination}`,
    );
    const place = (name: string) => makePlace(cluster, { dataDir: join(folder, name), urls });
    const [without, during] = [await place("without"), await place("with")];
    const startedMs = performance.now();
    await fill(cluster, during, sizes.backlog);
    const seconds = ((performance.now() - startedMs) / 1000).toFixed(0);
    console.log(`- ${count(sizes.backlog)} due at one of ${count(DESTINATIONS)} destinations, made in ${seconds} s`);
    console.log(
      `- ${RATE_PER_SECOND}/s to the others; ${ROUNDS} rounds of windows of ${sizes.seconds / 3} s, in turns`,
    );
    console.log(
      `- accept → claim: not claimed by the accept; the backlog's lane takes 64 at once, which end after 100 ms`,
    );
    console.log(`- post → receiver: the backlog's own receiver answers after ${BACKLOG_ANSWER_MS} ms\n`);
    const scene = { traffic, without, during, durationMs: (sizes.seconds * 1000) / 3 };
    return printComparisons([await compareClaims(scene), await compareDeliveries(scene)]);
  },
};

interface Place {
  readonly dataDir: string;
  readonly database: string;
}

interface Scene {
  readonly traffic: Part<ToTraffic, FromTraffic>;
  readonly without: Place;
  readonly during: Place;
  readonly durationMs: number;
}

async function makePlace(
  cluster: Cluster,
  { dataDir, urls }: { readonly dataDir: string; readonly urls: readonly string[] },
): Promise<Place> {
  const database = await createStore(cluster);
  await setUpDestinations(dataDir, urls, database);
  return { dataDir, database };
}

async function fill(cluster: Cluster, { database }: Place, deliveries: number): Promise<void> {
  const { store } = await openStore(database);
  const account = await store.loadAccount({ accountId: findAccount(BACKLOGGED) });
  await store[Symbol.asyncDispose]();
  const destinationId = account?.assistants.find(({ id }) => id === ASSISTANT)?.destination?.id;
  if (destinationId === undefined) throw new Error("the last destination is missing");
  const fromMs = Date.now() - GROWN_MS - minutesMs(1);
  await fillBacklog(cluster, database, { deliveries, fromMs, overMs: GROWN_MS, destinationId });
}

async function compareClaims({ without, during, durationMs }: Scene): Promise<Comparison> {
  const measureAt = async ({ database }: Place): Promise<Waits> => {
    const window = { destinations: BACKLOGGED, ratePerSecond: RATE_PER_SECOND, durationMs };
    const { ms, ...rest } = await measureAcceptToClaim(database, window);
    return computeWaits(ms, durationMs, rest);
  };
  const comparison: Comparison = { name: "accept → claim", without: noWaits(), during: noWaits(), gate: GATE };
  for (let round = 0; round < ROUNDS; round += 1) {
    add(comparison.without, await measureAt(without));
    add(comparison.during, await measureAt(during));
  }
  return comparison;
}

/** A process of its own for each window: nothing that one remembers can help the next. */
async function compareDeliveries({ traffic, without, during, durationMs }: Scene): Promise<Comparison> {
  const comparison: Comparison = { name: "post → receiver", without: noWaits(), during: noWaits(), gate: GATE };
  const window = { destinations: DESTINATIONS, measuredFrom: 0, measuredTo: BACKLOGGED, graceMs: GRACE_MS };
  const rate = { ...window, ratePerSecond: RATE_PER_SECOND };
  for (let round = 0; round < ROUNDS; round += 1) {
    for (const [waits, place] of [
      [comparison.without, without],
      [comparison.during, during],
    ] as const) {
      await using node = await startMeasuredNode(place);
      await run(traffic, node, { ...rate, durationMs: WARM_UP_MS });
      add(waits, await run(traffic, node, { ...rate, durationMs }));
      await node.stop();
    }
  }
  return comparison;
}

/**
 * `node bench/isolation.ts`: what the owners of 990 healthy destinations notice when ten others hang, drip, flood or
 * cannot be resolved, when a hundred webhooks of one account hang, when one gets one at a time, when one holds a
 * backlog of a million, or when one looks at the log. The measure is the time from a post's release to its first
 * attempt at the receiver. On a disk that others use too, their writes decide the p99 (every commit is synced):
 * `--folder` puts the database elsewhere, such as a tmpfs. `--quick` is a sanity run of two minutes a store. `--store
 * postgres` measures that store alone, and `--only draining` or `--only recovered` the rows with that word in their
 * names. `windows.ts` says how windows with and without a trouble are compared.
 *
 * A control run puts all destinations into one queue, which shows what lanes are for. Ends with 1 when a gate is missed
 * by more than the noise.
 */
import { join } from "node:path";
import { newDiskFolder } from "../test/kit/folder.ts";
import type { Cluster } from "../test/kit/servers/postgres.ts";
import { startReceiver } from "../test/kit/servers/receiver.ts";
import { describeMachine } from "./conditions.ts";
import { compareBacklog, compareHeldBacklog, compareRecovered } from "./isolation/backlog.ts";
import { compareHooks, compareOrder } from "./isolation/hooks.ts";
import { compareOpenPage } from "./isolation/open-page.ts";
import {
  destinationUrls,
  fillPlaces,
  type Place,
  type Rig,
  run,
  runInTrouble,
  scriptTroubles,
  start,
  toKey,
} from "./isolation/rig.ts";
import {
  atLeastOne,
  BACKLOG,
  BACKLOG_ANSWER_MS,
  DESTINATIONS,
  DRIP_REST_MS,
  FOLDER,
  GATE,
  HOOKS,
  ONLY,
  RATE_PER_SECOND,
  RECOVERED_BACKLOG,
  REST_MS,
  ROUNDS,
  SICK,
  SICK_MS,
  STORES,
  type Trouble,
  TROUBLES,
  WARM_UP_MS,
  WELL_MS,
} from "./isolation/sizes.ts";
import { startNameServer } from "./name-server.ts";
import { startPart } from "./part.ts";
import { describeServer, startServer } from "./postgres-server.ts";
import type { FromTraffic, ToTraffic } from "./traffic.ts";
import { add, type Comparison, noWaits, printComparisons } from "./windows.ts";

const top = newDiskFolder("isolation", FOLDER);
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
function chooseRows(): readonly Row[] {
  const draining = { place: "backlog", gate: GATE, rounds: ROUNDS } as const;
  const inOneQueue = { place: "queue-backlog", gate: null, rounds: 1 } as const;
  const rows: Row[] = [
    ...TROUBLES.map((trouble) => ({
      name: `1 % ${trouble}`,
      places: ["troubles"] as const,
      compare: (rig: Rig, name: string) => compareTrouble(rig, name, trouble),
    })),
    { name: `${HOOKS} webhooks of one account hang`, places: ["hooks"], compare: compareHooks },
    { name: "a webhook that gets one at a time", places: ["order"], compare: compareOrder },
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
    {
      name: `backlog of ${RECOVERED_BACKLOG}, recovered`,
      places: ["queue", "recovered-backlog"],
      compare: compareRecovered,
    },
    { name: "control: 1 % hang, one queue", places: ["queue"], compare: compareHangInOneQueue },
    {
      name: "control: backlog, one queue",
      places: ["queue", "queue-backlog"],
      compare: (rig, name) => compareBacklog(rig, { name, ...inOneQueue }),
    },
  ];
  const chosen = rows.filter(({ name }) => name.includes(ONLY));
  return atLeastOne(chosen, `--only "${ONLY}" is in no row's name: ${rows.map(({ name }) => name).join("; ")}`);
}

async function compareTrouble(rig: Rig, name: string, trouble: Trouble): Promise<Comparison[]> {
  await using service = await start(rig, "troubles");
  await run(rig, service, WARM_UP_MS);
  const comparison: Comparison = { name, without: noWaits(), during: noWaits(), gate: GATE };
  for (let round = 0; round < ROUNDS; round += 1) {
    add(comparison.without, await run(rig, service, WELL_MS));
    add(comparison.during, await runInTrouble(rig, service, toKey(trouble, round)));
    await run(rig, service, trouble === "body drip" ? DRIP_REST_MS : REST_MS);
  }
  await service.stop();
  return [comparison];
}

/** The same trouble once more, met by one queue. */
async function compareHangInOneQueue(rig: Rig, name: string): Promise<Comparison[]> {
  await using service = await start(rig, "queue", { ONE_QUEUE: "1" });
  await run(rig, service, WARM_UP_MS);
  const without = await run(rig, service, WELL_MS);
  const during = await runInTrouble(rig, service, toKey("hang", 0));
  return [{ name, without, during, gate: null }];
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

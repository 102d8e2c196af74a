/**
 * `npm run bench -- postgres`: the promises of the store on PostgreSQL, each measured with a real server that syncs
 * every commit. `--only claims,nodes` runs some of it; `--deliveries`, `--destinations`, `--backlog`,
 * `--snapshot-minutes` and `--seconds` (of a window) change the sizes, `--quick` makes all of them small, and
 * `--explain` shows where the time goes, statement by statement.
 *
 * Ends with 1 when a gate is missed. The server's data lies in the temporary folder (`TMPDIR`) and is removed at the
 * end, also after Ctrl-C.
 */
import { statfsSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { minutesMs } from "../../src/lib/duration.ts";
import { describeHost } from "../conditions.ts";
import { newDiskFolder } from "../../test/kit/folder.ts";
import { claims } from "./claims.ts";
import type { Measurement, Sizes } from "./measurement.ts";
import { nodes } from "./nodes.ts";
import { oneBacklog } from "./one-backlog.ts";
import { outbox } from "./outbox.ts";
import { snapshot } from "./snapshot.ts";
import { describeServer, startServer } from "./server.ts";

const MEASUREMENTS: readonly Measurement[] = [claims, oneBacklog, snapshot, nodes, outbox];

const FULL: Sizes = {
  deliveries: 10_000_000,
  destinations: 10_000,
  backlog: 2_000_000,
  snapshotMinutes: 5,
  seconds: 30,
};
const QUICK: Sizes = {
  deliveries: 100_000,
  destinations: 1_000,
  backlog: 50_000,
  snapshotMinutes: 0.2,
  seconds: 3,
};

/** A machine that has other work to do, or a slow disk, is given this many times the expected duration. */
const PATIENCE = 4;
/** Measured: a delivery that waits, with its event, key and indexes. */
const BYTES_PER_DELIVERY = 2_200;
/** The server's log of changes at its largest, and a margin. */
const LOG_BYTES = 20 * 1024 ** 3;

for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => process.exit(1));
const { chosen, sizes, isExplained } = readArguments();
const minutes = Math.ceil(chosen.reduce((sum, measurement) => sum + measurement.minutes(sizes), 0));
console.log(`about ${minutes} minutes in all; given up after ${PATIENCE * minutes}\n`);
assertRoom();
setTimeout(
  () => {
    console.error(`it is still not done after ${PATIENCE * minutes} minutes`);
    process.exit(1);
  },
  minutesMs(PATIENCE * minutes),
).unref();
const folder = newDiskFolder("postgres");
let missed = 0;
for (const measurement of chosen) missed += (await isKept(measurement)) ? 0 : 1;
process.exit(missed > 0 ? 1 : 0);

/** Each on a server of its own: what one leaves behind would be another's noise. */
async function isKept(measurement: Measurement): Promise<boolean> {
  const startedMs = performance.now();
  console.log(`## ${measurement.name}\n`);
  console.log(`- ${describeHost()}`);
  await using cluster = await startServer();
  for (const line of await describeServer(cluster)) console.log(`- ${line}`);
  const kept = await measurement.run({ cluster, folder: join(folder, measurement.name), sizes, isExplained });
  console.log(`(${((performance.now() - startedMs) / 60_000).toFixed(1)} minutes)\n`);
  return kept;
}

/** A full disk would be noticed by everybody else on the machine too. */
function assertRoom(): void {
  const { bavail, bsize } = statfsSync(tmpdir());
  const neededBytes = Math.max(sizes.deliveries, sizes.backlog) * BYTES_PER_DELIVERY + LOG_BYTES;
  if (bavail * bsize >= neededBytes) return;
  console.error(
    `${(neededBytes / 1e9).toFixed(0)} GB are needed in ${tmpdir()}; TMPDIR, --deliveries or --backlog help`,
  );
  process.exit(2);
}

function readArguments() {
  const size = { type: "string" } as const;
  const options = {
    only: { type: "string" },
    quick: { type: "boolean" },
    explain: { type: "boolean" },
    deliveries: size,
    destinations: size,
    backlog: size,
    "snapshot-minutes": size,
    seconds: size,
  } as const;
  try {
    const { values } = parseArgs({ options, strict: true });
    const base = values.quick === true ? QUICK : FULL;
    const names = values.only?.split(",") ?? MEASUREMENTS.map(({ name }) => name);
    return {
      chosen: names.map(named),
      sizes: {
        deliveries: parseSize("deliveries", values.deliveries, base.deliveries),
        destinations: parseSize("destinations", values.destinations, base.destinations),
        backlog: parseSize("backlog", values.backlog, base.backlog),
        snapshotMinutes: parseSize("snapshot-minutes", values["snapshot-minutes"], base.snapshotMinutes),
        seconds: parseSize("seconds", values.seconds, base.seconds),
      },
      isExplained: values.explain === true,
    };
  } catch (error) {
    console.error(error instanceof Error ? error.message : error);
    process.exit(2);
  }
}

function named(name: string): Measurement {
  const found = MEASUREMENTS.find((measurement) => measurement.name === name);
  if (found !== undefined) return found;
  throw new Error(`there is no part "${name}"; there are ${MEASUREMENTS.map((each) => each.name).join(", ")}`);
}

function parseSize(flag: string, text: string | undefined, otherwise: number): number {
  const value = text === undefined ? otherwise : Number(text);
  if (Number.isFinite(value) && value > 0) return value;
  throw new Error(`--${flag} takes a number above zero`);
}

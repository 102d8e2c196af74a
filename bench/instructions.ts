/**
 * `npm run bench -- instructions [--against <commit>]`: instructions that a webhook costs the service's process, from a
 * record at intake to its settled delivery, on SQLite. They are counted and not timed, so that they differ little from
 * run to run and what else the machine does hardly counts. It needs valgrind, under which everything takes some thirty
 * times as long: a minute counts a few thousand webhooks.
 */
import { join } from "node:path";
import { parseArgs } from "node:util";
import { newDiskFolder } from "../test/kit/folder.ts";
import { drained } from "../test/kit/process/running.ts";
import { describeHost } from "./conditions.ts";
import { type Counted, readValgrindVersion, startCounted } from "./instructions/counted-service.ts";
import { alertsTo, DESTINATIONS, LOADS, type PathLoad, sendTo } from "./path/loads.ts";
import { checkOut, HERE, setUpIn, type Tree } from "./path/tree.ts";
import { head, row } from "./postgres/measurement.ts";
import { type Rig, sendAndAwait, startRig } from "./rig.ts";

const { values } = parseArgs({
  options: {
    against: { type: "string" },
    loads: { type: "string", default: "NDJSON,over 256" },
    "warm-up": { type: "string", default: "240" },
    seconds: { type: "string", default: "60" },
  },
});
/** Seconds that the load goes on at a time. */
const SLICE = 30;
const loads = values.loads.split(",").flatMap((part) => LOADS.filter(({ name }) => name.includes(part)));

const version = readValgrindVersion();
if (version === null || loads.length === 0) {
  console.error(
    version === null
      ? "this bench needs valgrind, which counts instructions: install the package valgrind, and try again"
      : `no load is called "${values.loads}"; there are: ${LOADS.map(({ name }) => name).join(", ")}`,
  );
  process.exit(2);
}
const folder = newDiskFolder("instructions");
const trees = values.against === undefined ? [HERE] : [checkOut(values.against, folder), HERE];
console.log(`- ${describeHost()}, ${version}`);
console.log(`- ${DESTINATIONS} destinations of one account; ${values["warm-up"]} s of warm-up, not counted`);
console.log("- what the process executes, in thousands a webhook; not what the kernel does for it\n");
head("Load", "Code", "webhooks before", "webhooks counted", "all", "main", "store", "V8 and libuv");
for (const load of loads) {
  for (const tree of trees) await measureTree(tree, load);
}
process.exit(0);

async function measureTree(tree: Tree, load: PathLoad): Promise<void> {
  using rig = await startRig();
  const dataDir = join(folder, `${tree.name}-${loads.indexOf(load)}`);
  await setUpIn(tree, { dataDir, alerts: alertsTo(rig) });
  await using service = await startCounted({ root: tree.root, folder: dataDir });
  const before = await spend(Number(values["warm-up"]), { rig, service, load });
  service.slowDown();
  // What comes in at another pace is compiled anew here and there.
  await spend(SLICE, { rig, service, load });
  service.begin();
  const webhooks = await spend(Number(values.seconds), { rig, service, load });
  const { main, store, other } = service.end();
  const thousands = [main + store + other, main, store, other].map((count) => Math.round(count / webhooks / 1000));
  row(load.name, tree.name, before, webhooks, ...thousands);
}

interface Scene {
  readonly rig: Rig;
  readonly service: Counted;
  readonly load: PathLoad;
}

/** Records that were delivered. */
async function spend(seconds: number, { rig, service: { node }, load }: Scene): Promise<number> {
  const send = sendTo(rig, node, load);
  let records = 0;
  for (let spent = 0; spent < seconds; spent += SLICE) {
    const { done } = await sendAndAwait(rig, { send, durationMs: Math.min(SLICE, seconds - spent) * 1000 });
    records += done.records;
  }
  await drained(node);
  return records;
}

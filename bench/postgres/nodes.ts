/**
 * Throughput on PostgreSQL beside SQLite's, and of two nodes, in one run: the same load, receiver and bodies, taken in
 * turns. Server, nodes, receiver and load generator share this machine's cores, so two nodes cannot show how the
 * service grows with machines; they show what sharing a database costs.
 */
import { join } from "node:path";
import type { Running } from "../../test/kit/process/running.ts";
import { cpuOfProcess, cpuOfThreads, type Measured, measure, printThroughput, type Rig, startRig } from "../rig.ts";
import { closedLoad, type Installation, LOADS, setUp, startMeasuredNode } from "./measured-service.ts";
import type { Measurement } from "./measurement.ts";
import { cpuOfServer, createStore } from "./server.ts";

const ROUNDS = 2;
const WARM_UP_MS = 2_000;

interface Contender {
  readonly name: string;
  readonly installation: Installation;
  readonly nodes: number;
}

export const nodes: Measurement = {
  name: "nodes",
  minutes: ({ seconds }) => (ROUNDS * 6 * (seconds / 3 + 4)) / 60,
  async run({ cluster, folder, sizes }) {
    using rig = await startRig();
    const sqlite = { dataDir: join(folder, "sqlite") };
    const postgres = { dataDir: join(folder, "postgres"), database: await createStore(cluster) };
    for (const installation of [sqlite, postgres]) await setUp(rig, installation);
    const server = await cpuOfServer(cluster);
    const contenders: readonly Contender[] = [
      { name: "SQLite, 1 node", installation: sqlite, nodes: 1 },
      { name: "PostgreSQL, 1 node", installation: postgres, nodes: 1 },
      { name: "PostgreSQL, 2 nodes", installation: postgres, nodes: 2 },
    ];
    const measuredMs = (sizes.seconds * 1000) / 3;
    console.log(`- ${ROUNDS} rounds in turns, ${WARM_UP_MS / 1000} s of warm-up, ${measuredMs / 1000} s measured each`);
    console.log("- 8 destinations; ratio: to SQLite with the same load in the same round");
    console.log("- all share this machine's cores: two nodes here show what sharing costs, not how it scales\n");
    const all: Measured[] = [];
    const ratios = new Map<Measured, number>();
    for (let round = 0; round < ROUNDS; round += 1) {
      let first: readonly Measured[] = [];
      for (const contender of contenders) {
        const measured = await compete(rig, contender, { server, measuredMs });
        if (first.length === 0) first = measured;
        for (const [place, each] of measured.entries()) {
          ratios.set(each, each.deliveredPerSecond / (first[place]?.deliveredPerSecond ?? Number.NaN));
        }
        all.push(...measured);
      }
    }
    printThroughput(all, (each) => (ratios.get(each) ?? Number.NaN).toFixed(2));
    return true;
  },
};

interface How {
  readonly server: () => number;
  readonly measuredMs: number;
}

/** Both loads. A node starts for its turn only: one that idles would still look for what is due. */
async function compete(rig: Rig, contender: Contender, { server, measuredMs }: How): Promise<Measured[]> {
  await using stack = new AsyncDisposableStack();
  const running: Running[] = [];
  while (running.length < contender.nodes) running.push(stack.use(await startMeasuredNode(contender.installation)));
  const cpu = () => ({
    ...Object.assign({}, ...running.map(({ child }, place) => cpuOfThreads(nodeName(contender, place), child.pid))),
    ...(contender.installation.database === undefined ? {} : { server: server() }),
    load: cpuOfProcess(rig.load.pid),
  });
  const measured: Measured[] = [];
  for (const kind of ["batches", "single"] as const) {
    const subject = { name: `${contender.name}: ${LOADS[kind].name}`, send: closedLoad(rig, running, kind), cpu };
    measured.push(await measure(rig, { ...subject, services: running }, { warmUpMs: WARM_UP_MS, measuredMs }));
  }
  for (const node of running) await node.stop();
  return measured;
}

const nodeName = ({ nodes: count }: Contender, place: number): string => (count === 1 ? "node" : `node ${place + 1}`);

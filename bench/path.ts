/**
 * `npm run bench -- path [--against <commit>]`: what a webhook costs from a record at intake to its settled delivery,
 * on both stores, under five loads. With `--against` the commit's code runs in turns with the code that is here, in one
 * run on one machine, so that the ratios stand although the machine is shared. `--store sqlite`, `--turns 1` and
 * `--quick` (a sanity run) make it shorter.
 *
 * Instructions are not printed: they need counters of the processor, which virtual machines rarely give (`perf stat`
 * says "not supported"). CPU time varies by a third between runs; the ratios within a run by less.
 */
import { join } from "node:path";
import { parseArgs } from "node:util";
import { newDiskFolder } from "../test/kit/folder.ts";
import { describeMachine } from "./conditions.ts";
import { LOADS } from "./path/loads.ts";
import { measureTree, type PathCost, type StoreKind } from "./path/subject.ts";
import { printCosts } from "./path/table.ts";
import { checkOut, HERE, type Tree } from "./path/tree.ts";
import { describeServer, startServer } from "./postgres/server.ts";
import { type Rig, type Span, startRig } from "./rig.ts";

const { values } = parseArgs({
  options: {
    against: { type: "string" },
    store: { type: "string", default: "sqlite,postgres" },
    turns: { type: "string", default: "2" },
    quick: { type: "boolean", default: false },
  },
});
const SPAN: Span = values.quick ? { warmUpMs: 300, measuredMs: 1_000 } : { warmUpMs: 1_000, measuredMs: 5_000 };
const TURNS = Number(values.turns);
const STORES: readonly StoreKind[] = (["sqlite", "postgres"] as const).filter((kind) => values.store.includes(kind));
if (STORES.length === 0 || !(TURNS >= 1)) {
  console.error("usage: npm run bench -- path [--against <commit>] [--store sqlite,postgres] [--turns 2] [--quick]");
  process.exit(2);
}

const folder = newDiskFolder("path");
const trees = values.against === undefined ? [HERE] : [checkOut(values.against, folder), HERE];
for (const line of describeMachine(folder)) console.log(`- ${line}`);
console.log(
  `- ${SPAN.warmUpMs / 1000} s of warm-up, ${SPAN.measuredMs / 1000} s measured, until the last one has arrived`,
);
console.log(`- ${TURNS} turns, the order of the trees changing; the median of the turns (least to most)`);
console.log(`- ${LOADS.length} loads to 8 destinations: the receiver, the service and the load are a process each`);
for (const store of STORES) await compare(store);
process.exit(0);

async function compare(store: StoreKind): Promise<void> {
  using rig = await startRig();
  await using cluster = store === "postgres" ? await startServer() : null;
  console.log(`\n## ${store}\n`);
  for (const line of cluster === null ? [] : await describeServer(cluster)) console.log(`- ${line}`);
  const costs: PathCost[] = [];
  for (let turn = 0; turn < TURNS; turn += 1) {
    const inTurn: readonly Tree[] = turn % 2 === 0 ? trees : trees.toReversed();
    for (const tree of inTurn) costs.push(...(await measureOnce(tree, { rig, cluster, turn })));
  }
  printCosts(costs, { store, trees: trees.map(({ name }) => name) });
}

interface Turn {
  readonly rig: Rig;
  readonly cluster: Awaited<ReturnType<typeof startServer>> | null;
  readonly turn: number;
}

async function measureOnce(tree: Tree, { rig, cluster, turn }: Turn): Promise<PathCost[]> {
  const own = join(folder, `${cluster === null ? "sqlite" : "postgres"}-${turn}-${tree.name}-data`);
  return await measureTree(tree, { rig, span: SPAN, cluster, folder: own });
}

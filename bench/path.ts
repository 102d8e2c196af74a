/**
 * `npm run bench -- path [--against <commit> | --declared]`: what a webhook costs from a record at intake to its
 * settled delivery, on both stores, under five loads. With `--against` the commit's code runs beside the code that is
 * here, with `--declared` records of a declared type run beside sessions of the same size. Each load goes to one and
 * then to the other, turn after turn, so that the ratios stand although the machine is shared and its speed changes.
 * `--store sqlite`, `--turns 2` and `--quick` (a sanity run) make it shorter.
 *
 * CPU time varies by a third between runs; the ratios within a run by less.
 */
import { join } from "node:path";
import { parseArgs } from "node:util";
import { newDiskFolder } from "../test/kit/folder.ts";
import { describeMachine } from "./conditions.ts";
import { BUSY, LOADS } from "./path/loads.ts";
import { type Measurable, type PathCost, startSubject, type StoreKind, type Subject } from "./path/subject.ts";
import { printCosts } from "./path/table.ts";
import { checkOut, HERE } from "./path/tree.ts";
import { type Span, startRig } from "./rig.ts";

const { values } = parseArgs({
  options: {
    against: { type: "string" },
    declared: { type: "boolean", default: false },
    store: { type: "string", default: "sqlite,postgres" },
    turns: { type: "string", default: "5" },
    quick: { type: "boolean", default: false },
  },
});
const SPAN: Span = values.quick ? { warmUpMs: 300, measuredMs: 500 } : { warmUpMs: 500, measuredMs: 3_000 };
/** A service that has just started runs code that V8 has not compiled yet, which little load would pay for longest. */
const WARMING: Span = { warmUpMs: 0, measuredMs: values.quick ? 500 : 8_000 };
const TURNS = Number(values.turns);
const STORES: readonly StoreKind[] = (["sqlite", "postgres"] as const).filter((kind) => values.store.includes(kind));
if (STORES.length === 0 || !(TURNS >= 1)) {
  console.error(
    "usage: npm run bench -- path [--against <commit> | --declared] [--store sqlite,postgres] [--turns 5] [--quick]",
  );
  process.exit(2);
}

const folder = newDiskFolder("path");
const measurables = listMeasurables();
for (const line of describeMachine(folder)) console.log(`- ${line}`);
console.log(
  `- each service has taken single posts for ${WARMING.measuredMs / 1000} s before, and has done its other work`,
);
console.log(
  `- ${SPAN.warmUpMs / 1000} s of warm-up, ${SPAN.measuredMs / 1000} s measured, until the last one has arrived`,
);
console.log(
  `- ${TURNS} turns, the order changing; medians of the turns (least to most), and of their ratios [quartiles]`,
);
console.log(`- ${LOADS.length} loads to 8 destinations: the receiver, the service and the load are a process each`);
for (const store of STORES) await compare(store);
process.exit(0);

async function compare(store: StoreKind): Promise<void> {
  using rig = await startRig();
  await using subjects = new AsyncDisposableStack();
  const running: Subject[] = [];
  for (const each of measurables) {
    const scene = { rig, store, folder: join(folder, `${store}-${each.name}`) };
    running.push(subjects.use(await startSubject(each, scene)));
  }
  console.log(`\n## ${store}\n`);
  for (const line of running[0]?.conditions ?? []) console.log(`- ${line}`);
  for (const subject of running) await subject.measure(BUSY, { span: WARMING, turn: 0 });
  // What a busy phase leaves to be done, such as the index of search, is not the next load's.
  for (const subject of running) await subject.idle();
  const costs: PathCost[] = [];
  for (const load of LOADS) {
    for (let turn = 0; turn < TURNS; turn += 1) {
      const inTurn = turn % 2 === 0 ? running : running.toReversed();
      for (const subject of inTurn) costs.push(await subject.measure(load, { span: SPAN, turn }));
    }
  }
  printCosts(costs, { store, trees: measurables.map(({ name }) => name) });
}

/** In the order in which they are compared. */
function listMeasurables(): readonly Measurable[] {
  const here = { name: HERE.name, tree: HERE };
  if (values.against !== undefined) {
    const tree = checkOut(values.against, folder);
    return [{ name: tree.name, tree }, here];
  }
  if (!values.declared) return [here];
  return [
    { name: "built-in", tree: HERE, isDeclared: false },
    { name: "declared", tree: HERE, isDeclared: true },
  ];
}

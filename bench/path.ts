/**
 * `npm run bench -- path [--against <commit>] [--sessions] [--declared] [--conditions] [--template] [--body <KiB>]
 * [--pulls <number>]`: what a webhook costs from a record to its settled delivery and the index of search, on both
 * stores, under five loads, and for records of a declared type and webhooks with conditions or a template under three.
 * `--sessions`, `--declared`, `--conditions` and `--template` measure that alone, and `--body 64,256` records of a
 * declared type that are so large. `--pulls 1000` measures sessions with and without so many questions of programs that
 * wait, in ten other accounts; what the questions cost by themselves is printed and not counted.
 *
 * With `--against` the commit's code runs beside the code that is here, and a second time beside itself: the ratio of
 * that row is noise. Without it what is declared or has conditions runs beside sessions of the same size. Each load
 * goes to one and then to the others, turn after turn, so that the ratios stand although the machine is shared and its
 * speed changes. `--store sqlite`, `--turns 2` and `--quick` (a sanity run) make it shorter.
 *
 * CPU time varies by a third between runs; the ratios within a run by less.
 */
import { join } from "node:path";
import { parseArgs } from "node:util";
import { newDiskFolder } from "../test/kit/folder.ts";
import { describeMachine } from "./conditions.ts";
import { BUSY, largeBodies, LOADS, type PathLoad } from "./path/loads.ts";
import {
  type Arrangement,
  type Measurable,
  type PathCost,
  startSubject,
  type StoreKind,
  type Subject,
} from "./path/subject.ts";
import { printCosts } from "./path/table.ts";
import { checkOut, HERE, type Tree } from "../test/kit/process/checkout.ts";
import { type Span, startRig } from "./rig.ts";

const { values } = parseArgs({
  options: {
    against: { type: "string" },
    sessions: { type: "boolean", default: false },
    declared: { type: "boolean", default: false },
    conditions: { type: "boolean", default: false },
    template: { type: "boolean", default: false },
    body: { type: "string" },
    pulls: { type: "string" },
    store: { type: "string", default: "sqlite,postgres" },
    turns: { type: "string", default: "5" },
    quick: { type: "boolean", default: false },
  },
});
const SPAN: Span = values.quick ? { warmUpMs: 300, measuredMs: 500 } : { warmUpMs: 500, measuredMs: 3_000 };
/** A service that has just started runs code that V8 has not compiled yet, which little load would pay for longest. */
const WARMING: Span = { warmUpMs: 0, measuredMs: values.quick ? 500 : 8_000 };
const TURNS = Number(values.turns);
const ARRANGEMENTS = ["sessions", "declared", "conditions", "template"] as const;
const STORES: readonly StoreKind[] = (["sqlite", "postgres"] as const).filter((kind) => values.store.includes(kind));
if (STORES.length === 0 || !(TURNS >= 1)) {
  console.error(
    "usage: npm run bench -- path [--against <commit>] [--sessions] [--declared] [--conditions] [--template] " +
      "[--body 64,256] [--pulls 1000] [--store sqlite,postgres] [--turns 5] [--quick]",
  );
  process.exit(2);
}

const folder = newDiskFolder("path");
const comparisons = listComparisons();
for (const line of describeMachine(folder)) console.log(`- ${line}`);
console.log(
  `- each service has taken single posts for ${WARMING.measuredMs / 1000} s before, and has done its other work`,
);
console.log(
  `- ${SPAN.warmUpMs / 1000} s of warm-up, ${SPAN.measuredMs / 1000} s measured; CPU until the service is idle again`,
);
console.log(
  `- ${TURNS} turns, the order changing; medians of the turns (least to most), and of their ratios [quartiles]`,
);
console.log("- loads go to 8 destinations: the receiver, the service and the load are a process each");
for (const store of STORES) for (const comparison of comparisons) await compare(store, comparison);
process.exit(0);

async function compare(store: StoreKind, { title, loads, measurables }: Comparison): Promise<void> {
  using rig = await startRig();
  await using subjects = new AsyncDisposableStack();
  console.log(`\n## ${store}, ${title}\n`);
  const running: Subject[] = [];
  for (const each of measurables) {
    const scene = { rig, store, folder: join(folder, `${store}-${title}-${each.name}`.replaceAll(" ", "-")) };
    const subject = await startSubject(each, scene);
    if (subject === null) console.log(`- ${each.name} has no code here that sets this up, and is not measured`);
    else running.push(subjects.use(subject));
  }
  for (const line of new Set(running.flatMap(({ conditions }) => conditions))) console.log(`- ${line}`);
  for (const subject of running) await subject.measure(BUSY, { span: WARMING, turn: 0 });
  // What a busy phase leaves to be done, such as the index of search, is not the next load's.
  for (const subject of running) await subject.idle();
  const costs: PathCost[] = [];
  for (const load of loads) {
    for (let turn = 0; turn < TURNS; turn += 1) {
      const inTurn = turn % 2 === 0 ? running : running.toReversed();
      for (const subject of inTurn) costs.push(await subject.measure(load, { span: SPAN, turn }));
    }
  }
  printCosts(costs, { store, trees: running.map(({ name }) => name) });
}

interface Comparison {
  readonly title: string;
  readonly loads: readonly PathLoad[];
  /** In the order in which they are compared. */
  readonly measurables: readonly Measurable[];
}

function listComparisons(): readonly Comparison[] {
  const asked = ARRANGEMENTS.filter((each) => values[each]);
  const kinds: readonly Arrangement[] = asked.length > 0 ? asked : ARRANGEMENTS;
  if (values.pulls !== undefined) return [besidePulls(Number(values.pulls))];
  const base = values.against === undefined ? null : checkOut(values.against, folder);
  if (values.body !== undefined) {
    const loads = values.body.split(",").map((kib) => largeBodies(Number(kib)));
    const here: Measurable = { name: HERE.name, tree: HERE, arrangement: "declared" };
    return [{ title: "large bodies", loads, measurables: base === null ? [here] : listBeside(base, "declared") }];
  }
  return kinds.map((kind) => ({
    title: kind,
    loads: kind === "sessions" ? LOADS : LOADS.filter(isUsual),
    measurables: base === null ? listHere(kind) : listBeside(base, kind),
  }));
}

function besidePulls(pulls: number): Comparison {
  const plain: Measurable = { name: HERE.name, tree: HERE, arrangement: "sessions" };
  const asked = `beside ${pulls} pulls`;
  const measurables = [plain, { ...plain, name: `${HERE.name} again` }, { ...plain, name: asked, pulls }];
  return { title: asked, loads: LOADS, measurables };
}

/** Neither idle nor full, and each way in at full load. */
function isUsual({ ratePerSecond, connections }: PathLoad): boolean {
  return ratePerSecond === 500 || (ratePerSecond === null && connections <= 64);
}

function listHere(arrangement: Arrangement): readonly Measurable[] {
  const here = { name: arrangement === "sessions" ? HERE.name : arrangement, tree: HERE, arrangement };
  return arrangement === "sessions" ? [here] : [{ name: "built-in", tree: HERE, arrangement: "built-in" }, here];
}

function listBeside(tree: Tree, arrangement: Arrangement): readonly Measurable[] {
  return [
    { name: tree.name, tree, arrangement },
    { name: `${tree.name} again`, tree, arrangement },
    { name: HERE.name, tree: HERE, arrangement },
  ];
}

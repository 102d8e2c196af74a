/**
 * `npm run bench -- floor [--against <commit>]`: what a webhook costs programs of a few lines that do little of what
 * Bellwire does, beside Bellwire on SQLite, in turns in one run and under the loads of the path's bench.
 *
 * - "forwards alone" and "reads and signs" are made of `node:http` and undici, and keep nothing.
 * - "the least that is safe" stands on bare sockets and SQLite and commits each record before it answers.
 *
 * Bellwire spends the rest on checking, deciding, recognising repeats, telling, timing and retrying.
 */
import { parseArgs } from "node:util";
import { join } from "node:path";
import { newDiskFolder } from "../test/kit/folder.ts";
import { describeMachine } from "./conditions.ts";
import { type Program, startForwarder, startLeast } from "./floor/programs.ts";
import { BUSY, LOADS, type PathLoad } from "./path/loads.ts";
import { startSubject } from "./path/subject.ts";
import { checkOut, HERE } from "./path/tree.ts";
import { median } from "./path/table.ts";
import { head, row } from "./postgres/measurement.ts";
import { type Measured, type Span, startRig } from "./rig.ts";

const { values } = parseArgs({
  options: {
    against: { type: "string" },
    turns: { type: "string", default: "3" },
    seconds: { type: "string", default: "3" },
  },
});
const SPAN: Span = { warmUpMs: 500, measuredMs: Number(values.seconds) * 1000 };
/** Code that V8 has not compiled yet would be paid for by little load the longest. */
const WARMING: Span = { warmUpMs: 0, measuredMs: 6_000 };
const TURNS = Number(values.turns);

const folder = newDiskFolder("floor");
const trees = values.against === undefined ? [HERE] : [checkOut(values.against, folder), HERE];
for (const line of describeMachine(folder)) console.log(`- ${line}`);
console.log(`- each program has taken single posts for ${WARMING.measuredMs / 1000} s before`);
console.log(
  `- ${SPAN.warmUpMs / 1000} s of warm-up, ${values.seconds} s measured, ${TURNS} turns: medians (least to most)\n`,
);

using rig = await startRig();
await using stack = new AsyncDisposableStack();
const programs: Program[] = [
  stack.use(await startForwarder(rig, { name: "forwards alone", signs: false })),
  stack.use(await startForwarder(rig, { name: "reads and signs", signs: true })),
  stack.use(await startLeast(rig, join(folder, "least.db"))),
];
for (const { measure } of programs) await measure(BUSY, WARMING);
for (const tree of trees) {
  const subject = stack.use(await startSubject(tree, { rig, store: "sqlite", folder: join(folder, tree.name) }));
  const measure = async (load: PathLoad, span: Span) => (await subject.measure(load, { span, turn: 0 })).measured;
  programs.push({ name: `Bellwire, ${tree.name}`, measure });
  await measure(BUSY, WARMING);
  // A busy phase leaves work behind, such as the index of search, which is not the first load's.
  await subject.idle();
}

head("Load", "Program", "delivered/s", "µs main", "µs store", "µs V8 and libuv", "µs in all");
for (const load of LOADS) await compare(load);
await stack.disposeAsync();
process.exit(0);

async function compare(load: PathLoad): Promise<void> {
  const measured = new Map(programs.map(({ name }) => [name, [] as Measured[]]));
  for (let turn = 0; turn < TURNS; turn += 1) {
    for (const program of turn % 2 === 0 ? programs : programs.toReversed()) {
      measured.get(program.name)?.push(await program.measure(load, SPAN));
    }
  }
  for (const [name, turns] of measured) print(load.name, name, turns);
}

function print(load: string, program: string, turns: readonly Measured[]): void {
  const micros = (...names: readonly string[]) =>
    turns.map(({ cpuMicros }) => names.reduce((sum, name) => sum + (cpuMicros[`node ${name}`] ?? 0), 0));
  const rates = turns.map(({ deliveredPerSecond }) => deliveredPerSecond);
  const cells = [rates, micros("main"), micros("store"), micros("other")].map((cell) => median(cell).toFixed(0));
  const all = micros("main", "store", "other");
  const [middle, least, most] = [median(all), Math.min(...all), Math.max(...all)].map((value) => value.toFixed(0));
  row(load, program, ...cells, `${middle} (${least} to ${most})`);
}

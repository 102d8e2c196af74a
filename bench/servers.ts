/**
 * `npm run bench -- servers [--citus <address>]`: what a webhook costs all database servers together, with one plain
 * PostgreSQL, with two of them that have a shard each, and with the Citus at that address, whose workers have one
 * each. Loads go to one and then to the next, turn after turn, so that ratios stand although the machine is shared.
 * `--turns 2` and `--quick` (a sanity run) make it shorter.
 *
 * The Citus is an empty database of it with nothing of Bellwire, on this machine, since CPU is read from /proc. What
 * the bench makes there it drops again.
 */
import { join } from "node:path";
import { parseArgs } from "node:util";
import { newDiskFolder } from "../test/kit/folder.ts";
import { describeHost, readDisk } from "./conditions.ts";
import { median, spread } from "./path/table.ts";
import { head, row } from "./markdown.ts";
import { type Measured, type Span, startRig } from "./rig.ts";
import { ACCOUNTS, LOADS, startSubject, type ServersLoad, type Subject } from "./servers/subject.ts";
import { startCitus, startOne, startTwo } from "./servers/databases.ts";

const { values } = parseArgs({
  options: {
    citus: { type: "string" },
    turns: { type: "string", default: "5" },
    quick: { type: "boolean", default: false },
  },
});
const SPAN: Span = values.quick ? { warmUpMs: 300, measuredMs: 500 } : { warmUpMs: 1_000, measuredMs: 5_000 };
/** A service that has just started runs code that V8 has not compiled yet. */
const WARMING: Span = { warmUpMs: 0, measuredMs: values.quick ? 500 : 5_000 };
const TURNS = Number(values.turns);
if (!(TURNS >= 1)) {
  console.error("usage: npm run bench -- servers [--citus postgres://user@host:port/database] [--turns 5] [--quick]");
  process.exit(2);
}

interface Cost {
  readonly subject: string;
  readonly load: ServersLoad;
  readonly turn: number;
  readonly measured: Measured;
}

const folder = newDiskFolder("servers");
console.log(`- ${describeHost()}, databases on ${readDisk(folder)}`);
console.log(`- ${ACCOUNTS} accounts of 8 destinations each; half of them in each of two shards`);
console.log(`- ${SPAN.warmUpMs / 1000} s of warm-up, ${SPAN.measuredMs / 1000} s measured, ${TURNS} turns`);
console.log("- medians of the turns (least to most), and of their ratios to one server");
await run();
process.exit(0);

async function run(): Promise<void> {
  using rig = await startRig();
  await using stack = new AsyncDisposableStack();
  const databases = [stack.use(await startOne()), stack.use(await startTwo())];
  if (values.citus !== undefined) databases.push(stack.use(await startCitus(values.citus)));
  const subjects: Subject[] = [];
  for (const [place, each] of databases.entries()) {
    subjects.push(stack.use(await startSubject(each, { rig, folder: join(folder, `${place}`) })));
    for (const line of each.conditions) console.log(`- ${each.name}: ${line}`);
  }
  const [warming] = LOADS;
  for (const subject of subjects) await subject.measure(warming, WARMING);
  const costs: Cost[] = [];
  for (const load of LOADS) {
    for (let turn = 0; turn < TURNS; turn += 1) {
      for (const subject of turn % 2 === 0 ? subjects : subjects.toReversed()) {
        costs.push({ subject: subject.name, load, turn, measured: await subject.measure(load, SPAN) });
      }
    }
  }
  print(costs, subjects);
}

function print(costs: readonly Cost[], subjects: readonly Subject[]): void {
  console.log("");
  head("Load", "Servers", "delivered/s", "calls a commit", "µs node", "µs all servers", "ratio", "aim");
  for (const load of LOADS) {
    const [one = [], ...others] = subjects.map(({ name }) =>
      costs.filter((cost) => cost.load === load && cost.subject === name),
    );
    for (const turns of [one, ...others]) row(load.name, turns[0]?.subject ?? "", ...toCells(turns, one));
  }
}

function toCells(turns: readonly Cost[], one: readonly Cost[]): string[] {
  const cell = (read: (cost: Cost) => number, digits = 0): string => spread(turns.map(read), digits);
  const ratios = turns.map((cost) => serverMicros(cost) / serverMicros(inTurnOf(cost, one)));
  const { subject = "", load } = turns[0] ?? {};
  return [
    cell(({ measured }) => measured.deliveredPerSecond),
    cell(({ measured: { commits } }) => commits.calls / commits.commits, 1),
    cell(({ measured }) => measured.cpuMicros["node"] ?? 0),
    cell(serverMicros),
    `× ${median(ratios).toFixed(2)}`,
    load?.aims[subject] ?? "",
  ];
}

function serverMicros({ measured }: Cost): number {
  return measured.cpuMicros["servers"] ?? 0;
}

function inTurnOf({ turn }: Cost, others: readonly Cost[]): Cost {
  const found = others.find((other) => other.turn === turn);
  if (found === undefined) throw new Error(`turn ${turn} of one server was not measured`);
  return found;
}

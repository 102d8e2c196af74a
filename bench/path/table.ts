/** The table of the path's bench: a line for each load and tree, with the median of the turns. */
import { head, row } from "../markdown.ts";
import type { PathCost, StoreKind } from "./subject.ts";

interface Printed {
  readonly store: StoreKind;
  /** In the order in which they are compared: the last one's ratio is to the first one. */
  readonly trees: readonly string[];
}

const SQLITE = ["main", "store", "V8 and libuv"];
const POSTGRES = ["node", "server"];

export function printCosts(costs: readonly PathCost[], { store, trees }: Printed): void {
  const counted = store === "sqlite" ? ["bytes written"] : ["log bytes", "rows written", "dead rows", "commits"];
  const cpu = (store === "sqlite" ? SQLITE : POSTGRES).map((name) => `µs ${name}`);
  head("Load", "Code", "delivered/s", ...cpu, "µs in all", ...counted);
  for (const load of new Set(costs.map((cost) => cost.load))) {
    const [first = [], ...others] = trees.map((tree) =>
      costs.filter((cost) => cost.load === load && cost.tree === tree),
    );
    for (const each of [first, ...others]) row(load, each[0]?.tree ?? "", ...toCells(each, { store, to: first }));
  }
}

function toCells(turns: readonly PathCost[], { store, to }: { store: StoreKind; to: readonly PathCost[] }): string[] {
  const isCompared = turns !== to;
  const listRatios = (read: (cost: PathCost) => number) => turns.map((cost) => read(cost) / read(inTurnOf(cost, to)));
  const cell = (read: (cost: PathCost) => number, digits = 0): string => {
    const ratio = isCompared ? ` × ${median(listRatios(read)).toFixed(2)}` : "";
    return `${spread(turns.map(read), digits)}${ratio}`;
  };
  const quartiles = isCompared ? ` [${listQuartiles(listRatios(allMicros))}]` : "";
  const micros = store === "sqlite" ? [mainMicros, storeMicros, otherMicros] : [nodeMicros, serverMicros];
  const counts = [cell(({ bytesWritten }) => bytesWritten)];
  if (store === "postgres") {
    for (const read of [written, dead, commits]) counts.push(spread(turns.map(read), 2));
  }
  return [
    cell(({ measured }) => measured.deliveredPerSecond),
    ...micros.map((read) => spread(turns.map(read), 0)),
    cell(allMicros) + quartiles,
    ...counts,
  ];
}

function inTurnOf({ turn }: PathCost, others: readonly PathCost[]): PathCost {
  const found = others.find((other) => other.turn === turn);
  if (found === undefined) throw new Error(`turn ${turn} has no other tree`);
  return found;
}

const written = ({ rows }: PathCost): number => rows.written;
const dead = ({ rows }: PathCost): number => rows.dead;
const commits = ({ rows }: PathCost): number => rows.commits;

const findCpu = ({ measured }: PathCost, name: string): number => measured.cpuMicros[name] ?? 0;
const mainMicros = (cost: PathCost): number => findCpu(cost, "node main");
const storeMicros = (cost: PathCost): number => findCpu(cost, "node store");
const otherMicros = (cost: PathCost): number => findCpu(cost, "node other");
const serverMicros = (cost: PathCost): number => findCpu(cost, "server");
const nodeMicros = (cost: PathCost): number => mainMicros(cost) + storeMicros(cost) + otherMicros(cost);
const allMicros = (cost: PathCost): number => nodeMicros(cost) + serverMicros(cost);

export function median(numbers: readonly number[]): number {
  const sorted = numbers.toSorted((one, other) => one - other);
  const middle = sorted.length / 2;
  return ((sorted[Math.floor(middle)] ?? Number.NaN) + (sorted[Math.ceil(middle) - 1] ?? Number.NaN)) / 2;
}

/** The two between which the middle half of the ratios lies. */
function listQuartiles(ratios: readonly number[]): string {
  const sorted = ratios.toSorted((one, other) => one - other);
  const at = (share: number): number => sorted[Math.round((sorted.length - 1) * share)] ?? Number.NaN;
  return [at(0.25), at(0.75)].map((ratio) => ratio.toFixed(2)).join(" to ");
}

export function spread(numbers: readonly number[], digits: number): string {
  const show = (value: number): string => value.toLocaleString("en", { maximumFractionDigits: digits });
  if (numbers.length < 2) return show(median(numbers));
  return `${show(median(numbers))} (${show(Math.min(...numbers))} to ${show(Math.max(...numbers))})`;
}

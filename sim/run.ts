/**
 * The simulator's command: `npm run sim -- --seed 42`, `-- --seeds 1000`, `-- --mutants`. Ends with exit code 1 when a
 * promise was broken, a trace did not repeat, an interesting state was never reached, or a planted bug was not caught.
 */
import { parseArgs } from "node:util";
import { toReport, runTwice, shrink } from "./examine.ts";
import { type FaultName, parseFaults } from "./faults.ts";
import { MUTANTS } from "./mutants.ts";
import { NO_MUTANT } from "./mutant.ts";
import { type RunCounts, type SeedRun, runSeed } from "./run-seed.ts";
import { STATE_NAMES } from "./sometimes.ts";

const USAGE = `usage: npm run sim -- [what to run]
  --seed N      one seed, with its trace when --trace is given
  --seeds N     N seeds, each twice; --from M starts at seed M instead of 1
  --mutants     plants each bug in turn and counts the seeds until it is caught
  --mutant X    plants one bug (with --seed: in that seed only)
  --faults a,b  exactly these faults instead of those that the seed chooses; also "all" or "none"
  --trace       prints everything that happened`;

/** From here on a state that was not reached is a failure: fewer seeds may miss one by chance. */
const SEEDS_FOR_ALL_STATES = 1_000;

/** Source: testing page. A bug that survives this many seeds was not caught. */
const MUTANT_SEEDS_MAX = 200;

const options = {
  seed: { type: "string" },
  seeds: { type: "string" },
  from: { type: "string" },
  faults: { type: "string" },
  mutant: { type: "string" },
  mutants: { type: "boolean" },
  trace: { type: "boolean" },
  help: { type: "boolean" },
} as const;

type Choice = ReturnType<typeof parseArgs<{ options: typeof options }>>["values"];

async function main(): Promise<boolean> {
  const { values } = parseArgs({ options });
  if (values.help === true) return say(USAGE);
  const faults = values.faults === undefined ? null : parseFaults(values.faults);
  if (values.mutants === true) return await runMutants(Object.keys(MUTANTS));
  if (values.mutant !== undefined && values.seed === undefined) return await runMutants([values.mutant]);
  if (values.seed !== undefined) return await runOne(wholeNumber("--seed", values.seed), faults, values);
  const count = wholeNumber("--seeds", values.seeds ?? "100");
  return await runMany({ count, from: wholeNumber("--from", values.from ?? "1"), faults });
}

async function runOne(seed: number, faults: readonly FaultName[] | null, choice: Choice): Promise<boolean> {
  const mutant = choice.mutant === undefined ? NO_MUTANT : findMutant(choice.mutant);
  const run = await runTwice({ seed, faults, mutant });
  if (choice.trace === true) say(run.lines().join("\n"));
  if (run.breach !== null)
    return complain(toReport(await shrink(run, mutant), { found: run.faults, mutant: choice.mutant }));
  say(`seed ${seed} with ${run.faults.join(",") || "no faults"}: ${countsText(run.counts)}, trace ${run.hash}`);
  return true;
}

interface Many {
  readonly count: number;
  readonly from: number;
  readonly faults: readonly FaultName[] | null;
}

async function runMany({ count, from, faults }: Many): Promise<boolean> {
  const startedMs = performance.now();
  const reached = new Map<string, number>();
  const total = { events: 0, deliveries: 0, sends: 0, repeats: 0, steps: 0, virtualMs: 0 };
  for (let seed = from; seed < from + count; seed += 1) {
    const run = await runTwice({ seed, faults });
    if (run.breach !== null) return complain(toReport(await shrink(run), { found: run.faults }));
    add(total, run.counts);
    for (const state of run.reached) reached.set(state, (reached.get(state) ?? 0) + 1);
  }
  const seconds = ((performance.now() - startedMs) / 1000).toFixed(1);
  say(`${count} seeds, each twice with the same trace, in ${seconds} s: ${countsText(total)}, no promise broken`);
  return statesAreReached(reached, count);
}

function statesAreReached(reached: ReadonlyMap<string, number>, seeds: number): boolean {
  say("states reached, in how many seeds:");
  for (const state of STATE_NAMES) say(`  ${String(reached.get(state) ?? 0).padStart(5)}  ${state}`);
  const missed = STATE_NAMES.filter((state) => !reached.has(state));
  if (missed.length === 0 || seeds < SEEDS_FOR_ALL_STATES) return true;
  return complain(`never reached in ${seeds} seeds, so nothing is proved about it: ${missed.join("; ")}`);
}

async function runMutants(names: readonly string[]): Promise<boolean> {
  let isEachCaught = true;
  for (const name of names) {
    const mutant = findMutant(name);
    const caught = await catchMutant(name);
    say(`${caught === null ? "NOT CAUGHT" : `seed ${caught.seed}`.padEnd(10)}  ${name}: ${mutant.bug}`);
    if (caught !== null) say(`            by: ${caught.breach?.invariant} (${caught.breach?.message})`);
    isEachCaught &&= caught !== null;
  }
  say(
    isEachCaught ? `every bug of ${names.length} was caught` : `not every bug was caught in ${MUTANT_SEEDS_MAX} seeds`,
  );
  return isEachCaught;
}

/** The run that catches it, or `null` when it survives. */
async function catchMutant(name: string): Promise<SeedRun | null> {
  const mutant = findMutant(name);
  for (let seed = 1; seed <= MUTANT_SEEDS_MAX; seed += 1) {
    const run = await runSeed({ seed, mutant, faults: mutant.faults ?? null });
    if (run.breach !== null) return run;
  }
  return null;
}

function findMutant(name: string) {
  const mutant = Object.hasOwn(MUTANTS, name) ? MUTANTS[name] : undefined;
  if (mutant === undefined) throw new Error(`no such bug: ${name}. There are: ${Object.keys(MUTANTS).join(", ")}.`);
  return mutant;
}

function add(total: Record<keyof RunCounts, number>, counts: RunCounts): void {
  for (const key of Object.keys(counts) as (keyof RunCounts)[]) total[key] += counts[key];
}

function countsText({ events, deliveries, sends, repeats, steps, virtualMs }: RunCounts): string {
  const path = `${events} events, ${deliveries} deliveries, ${sends} requests (${repeats} repeats)`;
  return `${path}, ${steps} steps, ${(virtualMs / 86_400_000).toFixed(2)} days`;
}

function wholeNumber(name: string, text: string): number {
  if (!/^\d{1,9}$/.test(text)) throw new Error(`${name} takes a whole number below 1,000,000,000, not "${text}"`);
  return Number(text);
}

function say(text: string): true {
  process.stdout.write(`${text}\n`);
  return true;
}

function complain(text: string): false {
  process.stderr.write(`${text}\n`);
  return false;
}

const isWell = await main().catch((error: unknown) => {
  complain(`${error instanceof Error ? error.message : String(error)}\n\n${USAGE}`);
  return false;
});
process.exitCode = isWell ? 0 : 1;

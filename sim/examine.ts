/**
 * Conclusions from runs: the same seed twice must leave the same trace, and of a run that breaks a promise only those
 * faults are worth reading about without which it would not.
 */
import type { FaultName } from "./faults.ts";
import type { Mutant } from "./mutant.ts";
import { type SeedOptions, type SeedRun, runSeed } from "./run-seed.ts";

/** Runs a seed twice. A trace that differs is a breach like any other: chance or time that came from outside. */
export async function runTwice(options: SeedOptions): Promise<SeedRun> {
  const first = await runSeed(options);
  const second = await runSeed(options);
  if (first.breach !== null || first.hash === second.hash) return first;
  const invariant = "a seed repeats its trace";
  return { ...first, breach: { invariant, message: firstDifference(first, second), about: "" } };
}

function firstDifference(first: SeedRun, second: SeedRun): string {
  const others = second.lines();
  const place = first.lines().findIndex((line, index) => line !== others[index]);
  return `line ${place + 1} was "${first.lines()[place]}" and then "${others[place]}"`;
}

/** Takes faults out one at a time for as long as the same promise breaks. Returns the last run that broke it. */
export async function shrink(broken: SeedRun, mutant?: Mutant): Promise<SeedRun> {
  for (const fault of broken.faults) {
    const faults = broken.faults.filter((other) => other !== fault);
    const run = await runSeed({ seed: broken.seed, faults, ...(mutant === undefined ? {} : { mutant }) });
    if (run.breach?.invariant === broken.breach?.invariant) return await shrink(run, mutant);
  }
  return broken;
}

/** Lines of the trace that a report ends with. */
const LINES_MAX = 60;

export interface ReportOptions {
  /** The faults that it was found with. */
  readonly found: readonly FaultName[];
  /** Name of the planted bug, if there is one. */
  readonly mutant?: string | undefined;
}

/** The broken promise, how to see it again, and what led to it. */
export function toReport(broken: SeedRun, { found, mutant }: ReportOptions): string {
  const { seed, faults, breach } = broken;
  const planted = mutant === undefined ? "" : ` --mutant ${mutant}`;
  if (breach === null) return `seed ${seed} breaks nothing`;
  const led = broken.lines(breach.about);
  return [
    `seed ${seed} breaks a promise: ${breach.invariant}`,
    `  ${breach.message}`,
    `  faults it takes: ${toList(faults)} (found with ${toList(found)})`,
    `  to see it again: npm run sim -- --seed ${seed} --faults ${toList(faults)}${planted}`,
    `  what led to it${led.length > LINES_MAX ? ` (the last ${LINES_MAX} of ${led.length} lines)` : ""}:`,
    ...led.slice(-LINES_MAX).map((line) => `  ${line}`),
  ].join("\n");
}

/** As `--faults` takes it. */
const toList = (faults: readonly FaultName[]): string => (faults.length === 0 ? "none" : faults.join(","));

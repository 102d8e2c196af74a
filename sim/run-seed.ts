/**
 * One run of one seed: set up, a time with faults, a time to heal, a stop; every invariant held against all of it. The
 * same seed, faults and mutant give the same run, down to the hash of its trace.
 */
import { daysMs } from "../src/lib/duration.ts";
import { START_MS } from "../test/kit/world/virtual-clock.ts";
import { type FaultName, makeSwarm } from "./faults.ts";
import type { Breach } from "./invariants/invariant.ts";
import type { Ledger } from "./ledger/ledger.ts";
import { type Mutant, NO_MUTANT } from "./mutant.ts";
import { holdRestingInvariants, isAtRest } from "./rest.ts";
import type { Simulator } from "./simulator.ts";
import { type Stage, stageRun } from "./stage.ts";

export interface SeedOptions {
  readonly seed: number;
  /** Exactly these faults; `null`: those that the seed chooses. */
  readonly faults?: readonly FaultName[] | null;
  readonly mutant?: Mutant;
}

export interface SeedRun {
  readonly seed: number;
  readonly faults: readonly FaultName[];
  readonly breach: Breach | null;
  /** The hash of the whole trace. */
  readonly hash: string;
  readonly reached: readonly string[];
  readonly counts: RunCounts;
  /** The lines of the trace; with an id, only what names it and what concerns whole nodes. */
  readonly lines: (about?: string) => readonly string[];
}

export interface RunCounts {
  readonly events: number;
  readonly deliveries: number;
  readonly sends: number;
  /** Requests whose receiver had taken an earlier one of the same delivery. */
  readonly repeats: number;
  /** Things that happened, in the scheduler's count. */
  readonly steps: number;
  readonly virtualMs: number;
}

/** Beyond the longest wait that a healed run can have: 24 h and 20 %, or the hour that a clock was ahead. */
const HEALING_MS_MAX = daysMs(2);

/** A run takes a tenth of this; an engine that spins takes more. */
const STEPS_MAX = 150_000;

/** Each look of a node becomes one for each shard, and it looks again each second while one is away (seed 1033). */
const STEPS_WITH_SHARDS = 10;

export async function runSeed({ seed, faults = null, mutant = NO_MUTANT }: SeedOptions): Promise<SeedRun> {
  const stage = await stageRun({ seed, swarm: makeSwarm(seed, faults), mutant });
  const { sim, watch, faultsMs, swarm } = stage;
  const stepsMax = STEPS_MAX * (swarm.faults.includes("shards") ? STEPS_WITH_SHARDS : 1);
  // Something to leap to.
  sim.after(faultsMs, null, () => {});
  const isBroken = () => watch.breach() !== null || sim.events() > stepsMax;
  await sim.run(() => isBroken() || sim.nowMs() - START_MS >= faultsMs);
  if (!isBroken()) await healAndRest(stage, isBroken);
  if (sim.events() > stepsMax) watch.report(endless(sim));
  return await close(stage);
}

async function healAndRest(stage: Stage, isBroken: () => boolean): Promise<void> {
  const { sim, cluster, watch } = stage;
  stage.heal();
  const healedMs = sim.nowMs();
  await sim.run(() => isBroken() || isAtRest(stage) || sim.nowMs() - healedMs >= HEALING_MS_MAX);
  if (!isBroken()) await holdRestingInvariants(stage);
  const nodes = cluster.up();
  cluster.close();
  await sim.run(() => isBroken() || cluster.up().length === 0);
  const stuck = nodes.find(({ life }) => life.hasCrashed)?.life;
  if (stuck !== undefined) watch.report(notStopped(stuck.name));
}

async function close(stage: Stage): Promise<SeedRun> {
  const { swarm, stores, sim, ledger, history, watch, reached } = stage;
  const breach = watch.breach();
  await stores.real[Symbol.asyncDispose]();
  return {
    seed: swarm.seed,
    faults: swarm.faults,
    breach,
    hash: history.hash(),
    reached: reached(),
    counts: {
      events: ledger.events.size,
      deliveries: ledger.deliveries.size,
      sends: ledger.sends.length,
      repeats: countRepeats(ledger),
      steps: sim.events(),
      virtualMs: sim.nowMs() - START_MS,
    },
    lines: history.lines,
  };
}

function countRepeats({ deliveries }: Ledger): number {
  let repeats = 0;
  for (const { sends } of deliveries.values()) {
    const firstTaken = sends.findIndex(({ wasTaken }) => wasTaken);
    if (firstTaken !== -1) repeats += sends.length - 1 - firstTaken;
  }
  return repeats;
}

const endless = (sim: Simulator): Breach => ({
  invariant: "a run comes to an end",
  message: `${sim.events()} steps have not brought it to rest`,
  about: "",
});

const notStopped = (name: string): Breach => ({
  invariant: "a node at rest stops in order",
  message: `${name} had to be ended by the deadline of its shutdown`,
  about: name,
});

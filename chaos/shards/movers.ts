/** Movers under load: each lives for some moves, dies by SIGKILL, and the next one takes its place. */
import { join } from "node:path";
import type { Step } from "../../src/store/postgres/shards/move/move-account.ts";
import { type Child, startChild } from "../../test/kit/process/child.ts";
import { createSeededRandom } from "../../test/kit/world/seeded-random.ts";
import type { MoverJob, MoverLine } from "./mover.ts";

export interface MoversOptions {
  readonly movers: number;
  readonly seed: number;
  readonly env: Readonly<Record<string, string>>;
  readonly accounts: readonly string[];
  readonly shards: readonly string[];
}

export interface Movers extends AsyncDisposable {
  /** Every line so far. */
  readonly lines: readonly MoverLine[];
  movedCount(): number;
  /** Rejects when one of them has ended otherwise than it was told to. */
  readonly failed: Promise<never>;
  /** Each ends its move, or dies as it was about to. */
  end(): Promise<void>;
}

const STEPS: readonly Step[] = ["noted", "copied", "fenced", "arrived", "departed", "landed", "directed", "cleaned"];
/** Of a life that does not end behind a step. */
const LIFE_MS = { least: 2_000, most: 20_000 };
/** The move in which a life ends is one of so many. */
const MOVES_MAX = 20;

export function startMovers({ movers, seed, env, ...ofJob }: MoversOptions): Movers {
  const lines: MoverLine[] = [];
  const alive = new Set<Child>();
  const { promise: failed, reject } = Promise.withResolvers<never>();
  failed.catch(() => {});
  let isEnding = false;

  async function live(place: number): Promise<void> {
    const { unit } = createSeededRandom(seed + place);
    for (let life = 0; !isEnding; life += 1) {
      const job: MoverJob = { ...ofJob, seed: Math.floor(unit() * 2 ** 31), dies: toDeath(life, unit) };
      const child = startChild({
        args: [join(import.meta.dirname, "mover.ts")],
        env: { ...env, PGAPPNAME: `mover-${place}.${life}`, MOVER_JOB: JSON.stringify(job) },
      });
      alive.add(child);
      if (isEnding) child.endInput();
      const { code, signal } = await child.exited;
      alive.delete(child);
      lines.push(...child.out.all.map((line) => JSON.parse(line) as MoverLine));
      if (signal !== "SIGKILL" && code !== 0) throw new Error(`a mover ended with ${code}: ${child.err.text}`);
    }
  }

  const living = Array.from({ length: movers }, (_, place) => live(place));
  for (const one of living) one.catch(reject);
  const movedIn = (text: readonly string[]): number => text.filter((line) => line.includes('"kind":"moved"')).length;
  return {
    lines,
    movedCount: () =>
      lines.filter(({ kind }) => kind === "moved").length +
      [...alive].reduce((sum, { out }) => sum + movedIn(out.all), 0),
    failed,
    async end() {
      isEnding = true;
      for (const child of alive) child.endInput();
      await Promise.all(living);
    },
    async [Symbol.asyncDispose]() {
      isEnding = true;
      for (const child of alive) await child[Symbol.asyncDispose]();
    },
  };
}

/** Behind each step in turn, or at any instant. */
function toDeath(life: number, unit: () => number): MoverJob["dies"] {
  const behind = STEPS[Math.floor(life / 2) % STEPS.length];
  if (life % 2 === 0 && behind !== undefined) return { inMove: 1 + Math.floor(unit() * MOVES_MAX), behind };
  return { afterMs: LIFE_MS.least + Math.floor(unit() * (LIFE_MS.most - LIFE_MS.least)) };
}

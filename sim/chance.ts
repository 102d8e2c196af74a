/**
 * Chance for the simulator: every part of a run draws from a stream of its own, made from the run's seed and the part's
 * name. Taking one fault out of a run therefore leaves the dice of the others as they were, which is what shrinking a
 * failure needs.
 */
import { createHash } from "node:crypto";
import type { Random } from "../src/lib/random.ts";
import { createSeededRandom } from "../test/kit/world/seeded-random.ts";

export interface Chance extends Random {
  /** True with the probability `rate`; draws in any case, so that a rate of 0 leaves the stream's order alone. */
  happens(rate: number): boolean;
  /** A whole number from `least` to `most`, both included. */
  between(least: number, most: number): number;
  pick<Item>(items: readonly Item[]): Item;
}

/** The stream that belongs to `name` in the run of `seed`. */
export function createChance(seed: number, name: string): Chance {
  const random = createSeededRandom(streamSeed(seed, name));
  const between = (least: number, most: number) => least + Math.floor(random.unit() * (most - least + 1));
  return {
    ...random,
    happens: (rate) => random.unit() < rate,
    between,
    pick<Item>(items: readonly Item[]): Item {
      const item = items[between(0, items.length - 1)];
      if (item === undefined) throw new Error("there is nothing to pick from");
      return item;
    },
  };
}

/** A hash, because neighbouring seeds of a small generator give neighbouring first draws. */
function streamSeed(seed: number, name: string): number {
  return createHash("sha256").update(`${seed} ${name}`).digest().readUInt32LE();
}

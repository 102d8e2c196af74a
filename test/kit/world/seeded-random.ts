/** Chance that a seed repeats: mulberry32, small and good enough for tests and simulations. */
import type { Random } from "../../../src/lib/random.ts";

export function createSeededRandom(seed: number): Random {
  let state = seed >>> 0;
  const unit = (): number => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  return { unit, bytes: (count) => Uint8Array.from({ length: count }, () => Math.floor(unit() * 256)) };
}

/** Chance as a value that is passed in, for the same reason as the clock: a seed must repeat a run. */
import { randomBytes } from "node:crypto";

export interface Random {
  /** A number in [0, 1), for jitter and sampling; not for secrets. */
  unit(): number;
  /** Bytes fit for secrets, tokens and ids. */
  bytes(count: number): Uint8Array;
}

export const systemRandom: Random = {
  unit: () => Math.random(),
  bytes: (count) => randomBytes(count),
};

/** Chance as a value that is passed in, for the same reason as the clock: a seed must repeat a run. */
import { randomBytes } from "node:crypto";

export interface Random {
  /** A number in [0, 1), for jitter and sampling; not for secrets. */
  unit(): number;
  /** Bytes fit for secrets, tokens and ids. */
  bytes(count: number): Uint8Array;
}

/** A question to the system costs 1.6 µs for any number of bytes, and each event needs some for every id (measured). */
const POOL_BYTES = 8_192;

let pool: Buffer = Buffer.alloc(0);

export const systemRandom: Random = {
  unit: () => Math.random(),
  bytes(count) {
    if (count > POOL_BYTES) return randomBytes(count);
    if (count > pool.length) pool = randomBytes(POOL_BYTES);
    // A copy, and the pool forgets the bytes: a secret that was given out is nowhere else in memory.
    const bytes = Uint8Array.from(pool.subarray(0, count));
    pool.fill(0, 0, count);
    pool = pool.subarray(count);
    return bytes;
  },
};

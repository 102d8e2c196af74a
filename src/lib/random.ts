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

let pool: Uint8Array = new Uint8Array(0);
/** The bytes before this place have been given out. */
let place = 0;

export const systemRandom: Random = {
  unit: () => Math.random(),
  bytes(count) {
    if (count > POOL_BYTES) return randomBytes(count);
    if (count > pool.length - place) {
      pool = randomBytes(POOL_BYTES);
      place = 0;
    }
    // A copy, and the pool forgets the bytes: a secret that was given out is nowhere else in memory. Byte by byte,
    // which for an id's ten takes half as long as the calls for ranges.
    const bytes = new Uint8Array(count);
    for (let at = 0; at < count; at += 1) {
      bytes[at] = pool[place] ?? 0;
      pool[place] = 0;
      place += 1;
    }
    return bytes;
  },
};

/* UUIDs from a given random source: for ids that the product would make, in samples and in the demo. */

/** A version 4 UUID (RFC 9562 §5.4), in lower case. */
export function newUuid(random: Random): string {
  const bytes = Uint8Array.from(random.bytes(16));
  bytes[6] = ((bytes[6] ?? 0) & 0x0f) | 0x40;
  bytes[8] = ((bytes[8] ?? 0) & 0x3f) | 0x80;
  const hex = Buffer.from(bytes).toString("hex");
  return hex.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, "$1-$2-$3-$4-$5");
}

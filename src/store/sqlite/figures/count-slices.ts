/**
 * Counts that later commits write, by slices of their destinations. With thousands of destinations a commit that writes
 * all of them takes 20 ms and more, and all calls wait for it; one that writes a few slices takes a millisecond.
 *
 * The end of epoch N writes slice N modulo their number: what that slice has collected since it was written last.
 */
import { assert } from "../../../lib/assert.ts";
import { addCounts, type Addition, Counts } from "./counters.ts";

/** Stands in the database (`path_marks`), as the number that its epochs go by. */
export const SLICES = 128;

export class CountSlices {
  readonly #slices = Array.from({ length: SLICES }, () => new Counts());

  of(slice: number): Counts {
    const counts = this.#slices[slice];
    assert(counts !== undefined, `there is no slice ${slice}`);
    return counts;
  }

  add(additions: Iterable<Addition>): void {
    for (const addition of additions) addCounts(this.of(sliceOf(addition.id)), [addition]);
  }

  /** Additions of the slices that are not `written`. */
  countBut(written: ReadonlySet<number>): number {
    return this.#slices.reduce((sum, counts, slice) => sum + (written.has(slice) ? 0 : counts.size), 0);
  }

  /** Those of the slices that are not `written`. */
  *valuesBut(written: ReadonlySet<number>): Generator<Addition> {
    for (const [slice, counts] of this.#slices.entries()) if (!written.has(slice)) yield* counts.values();
  }

  clear(): void {
    for (const counts of this.#slices) counts.clear();
  }
}

/** Slices that are written one after another. */
export interface CountRound {
  /** The epoch that is open when all are written. */
  readonly untilEpoch: number;
  /** Counters that a commit may write. */
  readonly writesMax: number;
  /** The first event with an open delivery when it began. */
  readonly openFrom: number;
}

/** Where a destination's counts lie, in this process and in every later one. */
export function sliceOf(destinationId: string, slices = SLICES): number {
  let hash = 0;
  for (let place = 0; place < destinationId.length; place += 1) {
    hash = (Math.imul(hash, 31) + destinationId.charCodeAt(place)) | 0;
  }
  return (hash >>> 0) % slices;
}

interface CountedIn {
  readonly destinationId: string;
  /** The epoch that was open when it was counted. */
  readonly epoch: number;
}

export interface Epochs {
  /** The one that is open. */
  readonly epoch: number;
  readonly slices: number;
}

/** Whether an epoch's end has written it. */
export function isWritten({ destinationId, epoch }: CountedIn, open: Epochs): boolean {
  const newest = open.epoch - 1;
  const epochsAgo = (((newest - sliceOf(destinationId, open.slices)) % open.slices) + open.slices) % open.slices;
  return epoch <= newest - epochsAgo;
}

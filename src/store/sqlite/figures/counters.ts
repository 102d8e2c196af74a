/** Additions of a transaction to the counters of attempts. */
import type { AttemptCount } from "../../contract/log.ts";
import type { CountScope } from "../../sql/figures/count-tiers.ts";

/** A counter as it is kept. */
export interface Counter extends Pick<AttemptCount, "atMs" | "kind" | "result" | "code"> {
  /** The destination's or account's. */
  readonly id: string;
}

/** A transaction's addition to a counter. */
export interface Addition extends Counter {
  readonly scope: CountScope;
  /** The account that is still to get the same; `null` when it has it. */
  readonly accountId: string | null;
  readonly bins: Map<number, number>;
}

/**
 * Additions by their counter. Found without a text of all that names it: each would be a new one, which V8 has to look
 * up among all that it knows.
 */
export class Counts {
  readonly #byId = new Map<string, Addition[]>();
  #size = 0;

  get size(): number {
    return this.#size;
  }

  /** Adds `made` unless its counter is here. Returns the one that is here then. */
  findOrAdd(counter: Omit<Addition, "bins">): Addition {
    const ofId = this.#ofId(counter.id);
    // The newest first: that is what most are about.
    const known = ofId.findLast((addition) => isSame(addition, counter));
    if (known !== undefined) return known;
    const { scope, id, accountId, atMs, kind, result, code } = counter;
    const addition: Addition = { scope, id, accountId, atMs, kind, result, code, bins: new Map() };
    ofId.push(addition);
    this.#size += 1;
    return addition;
  }

  /** Also those that are added meanwhile. */
  *values(): Generator<Addition> {
    for (const ofId of this.#byId.values()) yield* ofId;
  }

  /** Removes those of some ids, and gives them back. */
  take(isTaken: (id: string) => boolean): Addition[] {
    const taken = [...this.#byId].filter(([id]) => isTaken(id));
    for (const [id, ofId] of taken) {
      this.#byId.delete(id);
      this.#size -= ofId.length;
    }
    return taken.flatMap(([, ofId]) => ofId);
  }

  clear(): void {
    this.#byId.clear();
    this.#size = 0;
  }

  #ofId(id: string): Addition[] {
    const known = this.#byId.get(id);
    if (known !== undefined) return known;
    const ofId: Addition[] = [];
    this.#byId.set(id, ofId);
    return ofId;
  }
}

/** Adds what was counted elsewhere. */
export function addCounts(counts: Counts, additions: Iterable<Addition>): void {
  for (const addition of additions) {
    const sum = counts.findOrAdd(addition);
    for (const [bin, count] of addition.bins) addToBin(sum, bin, count);
  }
}

export function addToBin({ bins }: Addition, bin: number, count: number): void {
  bins.set(bin, (bins.get(bin) ?? 0) + count);
}

export const sumBins = ({ bins }: Pick<Addition, "bins">): number =>
  [...bins.values()].reduce((sum, count) => sum + count, 0);

function isSame(one: Omit<Addition, "bins">, other: Omit<Addition, "bins">): boolean {
  const isNamedAlike = one.kind === other.kind && one.result === other.result && one.code === other.code;
  if (!isNamedAlike || one.atMs !== other.atMs || one.scope !== other.scope) return false;
  return (one.accountId === null) === (other.accountId === null);
}

/** What a transaction has counted, in memory: additions to counters of attempts (`attempt-counts.ts`). */
import type { AttemptCount } from "../../contract/log.ts";

export interface Counter extends Pick<AttemptCount, "atMs" | "kind" | "result" | "code"> {
  /** The destination's or account's. */
  readonly id: string;
  readonly accountId: string;
}

/** What is to be added to a counter. */
export interface Addition extends Counter {
  readonly bins: Map<number, number>;
}

/**
 * Additions by their counter. Found without a text of all that names it: each would be a new one, which V8 has to look
 * up among all that it knows.
 */
export class Counts {
  readonly #byId = new Map<string, Addition[]>();

  add(counter: Counter, bins: Iterable<readonly [bin: number, count: number]>): void {
    const addition = this.#findOrAdd(counter);
    for (const [bin, count] of bins) addition.bins.set(bin, (addition.bins.get(bin) ?? 0) + count);
  }

  *values(): Generator<Addition> {
    for (const ofId of this.#byId.values()) yield* ofId;
  }

  clear(): void {
    this.#byId.clear();
  }

  #findOrAdd({ id, accountId, atMs, kind, result, code }: Counter): Addition {
    const ofId = this.#byId.get(id) ?? [];
    // The newest first: that is what most are about.
    const known = ofId.findLast(
      (one) => one.atMs === atMs && one.kind === kind && one.result === result && one.code === code,
    );
    if (known !== undefined) return known;
    const addition: Addition = { id, accountId, atMs, kind, result, code, bins: new Map() };
    ofId.push(addition);
    this.#byId.set(id, ofId);
    return addition;
  }
}

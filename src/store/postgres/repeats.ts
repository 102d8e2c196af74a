/**
 * Whether records that are known already are expected. A transaction that meets one unexpectedly fails at its key, and
 * runs again. Keys ask first in the next 10,000 transactions, so that hardly any is made twice, also where a product
 * repeats records all the time. Without a clock: under little load the time is longer, and asking costs little.
 */

/** At most one transaction in this number is made twice. */
const ASKED_FOR = 10_000;

/** A node's memory. Lost at a start, which only means that one transaction fails once more. */
export class Repeats {
  #left = 0;

  /** Whether keys are to be asked for before they are inserted. Each asking counts as a transaction. */
  countAsking(): boolean {
    if (this.#left === 0) return false;
    this.#left -= 1;
    return true;
  }

  seen(): void {
    this.#left = ASKED_FOR;
  }
}

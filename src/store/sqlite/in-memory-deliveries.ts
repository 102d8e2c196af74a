/**
 * In-memory deliveries: a node has had them in flight since they were accepted, and they have no row yet. The
 * settlement of the first attempt inserts the row in its final state, so that a webhook that succeeds at once is
 * written once.
 *
 *     accept ──► in memory ──settled, ended──► a row in its final state
 *                  ├───settled, to retry, or given back──► a pending row
 *                  ├───its claim has run out──► a pending row (`writeExpired`, before each claim)
 *                  └───the process has died──► a pending row (`recoverInMemory`, at the next start)
 *
 * Invariants: an in-memory delivery has no row, and every delivery that is pending and has no row is in memory. Its
 * event's row names it, and no event before the low-water mark has one, so that a start finds all of them
 * (`path/pending-rows.ts`).
 */
import type { Claim } from "../contract/path.ts";

export interface InMemoryDelivery {
  readonly id: string;
  readonly eventSeq: number;
  readonly accountId: string;
  readonly destinationId: string;
  readonly acceptedAtMs: number;
  readonly claim: Claim;
}

/** In the order of acceptance. What a transaction changes here takes effect with its commit. */
export class InMemoryDeliveries {
  readonly #committed = new Map<string, InMemoryDelivery>();
  readonly #added = new Map<string, InMemoryDelivery>();
  readonly #removed = new Set<string>();

  /** Forgets what a transaction changed that was rolled back. */
  begin(): void {
    this.#added.clear();
    this.#removed.clear();
  }

  commit(): void {
    for (const id of this.#removed) this.#committed.delete(id);
    for (const [id, delivery] of this.#added) this.#committed.set(id, delivery);
    this.begin();
  }

  /** As a process does that dies. */
  clear(): void {
    this.begin();
    this.#committed.clear();
  }

  add(delivery: InMemoryDelivery): void {
    this.#added.set(delivery.id, delivery);
  }

  remove(id: string): void {
    if (!this.#added.delete(id)) this.#removed.add(id);
  }

  find(id: string): InMemoryDelivery | null {
    const added = this.#added.get(id);
    if (added !== undefined) return added;
    return this.#removed.has(id) ? null : (this.#committed.get(id) ?? null);
  }

  /** The oldest first. */
  *all(): Generator<InMemoryDelivery> {
    for (const delivery of this.#committed.values()) if (!this.#removed.has(delivery.id)) yield delivery;
    yield* this.#added.values();
  }

  first(): InMemoryDelivery | null {
    const [first = null] = this.all();
    return first;
  }
}

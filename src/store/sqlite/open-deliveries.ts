/**
 * Open deliveries: those that a node has had in hand since they were accepted. They have no row yet. The settlement of
 * the first attempt inserts the row in its final state, so that a webhook that succeeds at once is written once.
 *
 *     accept ──► open ──settled, ended──► a row in its final state
 *                  ├───settled, to retry, or given back──► a pending row
 *                  ├───its claim has run out──► a pending row (`writeDownLapsed`, before each claim)
 *                  └───the process has died──► a pending row (`recoverOpen`, at the next start)
 *
 * Invariants: an open delivery has no row, and every delivery that is pending and has no row is open. Its event's row
 * names it, and no event before `path_marks.open_from` has an open one, so that a start finds all of them.
 */
import type { EventType } from "../../domain/event.ts";
import type { Claim } from "../contract/path.ts";

export interface OpenDelivery {
  readonly id: string;
  readonly eventSeq: number;
  readonly eventId: string;
  readonly eventType: EventType;
  readonly accountId: string;
  readonly destinationId: string;
  readonly acceptedAtMs: number;
  readonly claim: Claim;
}

/** In memory, in the order of acceptance. What a transaction changes here takes effect with its commit. */
export class OpenDeliveries {
  readonly #committed = new Map<string, OpenDelivery>();
  readonly #added = new Map<string, OpenDelivery>();
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

  add(delivery: OpenDelivery): void {
    this.#added.set(delivery.id, delivery);
  }

  remove(id: string): void {
    if (!this.#added.delete(id)) this.#removed.add(id);
  }

  find(id: string): OpenDelivery | null {
    const added = this.#added.get(id);
    if (added !== undefined) return added;
    return this.#removed.has(id) ? null : (this.#committed.get(id) ?? null);
  }

  /** The oldest first. */
  *all(): Generator<OpenDelivery> {
    for (const delivery of this.#committed.values()) if (!this.#removed.has(delivery.id)) yield delivery;
    yield* this.#added.values();
  }

  first(): OpenDelivery | null {
    const [first = null] = this.all();
    return first;
  }
}

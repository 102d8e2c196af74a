/**
 * The deliveries that this node has in memory and that have no row yet: taken into memory as their event was accepted,
 * and written once, when they end (ADR 15).
 *
 *     accepting ──commit──► in memory ──settle, give back, run out──► busy ──commit──► has a row, forgotten here
 *                             ▲                                    │
 *                             └─────────── rolled back ────────────┘
 *
 * The database has them too, in their events, under this node's lease. So this memory may be lost: then the lease is
 * taken over. Where a commit's outcome is unknown the node takes over from itself (`doubted`), and goes on under
 * another lease.
 */
import { assert } from "../../lib/assert.ts";
import type { Claim } from "../contract/path.ts";

export interface InMemoryDelivery {
  readonly id: string;
  readonly eventId: string;
  readonly accountId: string;
  readonly destinationId: string;
  readonly acceptedAtMs: number;
  readonly claim: Claim;
  readonly leaseId: number;
  /** How often its account had moved when it was accepted. One that has moved since has taken it along, with a row. */
  readonly moves: number;
  /** Its success would have changed nothing but itself when it was accepted. */
  readonly succeedsAlone: boolean;
}

/** This node's lease as it was written last. */
export interface Lease {
  readonly id: number;
  readonly renewedAtMs: number;
  /** Events accepted before it take nothing into memory. */
  readonly lowWaterMs: number;
}

/** `unknown`: the connection broke while it committed. */
export type CommitOutcome = "committed" | "rolled back" | "unknown";

/** A transaction, as far as it tells how it ended. */
export interface Ending {
  onEnd(note: (outcome: CommitOutcome) => void): void;
}

export class InMemoryDeliveries {
  readonly #deliveries = new Map<string, InMemoryDelivery>();
  readonly #busy = new Set<string>();
  /** When the events were accepted that are being accepted now. */
  readonly #accepting = new Set<{ readonly atMs: number }>();
  readonly #doubted = new Set<number>();
  #lease: Lease | null = null;

  /** The lease for new in-memory deliveries. */
  get lease(): Lease | null {
    return this.#lease;
  }

  /** It is in memory here, and its success will change nothing but itself, as far as this node knows. */
  succeedsAlone(id: string): boolean {
    return this.#deliveries.get(id)?.succeedsAlone ?? false;
  }

  /** How many of them were taken into memory under this lease. */
  countUnder(leaseId: number): number {
    return [...this.#deliveries.values()].filter((delivery) => delivery.leaseId === leaseId).length;
  }

  /** Leases that this node has to take over from itself, before anything else. */
  get doubted(): ReadonlySet<number> {
    return this.#doubted;
  }

  useLease(lease: Lease): void {
    this.#lease = lease;
  }

  /** The lease is gone, or what was written under it is not known. */
  doubt(leaseId: number): void {
    this.#doubted.add(leaseId);
    if (this.#lease?.id === leaseId) this.#lease = null;
  }

  /** Everything under this lease has a row now. */
  forget(leaseId: number): void {
    this.#doubted.delete(leaseId);
    if (this.#lease?.id === leaseId) this.#lease = null;
    for (const [id, delivery] of this.#deliveries) {
      if (delivery.leaseId !== leaseId) continue;
      this.#deliveries.delete(id);
      this.#busy.delete(id);
    }
  }

  /**
   * For a transaction that accepts events of `atMs` and later: the mark stays below them. What it takes into memory is
   * added to the answer, and is in memory when it has committed.
   */
  accept(tx: Ending, lease: Lease, atMs: number): InMemoryDelivery[] {
    const accepting = { atMs };
    const taken: InMemoryDelivery[] = [];
    this.#accepting.add(accepting);
    tx.onEnd((outcome) => {
      this.#accepting.delete(accepting);
      if (taken.length === 0 || outcome === "rolled back") return;
      // Where the lease is doubted meanwhile, the takeover has waited for this commit and gives all of them rows.
      if (outcome === "unknown" || this.#lease?.id !== lease.id) this.doubt(lease.id);
      else for (const delivery of taken) this.#deliveries.set(delivery.id, delivery);
    });
    return taken;
  }

  /** For a transaction that gives it a row. `null`: it has one, or another transaction is giving it one. */
  take(tx: Ending, id: string, claimToken: string): InMemoryDelivery | null {
    const delivery = this.#deliveries.get(id);
    if (delivery === undefined || this.#busy.has(id) || delivery.claim.token !== claimToken) return null;
    this.#hold(tx, delivery);
    return delivery;
  }

  /** The same of all whose claim has run out. */
  takeRunOut(tx: Ending, nowMs: number): InMemoryDelivery[] {
    const runOut = this.#listRunOut(nowMs);
    for (const delivery of runOut) this.#hold(tx, delivery);
    return runOut;
  }

  #listRunOut(nowMs: number): InMemoryDelivery[] {
    const hasRunOut = ({ id, claim }: InMemoryDelivery): boolean => claim.untilMs <= nowMs && !this.#busy.has(id);
    return [...this.#deliveries.values()].filter(hasRunOut);
  }

  #hold(tx: Ending, { id, leaseId }: InMemoryDelivery): void {
    assert(!this.#busy.has(id), `two transactions give ${id} a row`);
    this.#busy.add(id);
    tx.onEnd((outcome) => {
      if (outcome === "unknown") {
        this.doubt(leaseId);
        return;
      }
      this.#busy.delete(id);
      if (outcome === "committed") this.#deliveries.delete(id);
    });
  }

  /** No event accepted before it has anything in memory here, nor will one that is being accepted. */
  findLowWater(nowMs: number): number {
    let lowWaterMs = nowMs;
    for (const { atMs } of this.#accepting) lowWaterMs = Math.min(lowWaterMs, atMs);
    for (const { acceptedAtMs } of this.#deliveries.values()) lowWaterMs = Math.min(lowWaterMs, acceptedAtMs);
    return lowWaterMs;
  }
}

/**
 * The lanes of this node, their load together, and the capacity that is left.
 *
 * A lane may have half as many deliveries as there are free slots (dynamic thresholds: Choudhury and Hahne, 1998).
 * Some destinations that answer slowly, but well, therefore do not fill the node: they leave as many slots free as two
 * of them use. Only hundreds of them could fill it, each with one slot.
 *
 * Invariant: deliveries stay at or below `deliveriesMax`, and their bodies below `BODY_CHARS_MAX` and one claim more,
 * so memory does not grow with the backlog.
 */
import { type Lane, NEW_LANE_SLOTS, countClaimable, countDeliveries, newLane } from "./lane.ts";

/**
 * Characters of bodies in this node, which are there a second time as bytes while they are sent. With bodies of 0.9 MB
 * for 300 receivers of 4 s, twice as many took 44 MB more (measured: 485 and 441 MB RSS, `npm run bench -- memory`).
 */
const BODY_CHARS_MAX = 32 * 1024 * 1024;

const LANES_MAX = 10_000;

/** The deliveries that this node can still take. */
export interface Capacity {
  /** Of all destinations together. */
  readonly all: number;
  /** Characters of their bodies. */
  readonly chars: number;
  /** Of a destination that has none in this node. */
  readonly newLaneSlots: number;
  /** By destination, for those that have some in this node. */
  readonly freeSlots: Readonly<Record<string, number>>;
}

export class Load {
  readonly #deliveriesMax: number;
  readonly #lanes = new Map<string, Lane>();
  /** Those with deliveries. */
  readonly #busy = new Set<Lane>();
  #deliveries = 0;
  #bodyChars = 0;
  readonly #idleWaiters: (() => void)[] = [];

  constructor(deliveriesMax: number) {
    this.#deliveriesMax = deliveriesMax;
  }

  /** The destination's lane, made when it is first needed. An idle lane stays for what it measured. */
  laneOf(destinationId: string): Lane {
    const known = this.#lanes.get(destinationId);
    if (known !== undefined) return known;
    if (this.#lanes.size >= LANES_MAX) this.#forgetAnIdleLane();
    const lane = newLane(destinationId);
    this.#lanes.set(destinationId, lane);
    return lane;
  }

  lanes(): Iterable<Lane> {
    return this.#lanes.values();
  }

  #forgetAnIdleLane(): void {
    for (const [id, lane] of this.#lanes) {
      if (!this.#busy.has(lane)) {
        this.#lanes.delete(id);
        return;
      }
    }
  }

  /** Counts `count` deliveries more (or fewer) in a lane that was changed before. */
  add(lane: Lane, count: number, chars: number): void {
    this.#deliveries += count;
    this.#bodyChars += chars;
    if (countDeliveries(lane) > 0) this.#busy.add(lane);
    else this.#busy.delete(lane);
    if (this.#deliveries === 0) for (const wake of this.#idleWaiters.splice(0)) wake();
  }

  /** Whether a body of `chars` more is too much. */
  isFull(chars: number): boolean {
    return this.#deliveries >= this.#deliveriesMax || this.#bodyChars + chars > BODY_CHARS_MAX;
  }

  /** The most deliveries that one lane may have, so that the other lanes have capacity. */
  share(): number {
    return Math.max(1, Math.ceil((this.#deliveriesMax - this.#deliveries) / 2));
  }

  capacity(): Capacity {
    const share = this.share();
    return {
      all: this.isFull(1) ? 0 : this.#deliveriesMax - this.#deliveries,
      chars: BODY_CHARS_MAX - this.#bodyChars,
      newLaneSlots: Math.min(NEW_LANE_SLOTS, share),
      freeSlots: Object.fromEntries([...this.#busy].map((lane) => [lane.destinationId, countClaimable(lane, share)])),
    };
  }

  counts(): { readonly inFlight: number; readonly deliveries: number } {
    let inFlight = 0;
    for (const lane of this.#busy) inFlight += lane.inFlight;
    return { inFlight, deliveries: this.#deliveries };
  }

  /** Deliveries that were claimed and have not started. */
  countWaiting(): number {
    let waiting = 0;
    for (const lane of this.#busy) waiting += lane.waiting.length;
    return waiting;
  }

  /** Resolves when this node has no delivery; at once when that is already so. */
  idle(): Promise<void> {
    if (this.#deliveries === 0) return Promise.resolve();
    return new Promise((wake) => {
      this.#idleWaiters.push(wake);
    });
  }
}

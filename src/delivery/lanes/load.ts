/**
 * The load of this node over all lanes, and the room that is left.
 *
 * A lane may hold half as much as is still free (dynamic thresholds: Choudhury and Hahne, 1998). Some destinations that
 * answer slowly, but well, therefore do not fill the node: they leave as much free as two of them hold. Only hundreds
 * of them could fill it, each with one place.
 *
 * Invariant: deliveries stay at or below `heldMax`, and their bodies below `HELD_CHARS_MAX` and one claim more, so that
 * memory does not follow the backlog.
 */
import { type Lane, NEW_LANE_ROOM, claimableBy, heldBy } from "./lane.ts";

/**
 * Characters of bodies in this node, which are there a second time as bytes while they are sent. With bodies of 0.9 MB
 * for 300 receivers of 4 s, twice as many took 44 MB more (measured: 485 and 441 MB RSS, `npm run bench -- memory`).
 */
const HELD_CHARS_MAX = 32 * 1024 * 1024;

export interface Room {
  /** Deliveries in all. */
  readonly all: number;
  /** Characters of their bodies. */
  readonly chars: number;
  /** Deliveries of a destination that has none in hand. */
  readonly newLaneSlots: number;
  /** Deliveries by destination, for those that have some in hand. */
  readonly freeSlots: Readonly<Record<string, number>>;
}

export class Load {
  readonly #heldMax: number;
  readonly #busy = new Set<Lane>();
  #held = 0;
  #heldChars = 0;
  readonly #idleWaiters: (() => void)[] = [];

  constructor(heldMax: number) {
    this.#heldMax = heldMax;
  }

  /** Counts `count` deliveries more (or fewer) in a lane that was changed before. */
  add(lane: Lane, count: number, chars: number): void {
    this.#held += count;
    this.#heldChars += chars;
    if (heldBy(lane) > 0) this.#busy.add(lane);
    else this.#busy.delete(lane);
    if (this.#held === 0) for (const wake of this.#idleWaiters.splice(0)) wake();
  }

  /** Whether a body of `chars` more is too much. */
  isFull(chars: number): boolean {
    return this.#held >= this.#heldMax || this.#heldChars + chars > HELD_CHARS_MAX;
  }

  /** The most that one lane may hold, so that the others have room. */
  share(): number {
    return Math.max(1, Math.ceil((this.#heldMax - this.#held) / 2));
  }

  isBusy(lane: Lane): boolean {
    return this.#busy.has(lane);
  }

  room(): Room {
    const share = this.share();
    return {
      all: this.isFull(1) ? 0 : this.#heldMax - this.#held,
      chars: HELD_CHARS_MAX - this.#heldChars,
      newLaneSlots: Math.min(NEW_LANE_ROOM, share),
      freeSlots: Object.fromEntries([...this.#busy].map((lane) => [lane.destinationId, claimableBy(lane, share)])),
    };
  }

  counts(): { readonly inFlight: number; readonly held: number } {
    let inFlight = 0;
    for (const lane of this.#busy) inFlight += lane.inFlight;
    return { inFlight, held: this.#held };
  }

  /** Deliveries that were claimed and have not started. */
  countWaiting(): number {
    let waiting = 0;
    for (const lane of this.#busy) waiting += lane.waiting.length;
    return waiting;
  }

  /** Resolves when this node holds nothing; at once when that is already so. */
  idle(): Promise<void> {
    if (this.#held === 0) return Promise.resolve();
    return new Promise((wake) => {
      this.#idleWaiters.push(wake);
    });
  }
}

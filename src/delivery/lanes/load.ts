/**
 * The lanes of this node, their load together, and the capacity that is left.
 *
 * An account may have as many deliveries as there are free slots, and one of its lanes half as many as are free to the
 * account (dynamic thresholds: Choudhury and Hahne, 1998). So an account alone has half of the node, however many
 * destinations it has and however slowly they answer, and each further one half of what was left. Ten that hang with
 * dozens of destinations each could fill a node. An account has as many characters of bodies as are free, too.
 *
 * Invariant: deliveries stay at or below `deliveriesMax`, and their bodies below `BODY_CHARS_MAX` and one body more,
 * so memory does not grow with the backlog. Bodies that are made of events come on top (`../made-bodies.ts`).
 */
import { type Lane, NEW_LANE_SLOTS, countDeliveries, countFreeSlots, newLane } from "./lane.ts";

/**
 * Characters of bodies in this node, which are there a second time as bytes while they are sent. With bodies of 0.9 MB
 * for 300 receivers of 4 s, twice as many took 44 MB more (measured: 485 and 441 MB RSS, `npm run bench -- memory`).
 */
const BODY_CHARS_MAX = 32 * 1024 * 1024;

const LANES_MAX = 10_000;

/** The most deliveries that one claim brings for one account: half of a claim. */
const CLAIM_PER_ACCOUNT_MAX = 256;

/**
 * And for one lane: two of them are no more than their account may get. On PostgreSQL an account whose lanes may get
 * more has statements of its own.
 */
const CLAIM_PER_LANE_MAX = CLAIM_PER_ACCOUNT_MAX / 2;

/** The deliveries that one claim may bring to this node. */
export interface Capacity {
  /** Of all together: half of what is free. */
  readonly all: number;
  /** Characters of their bodies: half of what is free. */
  readonly chars: number;
  /** Of an account that has none in this node. */
  readonly newAccountSlots: number;
  /** By account, for those that have some in this node. */
  readonly accountSlots: Readonly<Record<string, number>>;
  /** Of a destination that has none in this node. */
  readonly newLaneSlots: number;
  /** By destination, for those that have some in this node. */
  readonly freeSlots: Readonly<Record<string, number>>;
}

/** Where a delivery belongs. */
export interface LaneKey {
  readonly accountId: string;
  readonly destinationId: string;
}

const nothing = () => ({ deliveries: 0, bodyChars: 0 });
const NOTHING = nothing();

export class Load {
  readonly #deliveriesMax: number;
  readonly #lanes = new Map<string, Lane>();
  /** Those with deliveries. */
  readonly #busy = new Set<Lane>();
  /** What each account has here, for those with lanes. */
  readonly #accounts = new Map<string, ReturnType<typeof nothing>>();
  #deliveries = 0;
  #bodyChars = 0;
  readonly #idleWaiters: (() => void)[] = [];

  constructor(deliveriesMax: number) {
    this.#deliveriesMax = deliveriesMax;
  }

  /** The destination's lane, made when it is first needed. An idle lane stays for what it measured. */
  laneOf(key: LaneKey): Lane {
    const known = this.findLane(key.destinationId);
    if (known !== null) return known;
    if (this.#lanes.size >= LANES_MAX) this.#forgetAnIdleLane();
    const lane = newLane(key);
    this.#lanes.set(key.destinationId, lane);
    return lane;
  }

  findLane(destinationId: string): Lane | null {
    return this.#lanes.get(destinationId) ?? null;
  }

  lanes(): Iterable<Lane> {
    return this.#lanes.values();
  }

  #forgetAnIdleLane(): void {
    for (const [id, lane] of this.#lanes) {
      if (!this.#busy.has(lane)) {
        this.#lanes.delete(id);
        if (this.#accounts.get(lane.accountId)?.deliveries === 0) this.#accounts.delete(lane.accountId);
        return;
      }
    }
  }

  /** Counts `count` deliveries more (or fewer) in a lane that was changed before. */
  add(lane: Lane, count: number, chars: number): void {
    this.#deliveries += count;
    this.#bodyChars += chars;
    const ofAccount = this.#accounts.getOrInsertComputed(lane.accountId, nothing);
    ofAccount.deliveries += count;
    ofAccount.bodyChars += chars;
    if (countDeliveries(lane) > 0) this.#busy.add(lane);
    else this.#busy.delete(lane);
    if (this.#deliveries === 0) for (const wake of this.#idleWaiters.splice(0)) wake();
  }

  /** Whether a body of `chars` more is too much. */
  isFull(chars: number): boolean {
    return this.#free() <= 0 || chars > this.#freeChars();
  }

  /** The most deliveries that a lane of the account may have, so that its other lanes and other accounts have room. */
  share(accountId: string): number {
    const { deliveries, bodyChars } = this.#accounts.get(accountId) ?? NOTHING;
    return bodyChars < this.#freeChars() ? Math.max(0, Math.ceil((this.#free() - deliveries) / 2)) : 0;
  }

  /** An account that takes all of it leaves as much to others: hence a half. */
  capacity(): Capacity {
    const all = this.isFull(1) ? 0 : Math.ceil(this.#free() / 2);
    return {
      all,
      chars: Math.ceil(this.#freeChars() / 2),
      newAccountSlots: Math.min(CLAIM_PER_ACCOUNT_MAX, all),
      accountSlots: Object.fromEntries(
        Array.from(this.#busy, ({ accountId }) => [accountId, Math.min(CLAIM_PER_ACCOUNT_MAX, this.share(accountId))]),
      ),
      newLaneSlots: Math.min(NEW_LANE_SLOTS, all),
      freeSlots: Object.fromEntries(Array.from(this.#busy, (lane) => [lane.destinationId, this.#claimable(lane)])),
    };
  }

  #claimable(lane: Lane): number {
    return Math.min(Math.max(countFreeSlots(lane, this.share(lane.accountId)), 0), CLAIM_PER_LANE_MAX);
  }

  #free(): number {
    return this.#deliveriesMax - this.#deliveries;
  }

  #freeChars(): number {
    return BODY_CHARS_MAX - this.#bodyChars;
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

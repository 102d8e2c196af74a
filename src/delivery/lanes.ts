/**
 * Lanes: a destination's deliveries inside this node. Each lane has its own limit and its own short buffer, so a
 * destination that hangs fills its lane and nothing else.
 *
 *     reserve ──► putReserved ──► waiting ──► in flight ──► done
 *        └──► release   put ──────┘  └──► handed back by `stop`
 *
 * Invariant: in flight ≤ limit in each lane; held (reserved + waiting + in flight) ≤ `heldMax` in all.
 */
import type { ClaimedDelivery } from "../store/store.ts";
import type { Delivered } from "./deliver.ts";
import { type Lane, LaneTable, claimableBy, heldBy, roomOf, wantsBacklog } from "./lane.ts";
import { adapt } from "./lane-limit.ts";

export interface LanesOptions {
  /** Deliveries in this node's hands at most; the rest waits in the store. Bounds its sockets and its memory. */
  readonly heldMax: number;
  /** Makes the attempt. Must not reject. */
  readonly run: (delivery: ClaimedDelivery) => Promise<Delivered>;
  /** Called when a lane that left deliveries in the store has room for them. */
  readonly onRoom: () => void;
}

export class Lanes {
  readonly #options: LanesOptions;
  readonly #busy = new Set<Lane>();
  readonly #lanes = new LaneTable((lane) => this.#busy.has(lane));
  #held = 0;
  #inFlight = 0;
  #isStopping = false;
  readonly #idleWaiters: (() => void)[] = [];

  constructor(options: LanesOptions) {
    this.#options = options;
  }

  /** Keeps a place for a delivery that is about to be committed, or says that there is none. */
  reserve(destinationId: string): boolean {
    const lane = this.#lanes.of(destinationId);
    if (this.#isStopping || this.#held >= this.#options.heldMax || lane.hasBacklog || roomOf(lane) <= 0) return false;
    lane.reserved += 1;
    this.#hold(lane, 1);
    return true;
  }

  /** Gives a reserved place back: its delivery was not committed. */
  release(destinationId: string): void {
    const lane = this.#lanes.of(destinationId);
    lane.reserved -= 1;
    this.#hold(lane, -1);
  }

  /** Takes a committed delivery into its reserved place. */
  putReserved(delivery: ClaimedDelivery): void {
    const lane = this.#lanes.of(delivery.destinationId);
    lane.reserved -= 1;
    lane.waiting.push(delivery);
    this.#startWaiting(lane);
  }

  /** Takes a delivery that was claimed within `room`. */
  put(delivery: ClaimedDelivery): void {
    const lane = this.#lanes.of(delivery.destinationId);
    lane.waiting.push(delivery);
    this.#hold(lane, 1);
    this.#startWaiting(lane);
  }

  /** A delivery of this lane was left in the store: it comes before newer ones, and is fetched when there is room. */
  noteBacklog(destinationId: string): void {
    const lane = this.#lanes.of(destinationId);
    lane.hasBacklog = true;
    this.#askForBacklog(lane);
  }

  /** A claim brought `claimed` where it could have brought `offered`: when fewer, nothing is left in the store. */
  noteClaimed(claimed: ReadonlyMap<string, number>, offered: (destinationId: string) => number): void {
    for (const lane of this.#lanes.all()) {
      if (lane.hasBacklog && (claimed.get(lane.destinationId) ?? 0) < offered(lane.destinationId))
        lane.hasBacklog = false;
    }
  }

  /** What a claim may bring: in all, and for lanes that are busy. */
  room(): { readonly all: number; readonly freeSlots: Record<string, number> } {
    const freeSlots = Object.fromEntries([...this.#busy].map((lane) => [lane.destinationId, claimableBy(lane)]));
    return { all: this.#isStopping ? 0 : Math.max(0, this.#options.heldMax - this.#held), freeSlots };
  }

  counts(): { readonly inFlight: number; readonly held: number } {
    return { inFlight: this.#inFlight, held: this.#held };
  }

  /** Resolves when nothing is held; at once when that is so already. */
  idle(): Promise<void> {
    if (this.#held === 0) return Promise.resolve();
    return new Promise((wake) => {
      this.#idleWaiters.push(wake);
    });
  }

  /** Starts nothing more, and hands back what was not started. What is in flight goes on. */
  stop(): ClaimedDelivery[] {
    this.#isStopping = true;
    return [...this.#lanes.all()].flatMap((lane) => {
      const unstarted = lane.waiting.splice(0);
      this.#hold(lane, -unstarted.length);
      return unstarted;
    });
  }

  #hold(lane: Lane, count: number): void {
    this.#held += count;
    if (heldBy(lane) > 0) this.#busy.add(lane);
    else this.#busy.delete(lane);
    if (this.#held === 0) for (const wake of this.#idleWaiters.splice(0)) wake();
  }

  #startWaiting(lane: Lane): void {
    while (!this.#isStopping && lane.inFlight < lane.limit.limit) {
      const delivery = lane.waiting.shift();
      if (delivery === undefined) return;
      lane.inFlight += 1;
      this.#inFlight += 1;
      void this.#options.run(delivery).then((delivered) => this.#finish(lane, delivered));
    }
  }

  #finish(lane: Lane, delivered: Delivered): void {
    lane.inFlight -= 1;
    this.#inFlight -= 1;
    if (delivered !== null) lane.limit = adapt(lane.limit, delivered.result);
    this.#startWaiting(lane);
    this.#hold(lane, -1);
    this.#askForBacklog(lane);
  }

  #askForBacklog(lane: Lane): void {
    if (wantsBacklog(lane)) this.#options.onRoom();
  }
}

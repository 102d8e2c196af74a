/** One lane: what this node holds of a destination's deliveries, and how much more it can take. */
import type { ClaimedDelivery } from "../store/store.ts";
import { type LaneLimit, startingLimit } from "./lane-limit.ts";

/** A lane buffers this many times its limit, so that it does not idle between two claims. */
const BUFFER_FACTOR = 4;

/** One claim brings at most so many for one lane, so that a lane with much room leaves some of it to others. */
const CLAIM_PER_LANE_MAX = 64;

/** What a lane that is not known yet can take. */
export const NEW_LANE_ROOM = startingLimit.limit * (1 + BUFFER_FACTOR);

export interface Lane {
  readonly destinationId: string;
  limit: LaneLimit;
  reserved: number;
  inFlight: number;
  readonly waiting: ClaimedDelivery[];
  /** Deliveries of this lane were left in the store for want of room. */
  hasBacklog: boolean;
}

const newLane = (destinationId: string): Lane => ({
  destinationId,
  limit: startingLimit,
  reserved: 0,
  inFlight: 0,
  waiting: [],
  hasBacklog: false,
});

export const heldBy = (lane: Lane): number => lane.reserved + lane.waiting.length + lane.inFlight;
const capacityOf = (lane: Lane): number => lane.limit.limit * (1 + BUFFER_FACTOR);
export const claimableBy = (lane: Lane): number => Math.min(Math.max(roomOf(lane), 0), CLAIM_PER_LANE_MAX);
export const roomOf = (lane: Lane): number => capacityOf(lane) - heldBy(lane);

/** Half of the room at a time: a claim for every single free place would cost more than it gains. */
export const wantsBacklog = (lane: Lane): boolean => lane.hasBacklog && roomOf(lane) * 2 >= capacityOf(lane);

/** Idle lanes are remembered for their limit, up to so many. */
const LANES_MAX = 10_000;

/** Every lane of this node, made when it is first needed. */
export class LaneTable {
  readonly #lanes = new Map<string, Lane>();
  readonly #isBusy: (lane: Lane) => boolean;

  constructor(isBusy: (lane: Lane) => boolean) {
    this.#isBusy = isBusy;
  }

  of(destinationId: string): Lane {
    const known = this.#lanes.get(destinationId);
    if (known !== undefined) return known;
    if (this.#lanes.size >= LANES_MAX) this.#forgetAnIdleLane();
    const lane = newLane(destinationId);
    this.#lanes.set(destinationId, lane);
    return lane;
  }

  all(): Iterable<Lane> {
    return this.#lanes.values();
  }

  #forgetAnIdleLane(): void {
    for (const [id, lane] of this.#lanes) {
      if (!this.#isBusy(lane)) return void this.#lanes.delete(id);
    }
  }
}

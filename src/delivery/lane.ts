/** One lane: what this node holds of a destination's deliveries, how much more it takes, and when one may start. */
import { secondsMs } from "../lib/duration.ts";
import type { ClaimedDelivery } from "../store/store.ts";
import { type LaneLimit, startingLimit } from "./lane-limit.ts";

/** A lane buffers this many times its limit, so that it does not idle between two claims. */
const BUFFER_FACTOR = 4;

/** A lane with an owner's limit holds no more than it may start in this time: what is held longer loses its claim. */
const RATED_BUFFER_SECONDS = 10;

/** One claim brings at most so many for one lane, so that a lane with much room leaves some of it to others. */
const CLAIM_PER_LANE_MAX = 64;

/** What a lane that is not known yet can take. */
export const NEW_LANE_ROOM = startingLimit.limit * (1 + BUFFER_FACTOR);

export interface Lane {
  readonly destinationId: string;
  limit: LaneLimit;
  /** The owner's limit, deliveries a second; `null` for none. */
  ratePerSecond: number | null;
  /** The owner's limit lets nothing start before this instant of the monotonic clock. */
  nextStartMs: number;
  /** A timer will start what waits: no second one is needed. */
  isPaced: boolean;
  reserved: number;
  inFlight: number;
  readonly waiting: ClaimedDelivery[];
  /** Deliveries of this lane were left in the store for want of room. */
  hasBacklog: boolean;
}

export const newLane = (destinationId: string): Lane => ({
  destinationId,
  limit: startingLimit,
  ratePerSecond: null,
  nextStartMs: 0,
  isPaced: false,
  reserved: 0,
  inFlight: 0,
  waiting: [],
  hasBacklog: false,
});

export const heldBy = (lane: Lane): number => lane.reserved + lane.waiting.length + lane.inFlight;
export const claimableBy = (lane: Lane): number => Math.min(Math.max(roomOf(lane), 0), CLAIM_PER_LANE_MAX);
export const roomOf = (lane: Lane): number => capacityOf(lane) - heldBy(lane);

/** Half of the room at a time: a claim for every single free place would cost more than it gains. */
export const wantsBacklog = (lane: Lane): boolean => lane.hasBacklog && roomOf(lane) * 2 >= capacityOf(lane);

/** The delivery to start now, or how long to wait for the next one; `null` when none waits or all places are taken. */
export function nextOf(lane: Lane, nowMs: number): ClaimedDelivery | { readonly waitMs: number } | null {
  if (lane.inFlight >= lane.limit.limit || lane.waiting.length === 0) return null;
  if (lane.ratePerSecond !== null) {
    if (nowMs < lane.nextStartMs) return { waitMs: lane.nextStartMs - nowMs };
    lane.nextStartMs = nowMs + secondsMs(1) / lane.ratePerSecond;
  }
  return lane.waiting.shift() ?? null;
}

function capacityOf(lane: Lane): number {
  const capacity = lane.limit.limit * (1 + BUFFER_FACTOR);
  if (lane.ratePerSecond === null) return capacity;
  return Math.min(capacity, Math.max(1, Math.floor(lane.ratePerSecond * RATED_BUFFER_SECONDS)));
}

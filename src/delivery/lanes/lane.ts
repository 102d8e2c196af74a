/** One lane: the deliveries of one destination in this node, how many more it takes, and when one may start. */
import { roomAtRate } from "../../domain/rate-limit.ts";
import { secondsMs } from "../../lib/duration.ts";
import type { ClaimedDelivery } from "../../store/contract/path.ts";
import { type LaneLimit, startingLimit } from "./lane-limit.ts";

/** A lane buffers this many times its limit, so that it does not idle between two claims. */
const BUFFER_FACTOR = 4;

/** The most deliveries that one claim brings for one lane, so that a lane with much room leaves some to others. */
const CLAIM_PER_LANE_MAX = 64;

/**
 * This many requests start together. The others are spread over half of the time that the receiver usually takes, which
 * costs no throughput. Without that, answers that once came together keep coming together, and every other lane's next
 * request waits behind 64 of them: half of a backlog's requests came 16 or more within 5 ms, with this 3 % (measured).
 */
const BURST_MAX = 8;

/**
 * A quicker receiver ends a burst soon, and timers are too coarse for it: spreading costs a third of its deliveries/s.
 */
const SPREAD_FROM_MS = 25;

/**
 * A slower receiver's requests are spread over half a second at most: a delivery that waits in a lane must not lose its
 * claim.
 */
const SPREAD_TO_MS = 1_000;

/** Weight of the newest answer in `answerMs`. */
const ANSWER_SHARE = 1 / 8;

/** The room of a lane that this node does not know yet. */
export const NEW_LANE_ROOM = startingLimit.limit * (1 + BUFFER_FACTOR);

export interface Lane {
  readonly destinationId: string;
  limit: LaneLimit;
  /** The owner's limit, deliveries a second; `null` for none. */
  ratePerSecond: number | null;
  /**
   * No request starts before this instant of the monotonic clock: the owner's limit, or a fault of this machine, asks
   * for it.
   */
  nextStartMs: number;
  /** The usual time from start to answer of a success; 0 before the first one. */
  answerMs: number;
  /** The next start if all starts were evenly spread. Starts may run ahead of it by `BURST_MAX`. */
  paceAtMs: number;
  /** A timer will start the waiting deliveries: a second one is not needed. */
  isPaced: boolean;
  reserved: number;
  inFlight: number;
  /** Delivered, but not settled yet. */
  settling: number;
  /** Claimed from the store. */
  readonly waiting: ClaimedDelivery[];
  /** Right from their accept. */
  readonly fresh: ClaimedDelivery[];
  /** The store holds deliveries of this lane that had no room here. */
  hasBacklog: boolean;
  /** Those that joined it here and were not claimed yet; `Infinity` when the store turns out to have more. */
  backlog: number;
  /** Deliveries that the owner's limit cannot start in time will be given back in a moment. */
  isTrimmed: boolean;
}

export const newLane = (destinationId: string): Lane => ({
  destinationId,
  limit: startingLimit,
  ratePerSecond: null,
  nextStartMs: 0,
  answerMs: 0,
  paceAtMs: 0,
  isPaced: false,
  reserved: 0,
  inFlight: 0,
  settling: 0,
  waiting: [],
  fresh: [],
  hasBacklog: false,
  backlog: 0,
  isTrimmed: false,
});

export const heldBy = (lane: Lane): number =>
  lane.reserved + lane.waiting.length + lane.fresh.length + lane.inFlight + lane.settling;

/** `share` is the most that any lane may hold at this moment (see `load.ts`). */
export const claimableBy = (lane: Lane, share: number): number =>
  Math.min(Math.max(computeRoom(lane, share), 0), CLAIM_PER_LANE_MAX);
export const computeRoom = (lane: Lane, share: number): number => Math.min(computeCapacity(lane), share) - heldBy(lane);

/** Guess. A longer backlog takes a node many seconds. */
const SHORT_BACKLOG = 20_000;

/** The receiver answers well, and yet there is no place: only this node's own speed is in the way, for a moment. */
export function isCrowded(lane: Lane, share: number): boolean {
  if (lane.limit.limit <= startingLimit.limit) return false;
  if (lane.hasBacklog) return lane.backlog <= SHORT_BACKLOG;
  return computeRoom(lane, share) <= 0 && lane.fresh.length >= lane.waiting.length;
}

/** Half of the room at a time: a claim for each single free place would cost more than it gains. */
export const wantsBacklog = (lane: Lane, share: number): boolean =>
  lane.hasBacklog && computeRoom(lane, share) * 2 >= Math.min(computeCapacity(lane), share);

/**
 * The delivery to start now, or how long to wait for the next one; `null` when none waits or all places are taken.
 * Those that were claimed are older and go first, unless `mayStartClaimed` says that they have to yield.
 */
export function takeNext(
  lane: Lane,
  nowMs: number,
  mayStartClaimed: () => boolean,
): ClaimedDelivery | { readonly waitMs: number } | null {
  if (lane.inFlight >= lane.limit.limit || lane.waiting.length + lane.fresh.length === 0) return null;
  const paceMs = computePaceMs(lane);
  const waitMs = Math.max(lane.nextStartMs, lane.paceAtMs - BURST_MAX * paceMs) - nowMs;
  if (waitMs > 0) return { waitMs: Math.ceil(waitMs) };
  const from = lane.waiting.length > 0 && mayStartClaimed() ? lane.waiting : lane.fresh;
  if (from.length === 0) return null;
  lane.paceAtMs = Math.max(lane.paceAtMs, nowMs) + paceMs;
  if (lane.ratePerSecond !== null) lane.nextStartMs = nowMs + secondsMs(1) / lane.ratePerSecond;
  return from.shift() ?? null;
}

function computePaceMs({ answerMs, limit }: Lane): number {
  return answerMs < SPREAD_FROM_MS ? 0 : Math.min(answerMs, SPREAD_TO_MS) / (2 * limit.limit);
}

export function noteAnswer(lane: Lane, tookMs: number): void {
  lane.answerMs = lane.answerMs === 0 ? tookMs : lane.answerMs + (tookMs - lane.answerMs) * ANSWER_SHARE;
}

/** A delivery that waits longer than the owner's limit allows would lose its claim. */
const computeCapacity = (lane: Lane): number =>
  Math.min(lane.limit.limit * (1 + BUFFER_FACTOR), roomAtRate(lane.ratePerSecond));

/** Takes out the surplus: the newest waiting deliveries, which the owner's limit cannot start in time. */
export function takeSurplus(lane: Lane): ClaimedDelivery[] {
  const surplus: ClaimedDelivery[] = [];
  for (const waiting of [lane.fresh, lane.waiting]) {
    const over = Math.min(heldBy(lane) - roomAtRate(lane.ratePerSecond), waiting.length);
    if (over > 0) surplus.push(...waiting.splice(waiting.length - over));
  }
  return surplus;
}

/** Takes out what waits and `isTaken`, claimed deliveries first. */
export function takeWhere(lane: Lane, isTaken: (delivery: ClaimedDelivery) => boolean): ClaimedDelivery[] {
  const taken: ClaimedDelivery[] = [];
  for (const waiting of [lane.waiting, lane.fresh]) {
    const all = waiting.splice(0);
    for (const delivery of all) (isTaken(delivery) ? taken : waiting).push(delivery);
  }
  return taken;
}

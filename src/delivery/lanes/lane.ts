/**
 * One lane: the deliveries of one destination in this node, how many more it takes, and when one may start.
 *
 * The number of requests at once is measured, not configured: one more after a window of good answers, half as many
 * after a sign of overload (timeout, 429, 5xx, no connection, a shortage of our own).
 */
import { secondsMs } from "../../lib/duration.ts";
import { slotsAtRate } from "../../domain/destination.ts";
import type { ClaimedDelivery } from "../../store/contract/path.ts";
import type { SendResult } from "../../domain/attempt.ts";
import { isSuccess } from "../send/judge.ts";

const LIMIT_START = 4;
const LIMIT_MIN = 1;
const LIMIT_MAX = 64;

/** The number of requests that a destination gets at once. */
export interface LaneLimit {
  readonly limit: number;
  /** Good answers since the limit last changed. */
  readonly good: number;
}

export const startingLimit: LaneLimit = { limit: LIMIT_START, good: 0 };

/** The limit of a destination after a cool-down. It grows again from here, one window at a time. */
export const throttledLimit: LaneLimit = { limit: LIMIT_MIN, good: 0 };

/** A lane buffers this many times its limit, so that it does not idle between two claims. */
const BUFFER_FACTOR = 4;

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

/** The slots of a lane that this node does not know yet. */
export const NEW_LANE_SLOTS = startingLimit.limit * (1 + BUFFER_FACTOR);

export interface Lane {
  readonly accountId: string;
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
  /** The store has deliveries of this lane that found no free slot here. */
  hasBacklog: boolean;
  /** Deliveries that joined it here and are not claimed yet; `Infinity` when the store turns out to have more. */
  backlog: number;
  /** Those that are about to join it: their commit has not ended. */
  joining: number;
  /** The number of the claim during which the last one joined it: that claim may have missed it. */
  joinedInClaim: number;
  /** Deliveries that the owner's limit cannot start in time will be given back in a moment. */
  isTrimmed: boolean;
}

export const newLane = ({ accountId, destinationId }: Pick<Lane, "accountId" | "destinationId">): Lane => ({
  accountId,
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
  joining: 0,
  joinedInClaim: -1,
  isTrimmed: false,
});

export const countDeliveries = (lane: Lane): number =>
  lane.reserved + lane.waiting.length + lane.fresh.length + lane.inFlight + lane.settling;

/** `share` is the most deliveries that a lane of its account may have at this moment (see `load.ts`). */
export const countFreeSlots = (lane: Lane, share: number): number =>
  Math.min(countSlots(lane), share) - countDeliveries(lane);

/** Guess. A longer backlog takes a node many seconds. */
const SHORT_BACKLOG = 20_000;

/** The receiver answers well, and yet no slot is free: only this node's own speed is in the way, for a moment. */
export function isCrowded(lane: Lane, share: number): boolean {
  if (lane.limit.limit <= startingLimit.limit) return false;
  if (lane.hasBacklog) return lane.backlog <= SHORT_BACKLOG;
  return countFreeSlots(lane, share) <= 0 && lane.fresh.length >= lane.waiting.length;
}

/** Half of the slots at a time: a claim for each single free slot would cost more than it gains. */
export const wantsBacklog = (lane: Lane, share: number): boolean =>
  lane.hasBacklog && countFreeSlots(lane, share) * 2 >= Math.min(countSlots(lane), share);

/** Commits that run side by side may end in another order than they were accepted in. */
export function putInOrder(fresh: ClaimedDelivery[], delivery: ClaimedDelivery): void {
  const place = fresh.findLastIndex(({ id }) => id < delivery.id) + 1;
  fresh.splice(place, 0, delivery);
}

/**
 * The delivery to start now, or how long to wait for the next one; `null` when none waits or the limit is reached. The
 * one that was accepted first goes first. Claimed deliveries may have to yield, as `mayStartClaimed` says, and only a
 * fresh one overtakes a retry then: what fresh ones have to wait for does not yield.
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
  const [claimed, fresh] = [lane.waiting[0], lane.fresh[0]];
  const isClaimedFirst = claimed !== undefined && (fresh === undefined || claimed.id < fresh.id);
  const mustNotWait = fresh !== undefined && claimed?.attemptsMade === 0;
  const from = isClaimedFirst && (mustNotWait || mayStartClaimed()) ? lane.waiting : lane.fresh;
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
const countSlots = (lane: Lane): number =>
  Math.min(lane.limit.limit * (1 + BUFFER_FACTOR), slotsAtRate(lane.ratePerSecond));

/** Takes out the surplus: the newest waiting deliveries, which the owner's limit cannot start in time. */
export function takeSurplus(lane: Lane): ClaimedDelivery[] {
  const surplus: ClaimedDelivery[] = [];
  for (const waiting of [lane.fresh, lane.waiting]) {
    const over = Math.min(countDeliveries(lane) - slotsAtRate(lane.ratePerSecond), waiting.length);
    if (over > 0) surplus.push(...waiting.splice(waiting.length - over));
  }
  return surplus;
}

/** Takes out the waiting deliveries that `isTaken` selects, claimed ones first. */
export function takeWhere(lane: Lane, isTaken: (delivery: ClaimedDelivery) => boolean): ClaimedDelivery[] {
  const taken: ClaimedDelivery[] = [];
  for (const waiting of [lane.waiting, lane.fresh]) {
    const all = waiting.splice(0);
    for (const delivery of all) (isTaken(delivery) ? taken : waiting).push(delivery);
  }
  return taken;
}

/** The limit after one more answer. A 4xx says something about the request, and nothing about the load. */
export function adapt({ limit, good }: LaneLimit, { outcome }: SendResult): LaneLimit {
  if (isSuccess(outcome)) {
    const isWindowFull = good + 1 >= limit;
    return isWindowFull ? { limit: Math.min(limit + 1, LIMIT_MAX), good: 0 } : { limit, good: good + 1 };
  }
  if (isOverload(outcome)) return { limit: Math.max(Math.floor(limit / 2), LIMIT_MIN), good: 0 };
  return { limit, good: 0 };
}

function isOverload(outcome: SendResult["outcome"]): boolean {
  switch (outcome.kind) {
    case "timeout":
    case "network_error":
    case "proxy_error":
    case "internal_error":
      return true;
    case "response":
      return outcome.response.status === 429 || outcome.response.status >= 500;
    case "dns_error":
    case "tls_error":
    case "blocked":
    // The receiver was not reached; one request for a token serves all deliveries that wait for it.
    case "token_error":
    case "body_error":
      return false;
  }
}

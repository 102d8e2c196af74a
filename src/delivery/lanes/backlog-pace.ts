/**
 * How fast this node starts what it claimed from the store, so that a backlog yields to fresh events of other
 * destinations, whatever is short: this node's CPU, its disk or the database.
 *
 *     nothing fresh ──► no limit     fresh, and their commits take as long as usual ──► the limit grows
 *                                    fresh, and their commits take longer ──► the limit shrinks, down to a floor
 *
 * A fresh event is one that goes into its lane right from its accept. Everything that was claimed waits for its turn
 * here, retries too: a thousand of them after an outage are a backlog as well.
 *
 * Invariant: the limit stays above what comes in for destinations with a backlog, so yielding never makes one grow.
 */
import { secondsMs } from "../../lib/duration.ts";

/** Guess. How often the limit changes. A stall of the disk, which no limit prevents, is in few windows as short. */
const WINDOW_MS = 100;

/**
 * Of so many windows two have the floor as their limit, and what fresh events wait in the second is usual: in the first
 * one they still wait for what was started before. Learned beside the backlog, what is usual would rise with its cost.
 */
const LEARNING_EVERY = 20;
const LEARNING_WINDOWS = 2;

/** Fresh events count for this long. */
const FRESH_MS = secondsMs(1);

/** The mean wait of a window may be this many times the usual one. */
const ALLOWED = 3 / 2;

/** Commits differ by this much anyway. */
const USUAL_MS_MIN = 1;

/**
 * Guess. Up and down alike, so that half of the windows are above and a stall is one of them: what is usual comes to
 * the median, and the limit to where fresh events wait as long as is allowed.
 */
const STEP = 5 / 4;

/** Starts a second that a backlog always gets, and starts for each fresh event. */
const FLOOR_PER_SECOND = 20;
const FLOOR_SHARE = 1 / 5;

/** A backlog drains by this much faster than it fills, however long fresh events wait. */
const DRAIN_FACTOR = 5 / 4;

/** Above this a limit limits nothing. */
const UNLIMITED_FROM = 20_000;

/**
 * Starts go in bunches, one each so often. A start alone finds cold caches, and has a wake-up and commits to itself:
 * beside 500 fresh events 1,000 starts a second took some 270 ms of the main thread in fours, 100 in sixteens.
 */
const BUNCH_MS = 10;
const BUNCH_MIN = 4;

export interface PaceWindow {
  /** Starts a second; `Infinity` for none. */
  readonly limit: number;
  readonly hasFresh: boolean;
  /** The mean wait of fresh events for their commit. */
  readonly waitMs: number;
  /** The same without a backlog. */
  readonly usualMs: number;
  /** Starts of what was claimed, a second. */
  readonly started: number;
  /** See `computeFloor`. */
  readonly floor: number;
}

/** Starts a second that a backlog gets in any case, beside so many fresh events and so many that join backlogs. */
export const computeFloor = (fresh: number, joined: number): number =>
  Math.max(FLOOR_PER_SECOND, fresh * FLOOR_SHARE, joined * DRAIN_FACTOR);

/** The limit of the next window. */
export function nextLimit({ limit, hasFresh, waitMs, usualMs, started, floor }: PaceWindow): number {
  if (!hasFresh) return Infinity;
  // A limit that is not used must not grow: nothing is known about what it would cost.
  const isUsed = started * 2 >= limit;
  if (waitMs > usualMs * ALLOWED) return Math.max(floor, (isUsed ? limit : started) / STEP);
  const next = isUsed ? limit * STEP : limit;
  return next > UNLIMITED_FROM ? Infinity : Math.max(floor, next);
}

/** After two windows in which no backlog got more than its floor. */
export const nextUsualMs = ({ waitMs, usualMs }: Pick<PaceWindow, "waitMs" | "usualMs">): number =>
  Math.max(USUAL_MS_MIN, waitMs < usualMs ? usualMs / STEP : usualMs * STEP);

/** Half a second's starts are claimed ahead, and no fewer than two bunches. */
const AHEAD_SECONDS = 1 / 2;

/**
 * An accept that comes during a large claim waits for all of it; each claim is a transaction with a sync of its own.
 * Measured beside 500 fresh events a second: with claims of 12 PostgreSQL made nine of them a second, and the p99 of
 * the others was 1.2 to 1.9 times as long; with 48 it was 1.1 to 1.3 times.
 */
const CLAIM_MAX = 48;

/**
 * The number of deliveries that a claim may bring under a limit, with `waiting` that have not started. Half of the room
 * at a time: a claim for each single start would cost more than it gains.
 */
export function computeYieldingCapacity(limit: number, waiting: number): number {
  const ahead = Math.max(2 * BUNCH_MIN, Math.ceil(limit * AHEAD_SECONDS));
  const left = ahead - waiting;
  return left * 2 < ahead ? 0 : Math.min(left, CLAIM_MAX);
}

export class BacklogPace {
  readonly #isWaitedFor: () => boolean;
  #limit = Infinity;
  #usualMs = USUAL_MS_MIN;
  #windows = 0;
  /** Windows in a row in which no backlog got more than its floor. */
  #atFloor = 0;
  /** The floor in a window that learns, else `Infinity`. */
  #learningLimit = Infinity;
  #windowFromMs = -Infinity;
  #freshUntilMs = -Infinity;
  #fresh = 0;
  #waitedMs = 0;
  #joined = 0;
  #started = 0;
  /** The next start if all were evenly spread. */
  #nextMs = -Infinity;

  /** `isWaitedFor`: fresh events wait for the backlog itself, so it has no limit. */
  constructor(isWaitedFor: () => boolean = () => false) {
    this.#isWaitedFor = isWaitedFor;
  }

  /** An event goes into its lane right from its accept, whose commit took `waitedMs`. */
  noteFresh(nowMs: number, waitedMs: number): void {
    this.#freshUntilMs = nowMs + FRESH_MS;
    this.#fresh += 1;
    this.#waitedMs += waitedMs;
    this.#see(nowMs);
  }

  /** An event joined its destination's backlog. */
  noteJoined(nowMs: number): void {
    this.#joined += 1;
    this.#see(nowMs);
  }

  /** Starts that may be made in the next second; `Infinity` without a limit. */
  limit(nowMs: number): number {
    this.#see(nowMs);
    return this.#isWaitedFor() ? Infinity : this.#limitNow();
  }

  #limitNow(): number {
    return Math.min(this.#limit, this.#learningLimit);
  }

  /** How long the next start has to wait: until a bunch of them may go. */
  waitMs(nowMs: number): number {
    if (this.limit(nowMs) === Infinity || this.#nextMs <= nowMs) return 0;
    return Math.ceil(this.#nextMs + this.#aheadMs() - nowMs);
  }

  /** Takes one start, and returns 0; or returns how long to wait for it. */
  take(nowMs: number): number {
    const waitMs = this.waitMs(nowMs);
    if (waitMs > 0) return waitMs;
    this.#nextMs = Math.max(this.#nextMs, nowMs - this.#aheadMs()) + this.#gapMs();
    this.#started += 1;
    return 0;
  }

  #gapMs(): number {
    return secondsMs(1) / this.#limitNow();
  }

  /** How far starts may run behind an even spread: the last of a bunch is in time. */
  #aheadMs(): number {
    return Math.max(BUNCH_MS, BUNCH_MIN * this.#gapMs()) - this.#gapMs();
  }

  #see(nowMs: number): void {
    const elapsedMs = nowMs - this.#windowFromMs;
    if (elapsedMs < WINDOW_MS) return;
    const perSecond = (count: number): number => (count * secondsMs(1)) / elapsedMs;
    const seen = {
      limit: this.#limit,
      hasFresh: nowMs < this.#freshUntilMs,
      waitMs: this.#fresh === 0 ? 0 : this.#waitedMs / this.#fresh,
      usualMs: this.#usualMs,
      started: perSecond(this.#started),
      floor: computeFloor(perSecond(this.#fresh), perSecond(this.#joined)),
    };
    // A window in which no fresh event came says nothing of how long they wait.
    const isSeen = this.#learningLimit === Infinity && this.#fresh > 0;
    if (isSeen || !seen.hasFresh) this.#limit = nextLimit(seen);
    this.#atFloor = seen.started <= seen.floor + perSecond(BUNCH_MIN) ? this.#atFloor + 1 : 0;
    if (this.#fresh > 0 && this.#atFloor >= LEARNING_WINDOWS) this.#usualMs = nextUsualMs(seen);
    this.#windows += 1;
    const learns = seen.hasFresh && this.#windows % LEARNING_EVERY >= LEARNING_EVERY - LEARNING_WINDOWS;
    this.#learningLimit = learns ? seen.floor : Infinity;
    this.#windowFromMs = nowMs;
    this.#fresh = this.#waitedMs = this.#joined = this.#started = 0;
  }
}

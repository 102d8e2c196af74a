/**
 * How fast this node starts what it claimed from the store, so that a backlog yields to fresh events of other
 * destinations when the node is short of CPU.
 *
 *     nothing fresh ──► no limit            fresh, and free time left ──► the limit grows
 *                                           fresh, and busy ──► the limit shrinks, down to a floor
 *
 * A fresh event is one that goes into its lane right from its accept. Everything that was claimed waits for its turn
 * here, retries too: a thousand of them after an outage are a backlog as well.
 *
 * Invariant: the limit stays above what comes in for destinations with a backlog, so yielding never makes one grow.
 */
import { secondsMs } from "../../lib/duration.ts";
import { BUSY, type LoopWork } from "../loop-work.ts";

/** Guess. How often the limit changes. */
const WINDOW_MS = 250;

/** Fresh events count for this long. */
const FRESH_MS = secondsMs(1);

/** Guesses. Down by a third while busy, up by an eighth while not: half speed after half a second, back after 1.5. */
const SLOWER = 2 / 3;
const FASTER = 9 / 8;

/** Starts a second that a backlog always gets, and starts for each fresh event. */
const FLOOR_PER_SECOND = 20;
const FLOOR_SHARE = 1 / 5;

/** A backlog drains by this much faster than it fills, however busy the node is. */
const DRAIN_FACTOR = 5 / 4;

/** Above this a limit limits nothing. */
const UNLIMITED_FROM = 20_000;

/**
 * Starts that go together. One alone costs four times the CPU of one among others, because it finds cold caches and has
 * a wake-up and commits to itself (measured: 1.1 ms against 0.25 ms on the main thread).
 */
const BURST = 4;

export interface PaceWindow {
  /** Starts a second; `Infinity` for none. */
  readonly limit: number;
  /** See `LoopWork`. */
  readonly busy: number;
  readonly hasFresh: boolean;
  /** A second: fresh events, events that joined a backlog, and starts of what was claimed. */
  readonly fresh: number;
  readonly joined: number;
  readonly started: number;
}

/** The limit of the next window. */
export function nextLimit({ limit, busy, hasFresh, fresh, joined, started }: PaceWindow): number {
  if (!hasFresh) return Infinity;
  const floor = Math.max(FLOOR_PER_SECOND, fresh * FLOOR_SHARE, joined * DRAIN_FACTOR);
  if (busy > BUSY) return Math.max(floor, Math.min(limit, started) * SLOWER);
  // A limit that is not used must not grow: nothing is known about what it would cost.
  const next = started * 2 >= limit ? limit * FASTER : limit;
  return next > UNLIMITED_FROM ? Infinity : Math.max(floor, next);
}

/** Half a second's starts are claimed ahead, and no fewer than two bursts. */
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
  const ahead = Math.max(2 * BURST, Math.ceil(limit * AHEAD_SECONDS));
  const left = ahead - waiting;
  return left * 2 < ahead ? 0 : Math.min(left, CLAIM_MAX);
}

export class BacklogPace {
  readonly #loopWork: LoopWork;
  readonly #isWaitedFor: () => boolean;
  #limit = Infinity;
  #windowFromMs = -Infinity;
  #freshUntilMs = -Infinity;
  #fresh = 0;
  #joined = 0;
  #started = 0;
  /** The next start if all were evenly spread. */
  #nextMs = -Infinity;

  /** `isWaitedFor`: fresh events wait for the backlog itself, so it has no limit. */
  constructor(loopWork: LoopWork, isWaitedFor: () => boolean = () => false) {
    this.#loopWork = loopWork;
    this.#isWaitedFor = isWaitedFor;
  }

  /** An event went into its lane right from its accept. */
  noteFresh(nowMs: number): void {
    this.#freshUntilMs = nowMs + FRESH_MS;
    this.#fresh += 1;
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
    return this.#isWaitedFor() ? Infinity : this.#limit;
  }

  /** How long the next start has to wait: until a burst of them may go. */
  waitMs(nowMs: number): number {
    if (this.limit(nowMs) === Infinity || this.#nextMs <= nowMs) return 0;
    return Math.ceil(this.#nextMs + (BURST - 1) * this.#gapMs() - nowMs);
  }

  /** Takes one start, and returns 0; or returns how long to wait for it. */
  take(nowMs: number): number {
    const waitMs = this.waitMs(nowMs);
    if (waitMs > 0) return waitMs;
    const gapMs = this.#gapMs();
    this.#nextMs = Math.max(this.#nextMs, nowMs - (BURST - 1) * gapMs) + gapMs;
    this.#started += 1;
    return 0;
  }

  #gapMs(): number {
    return secondsMs(1) / this.#limit;
  }

  #see(nowMs: number): void {
    const elapsedMs = nowMs - this.#windowFromMs;
    if (elapsedMs < WINDOW_MS) return;
    const perSecond = (count: number): number => (count * secondsMs(1)) / elapsedMs;
    this.#limit = nextLimit({
      limit: this.#limit,
      busy: this.#loopWork(),
      hasFresh: nowMs < this.#freshUntilMs,
      fresh: perSecond(this.#fresh),
      joined: perSecond(this.#joined),
      started: perSecond(this.#started),
    });
    this.#windowFromMs = nowMs;
    this.#fresh = this.#joined = this.#started = 0;
  }
}

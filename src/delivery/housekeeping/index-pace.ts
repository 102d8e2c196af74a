/**
 * How long the index of search rests after each step. Accepts wait for a step that is under way, and a store with one
 * writer does nothing else meanwhile.
 *
 *     the event loop is idle ──► a quarter of the time     the more it has to do ──► less, down to a fortieth
 *     events come in faster than that indexes them ──► as much as keeps up, unless the node is busy
 *
 * Invariant: an index that is behind catches up, as soon as no node is busy. Each node keeps up with its own events, so
 * all of them together keep up with all.
 */
import { secondsMs } from "../../lib/duration.ts";

/** The shortest rest, in durations of the step before it. */
const REST_SHARE_MIN = 3;

/**
 * The longest one, while the loop is busy for `BUSY_FOR_LONGEST` of the time. 500 events a second take that much. An
 * index that took a quarter of the time beside them made their p99 1.6 to 2.2 times as long on SQLite; one that takes a
 * fortieth does not show.
 */
const REST_SHARE_MAX = 40;
const BUSY_FOR_LONGEST = 0.2;

/** No rest is longer: one step that waited for a store that hung must not keep search waiting for half a minute. */
const REST_MS_MAX = secondsMs(5);

/**
 * With more work than this the index falls behind, and catches up afterwards: an event costs it 50 to 70 µs, half of
 * what its delivery costs.
 */
const BUSY_MAX = 0.5;

/** It keeps up with this many times the events that come in, so that it catches up with the others too. */
const KEEP_UP_FACTOR = 3 / 2;

/** How often the loop's work and the events that come in are measured. */
const WINDOW_MS = secondsMs(1);

interface Step {
  readonly tookMs: number;
  /** Events. */
  readonly indexed: number;
}

export interface IndexStep extends Step {
  /** The share of the time in which the event loop had work. */
  readonly busy: number;
  /** Events that come in to this node. */
  readonly comingPerSecond: number;
}

export function computeRestMs({ tookMs, indexed, busy, comingPerSecond }: IndexStep): number {
  const share = Math.min(REST_SHARE_MAX, Math.max(REST_SHARE_MIN, (busy / BUSY_FOR_LONGEST) * REST_SHARE_MAX));
  const longestMs = Math.min(tookMs * share, REST_MS_MAX);
  if (busy > BUSY_MAX) return longestMs;
  const keepingUpMs = secondsMs(indexed / (comingPerSecond * KEEP_UP_FACTOR)) - tookMs;
  return Math.min(longestMs, Math.max(tookMs * REST_SHARE_MIN, keepingUpMs));
}

interface EndedStep extends Step {
  readonly endedMs: number;
}

export class IndexPace {
  readonly #measureBusy: () => number;
  #busy = 0;
  #comingPerSecond = 0;
  #windowFromMs = -Infinity;
  #came = 0;

  constructor(measureBusy: () => number) {
    this.#measureBusy = measureBusy;
  }

  /** Records have come in to this node. */
  noteComing(records: number): void {
    this.#came += records;
  }

  restMs({ indexed, tookMs, endedMs }: EndedStep): number {
    this.#see(endedMs);
    return computeRestMs({ tookMs, indexed, busy: this.#busy, comingPerSecond: this.#comingPerSecond });
  }

  #see(nowMs: number): void {
    const elapsedMs = nowMs - this.#windowFromMs;
    if (elapsedMs < WINDOW_MS) return;
    this.#busy = this.#measureBusy();
    this.#comingPerSecond = (this.#came * secondsMs(1)) / elapsedMs;
    this.#windowFromMs = nowMs;
    this.#came = 0;
  }
}

/**
 * Feeds the search index beside the events' path, in small steps with long pauses. Accepts wait for a step that runs,
 * and a store with one writer does nothing else meanwhile. All progress is in the store, so a step that did not happen,
 * or that a crash undid, is simply the next one.
 *
 *     nothing comes in ──► a quarter of the time     the busier the event loop is ──► less, down to a fortieth
 *     events come in faster than that indexes them ──► as much as keeps up, unless the node is busy
 *
 * Invariant: an index that is behind catches up as soon as no node is busy. Each node keeps up with its own events, so
 * all of them together keep up with all. A node that has none rests, and looks now and then for those of dead nodes.
 */
import { secondsMs } from "../lib/duration.ts";
import { createBackOff, createRounds } from "../lib/rounds.ts";
import type { SearchVerbs } from "../store/contract/search.ts";
import type { DeliveryContext } from "./context.ts";
import { BUSY, FULL, type LoopWork } from "./loop-work.ts";

export interface Indexing extends AsyncDisposable {
  /** Records came in: the index has to keep up with them. */
  noteComing(records: number): void;
  start(): void;
  stop(): Promise<void>;
}

export interface IndexingContext extends Pick<DeliveryContext, "clock" | "report"> {
  readonly loopWork: LoopWork;
  readonly store: Pick<SearchVerbs, "indexEvents">;
}

/** How soon a fresh event is found. A poll that finds nothing is one search, and the waits after it grow. */
const POLL_MS = secondsMs(1);
const REST_MS = secondsMs(8);

/** A few milliseconds of work: an accept that comes meanwhile waits for no more than that. */
export const INDEX_STEP = { eventsMax: 32, bytesMax: 128 * 1024 };
/** While nothing comes in: a step's own price, half of what its events cost, is shared by more of them. */
const QUIET_STEP = { ...INDEX_STEP, eventsMax: 128 };

/** After a step that failed because the store is away. */
const FAILED_STEP_MS = secondsMs(5);

export function createIndexing({ clock, store, report, loopWork }: IndexingContext): Indexing {
  const pace = new IndexPace(loopWork);
  const rest = createBackOff(POLL_MS, REST_MS);

  async function round(): Promise<number> {
    const startedMs = clock.monotonicMs();
    const step = pace.isQuiet() ? QUIET_STEP : INDEX_STEP;
    const { indexed, hasMore } = await store.indexEvents({ nowMs: clock.nowMs(), ...step });
    const endedMs = clock.monotonicMs();
    const pauseMs = pace.pauseMs({ indexed, tookMs: endedMs - startedMs, endedMs });
    if (indexed > 0) rest.reset();
    return hasMore ? Math.max(1, pauseMs) : rest.next();
  }

  async function guarded(): Promise<number> {
    try {
      return await round();
    } catch (error) {
      report.failed({ what: "the index of search", error });
      return FAILED_STEP_MS;
    }
  }

  const rounds = createRounds(clock, guarded);
  const noteComing = (records: number): void => {
    pace.noteComing(records);
    // The step that comes now may be before their commit; the next one is not.
    if (rest.reset()) rounds.nudge();
  };
  return { noteComing, start: rounds.start, stop: rounds.stop, [Symbol.asyncDispose]: rounds.stop };
}

/** The shortest pause, in durations of the step before it. */
const PAUSE_SHARE_MIN = 3;

/**
 * The longest pause, on a busy node. 500 events a second make it busy. An index that took a quarter of the time beside
 * them made their p99 1.6 to 2.2 times as long on SQLite; one that takes a fortieth does not show.
 */
const PAUSE_SHARE_MAX = 40;

/** No pause is longer: a step that waited for a store that hung must not keep search waiting for half a minute. */
const PAUSE_MS_MAX = secondsMs(5);

/** The index takes this many times the events that come in, so that it catches up with older events too. */
const KEEP_UP_FACTOR = 3 / 2;

/** How often the incoming events are measured. */
const WINDOW_MS = secondsMs(1);

interface Step {
  readonly tookMs: number;
  /** Events. */
  readonly indexed: number;
}

export interface IndexStep extends Step {
  /** See `LoopWork`. */
  readonly busy: number;
  /** Events that this node takes in. */
  readonly comingPerSecond: number;
}

export function computePauseMs({ tookMs, indexed, busy, comingPerSecond }: IndexStep): number {
  // Where nothing comes in, it is the index itself that keeps the loop from being idle.
  const yielding = comingPerSecond === 0 && busy < BUSY ? 0 : (busy / BUSY) * PAUSE_SHARE_MAX;
  const share = Math.min(PAUSE_SHARE_MAX, Math.max(PAUSE_SHARE_MIN, yielding));
  const longestMs = Math.min(tookMs * share, PAUSE_MS_MAX);
  // It catches up afterwards: an event costs it 50 to 70 µs, half of what its delivery costs.
  if (busy > FULL) return longestMs;
  const keepingUpMs = secondsMs(indexed / (comingPerSecond * KEEP_UP_FACTOR)) - tookMs;
  return Math.min(longestMs, Math.max(tookMs * PAUSE_SHARE_MIN, keepingUpMs));
}

interface EndedStep extends Step {
  readonly endedMs: number;
}

export class IndexPace {
  readonly #loopWork: LoopWork;
  #comingPerSecond = 0;
  #windowFromMs = -Infinity;
  #came = 0;

  constructor(loopWork: LoopWork) {
    this.#loopWork = loopWork;
  }

  /** Records have come in to this node. */
  noteComing(records: number): void {
    this.#came += records;
  }

  /** None has come in for a second, and the node is not busy otherwise. */
  isQuiet(): boolean {
    return this.#came === 0 && this.#comingPerSecond === 0 && this.#loopWork() < BUSY;
  }

  pauseMs({ indexed, tookMs, endedMs }: EndedStep): number {
    this.#measure(endedMs);
    return computePauseMs({ tookMs, indexed, busy: this.#loopWork(), comingPerSecond: this.#comingPerSecond });
  }

  #measure(nowMs: number): void {
    const elapsedMs = nowMs - this.#windowFromMs;
    if (elapsedMs < WINDOW_MS) return;
    this.#comingPerSecond = (this.#came * secondsMs(1)) / elapsedMs;
    this.#windowFromMs = nowMs;
    this.#came = 0;
  }
}

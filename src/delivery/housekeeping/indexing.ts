/**
 * Feeds the index of search, behind the events and beside their path: in small steps with long rests, so that events
 * which come in have the store for themselves. All of its progress is in the store, so a step that did not happen, or
 * that a crash undid, is simply the next one.
 */
import { secondsMs } from "../../lib/duration.ts";
import { createRounds } from "../../lib/rounds.ts";
import type { SearchVerbs } from "../../store/contract/search.ts";
import type { DeliveryContext } from "../context.ts";

export interface Indexing extends AsyncDisposable {
  /** One step; true when there is more. */
  step(): Promise<boolean>;
  start(): void;
  stop(): Promise<void>;
}

export interface IndexingContext extends Pick<DeliveryContext, "clock" | "report"> {
  readonly store: Pick<SearchVerbs, "indexEvents">;
}

/** How soon a fresh event is found. A look that finds nothing is one search. */
const LOOK_MS = secondsMs(1);

/** A few milliseconds of work: an accept that comes meanwhile waits for no more than that. */
const EVENTS_MAX = 32;
const BYTES_MAX = 128 * 1024;

/**
 * After a full step indexing rests for this many times the step's duration. A step that waits behind accepts takes
 * longer, and so does its rest: an index that is behind catches up when the node has time.
 */
const REST_SHARE = 3;

/**
 * The same while the event loop has more to do than `BUSY_MAX`: a fortieth of the store's time is left to search then,
 * and it catches up afterwards. An event costs it 50 to 70 µs, half of what its delivery costs.
 */
const BUSY_REST_SHARE = 40;
const BUSY_MAX = 0.5;

/** After a step that failed because the store is away. */
const FAILED_STEP_MS = secondsMs(5);

export function createIndexing(
  { clock, store, report }: IndexingContext,
  { measureBusy }: { readonly measureBusy: () => () => number },
): Indexing {
  const busy = measureBusy();

  async function step(): Promise<boolean> {
    const limits = { eventsMax: EVENTS_MAX, bytesMax: BYTES_MAX };
    const { hasMore } = await store.indexEvents({ nowMs: clock.nowMs(), ...limits });
    return hasMore;
  }

  async function round(): Promise<number> {
    const startedMs = clock.monotonicMs();
    if (!(await step())) return LOOK_MS;
    const tookMs = clock.monotonicMs() - startedMs;
    return Math.max(1, tookMs * (busy() > BUSY_MAX ? BUSY_REST_SHARE : REST_SHARE));
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
  return { step, start: rounds.start, stop: rounds.stop, [Symbol.asyncDispose]: rounds.stop };
}

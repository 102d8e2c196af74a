/**
 * Feeds the index of search, behind the events and beside their path: in small steps with long rests, so that events
 * which come in have the store for themselves. All of its progress is in the store, so a step that did not happen, or
 * that a crash undid, is simply the next one.
 */
import { secondsMs } from "../../lib/duration.ts";
import { createRounds } from "../../lib/rounds.ts";
import type { SearchVerbs } from "../../store/contract/search.ts";
import type { DeliveryContext } from "../context.ts";
import { IndexPace } from "./index-pace.ts";

export interface Indexing extends AsyncDisposable {
  /** Records come in, which the index has to keep up with. */
  noteComing(records: number): void;
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

/** After a step that failed because the store is away. */
const FAILED_STEP_MS = secondsMs(5);

export function createIndexing(
  { clock, store, report }: IndexingContext,
  { measureBusy }: { readonly measureBusy: () => () => number },
): Indexing {
  const pace = new IndexPace(measureBusy());

  async function round(): Promise<number> {
    const startedMs = clock.monotonicMs();
    const limits = { eventsMax: EVENTS_MAX, bytesMax: BYTES_MAX };
    const { indexed, hasMore } = await store.indexEvents({ nowMs: clock.nowMs(), ...limits });
    const endedMs = clock.monotonicMs();
    const restMs = pace.restMs({ indexed, tookMs: endedMs - startedMs, endedMs });
    return hasMore ? Math.max(1, restMs) : LOOK_MS;
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
  const noteComing = (records: number): void => pace.noteComing(records);
  return { noteComing, start: rounds.start, stop: rounds.stop, [Symbol.asyncDispose]: rounds.stop };
}

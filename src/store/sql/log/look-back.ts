/**
 * Looks at rows of the log one by one where a filter has no index for all that it names, such as one code among the
 * 2xx: from the newest back, only where the counters say that there is something (`counted-windows.ts`), and at no more
 * than `lookedAtMaxOf` rows. Where it stops before the end it says how far it came.
 */
import { hoursMs } from "../../../lib/duration.ts";
import type { DeliveryCursor, ListDeliveries } from "../../contract/log.ts";
import { type CountedPeriod, type CountedSegment, nextSegment, SLACK_MS, toWindows } from "./counted-windows.ts";
import { findStart } from "./log-rows.ts";
import { lookedAtMaxOf, type LogScan } from "./log-scans.ts";
import type { Answer } from "../transaction.ts";

/** In one step; a page of what is frequent ends with the first. */
const STEP_ROWS = 2_500;
const ROWS_OF_EACH_MIN = 4;
/**
 * The first step takes as many rows of each destination, so it comes back no further than the busiest of them. From
 * there on steps go by time, at the pace that was seen, and the busiest destination may have this much more than its
 * share. A step is at most so much longer than the one before.
 */
const BUSIEST_SHARE = 64;
const FASTER_MAX = 64;
/** The newest periods have few rows, or none: windows are wider than what they count. */
const FIRST_PAGES = 16;
/** Counts of an hour that begins before the oldest row may be of its end. */
export const EARLIER_MS = hoursMs(1) + SLACK_MS;
/** Without counters, as long as each step finds something. */
const GUESSES_MAX = 3;

/** The counters' knowledge of a filter. */
export interface CountedFilter {
  readonly periods: readonly CountedPeriod[];
  /** The start of the oldest period that is kept, whatever it counts; `null`: there is none. */
  readonly oldestMs: number | null;
}

export interface Step {
  readonly among: readonly string[];
  /** Rows behind this one, back to `fromMs` included. */
  readonly behind: DeliveryCursor;
  readonly fromMs: number;
  /** Rows of each destination that are looked at. */
  readonly each: number;
  /** Rows that the page still needs. */
  readonly count: number;
}

export interface Stepped<Row> {
  /** Those that the filter lets through, the newest first. */
  readonly rows: readonly Row[];
  readonly looked: number;
  /** Those of them that lie before the place that this one came to; left out where steps go by rows alone. */
  readonly passed?: number;
  /** Where the next step begins; `{ fromMs, "" }` when this one came to its end. */
  readonly behind: DeliveryCursor;
}

/** How a store reads what is looked at. */
export interface LookBackReads<Row> {
  /** Those of the one destination that the filter names, or of the account. */
  loadCounted(): Answer<CountedFilter>;
  /** The destinations that the segment's periods count something for, or more of them. */
  findCounted(segment: CountedSegment): Answer<readonly string[]>;
  /** Comes back to `fromMs`, or to where the busiest destination has had its share. */
  step(step: Step): Answer<Stepped<Row>>;
  /** A guess: rows since then are looked at before the counters are asked. `null`: none are. */
  readonly guessedFromMs: number | null;
  /** The store has nothing newer, and nothing older. */
  readonly newestMs: number;
  readonly keptFromMs: number;
  /** The most of one segment; see `counted-windows.ts`. */
  readonly periodsMax: number;
}

export interface LookBack extends Pick<LogScan, "filter"> {
  readonly looksFor: NonNullable<LogScan["looksFor"]>;
  readonly ids: readonly string[];
}

export interface LookedBack<Row> {
  readonly rows: readonly Row[];
  /** Rows that are older were not all looked at; `null` when that is not needed any more. */
  readonly reachedMs: number | null;
}

export async function lookBack<Row>(params: LookBack, reads: LookBackReads<Row>): Promise<LookedBack<Row>> {
  const { filter, ids } = params;
  const { periodsMax } = reads;
  const oldestMs = Math.max(filter.createdFromMs ?? 0, reads.keptFromMs);
  const walk = new Walk(filter, reads);
  if (ids.length === 0) return walk.end();
  await walk.guess(ids, oldestMs);
  if (walk.isFull()) return walk.end();
  const known = { ...(await loadKnown(params, reads)), oldestMs };
  for (let wanted = FIRST_PAGES * (filter.limit + 1); ; wanted *= 4) {
    const segment = nextSegment(walk.completeFromMs(), { ...known, rows: wanted, periodsMax });
    if (segment === null) return walk.end();
    walk.skipTo(segment.toMs);
    const among = ids.length < 2 ? ids : await reads.findCounted(segment);
    walk.looked += ids.length;
    while (among.length > 0 && walk.isBefore(segment.fromMs)) {
      if (walk.mustStop()) return walk.stop();
      await walk.step(among, segment.fromMs);
      if (walk.isFull()) return walk.end();
    }
    walk.skipTo(segment.fromMs);
  }
}

async function loadKnown({ looksFor }: LookBack, reads: LookBackReads<unknown>) {
  if (looksFor === "uncounted") return { windows: [], knownFromMs: Infinity };
  const { periods, oldestMs } = await reads.loadCounted();
  return { windows: toWindows(periods), knownFromMs: oldestMs === null ? Infinity : oldestMs + SLACK_MS };
}

/** One page on its way back in time. */
class Walk<Row> {
  looked = 0;
  readonly #reads: LookBackReads<Row>;
  readonly #start: DeliveryCursor;
  readonly #most: number;
  readonly #count: number;
  readonly #rows: Row[] = [];
  /** Everything before it has been looked at. */
  #behind: DeliveryCursor;
  /** How much time of the log has about as many rows as a step takes; `null` before the first step. */
  #paceMs: number | null = null;

  constructor(filter: ListDeliveries, reads: LookBackReads<Row>) {
    this.#reads = reads;
    this.#start = findStart(filter);
    this.#behind = this.#start;
    this.#most = lookedAtMaxOf(filter);
    this.#count = filter.limit + 1;
  }

  /** It counts as nothing looked at: what is rare is found by the counters on the first page all the same. */
  async guess(ids: readonly string[], oldestMs: number): Promise<void> {
    const { guessedFromMs } = this.#reads;
    if (guessedFromMs === null) return;
    const fromMs = Math.max(guessedFromMs, oldestMs);
    let found = -1;
    for (let turn = 0; turn < GUESSES_MAX && this.#rows.length > found && this.isBefore(fromMs); turn += 1) {
      if (this.isFull()) break;
      found = this.#rows.length;
      await this.step(ids, fromMs);
    }
    this.looked = 0;
  }

  async step(among: readonly string[], fromMs: number): Promise<void> {
    const behind = this.#behind;
    const newestMs = Math.min(behind.createdAtMs, this.#reads.newestMs);
    const paceMs = this.#paceMs;
    const share = (Math.min(STEP_ROWS, this.#most) * (paceMs === null ? 1 : BUSIEST_SHARE)) / among.length;
    const stepped = await this.#reads.step({
      among,
      behind,
      fromMs: paceMs === null ? fromMs : Math.max(fromMs, newestMs - paceMs),
      each: Math.max(ROWS_OF_EACH_MIN, Math.ceil(Math.min(share, STEP_ROWS))),
      count: this.#count - this.#rows.length,
    });
    this.#rows.push(...stepped.rows);
    this.#behind = stepped.behind;
    this.looked += stepped.looked + among.length;
    if (stepped.passed === undefined) return;
    const faster = Math.min(Math.max(STEP_ROWS / (stepped.passed + 1), 1), FASTER_MAX);
    this.#paceMs = Math.ceil(Math.max(newestMs - stepped.behind.createdAtMs, 1) * faster);
  }

  /** Between here and there is nothing to look for. */
  skipTo(atMs: number): void {
    if (atMs <= this.#behind.createdAtMs) this.#behind = { createdAtMs: atMs, id: "" };
  }

  isBefore = (fromMs: number): boolean => this.completeFromMs() > fromMs;

  /** Behind a row there may be others of its millisecond. */
  completeFromMs = (): number => this.#behind.createdAtMs + (this.#behind.id === "" ? 0 : 1);

  isFull = (): boolean => this.#rows.length >= this.#count;

  /** Each page comes further back than the one before, whatever it may look at. */
  mustStop = (): boolean => this.looked >= this.#most && this.completeFromMs() < this.#start.createdAtMs;

  stop = (): LookedBack<Row> => ({ rows: this.#rows, reachedMs: this.completeFromMs() });

  end = (): LookedBack<Row> => ({ rows: this.#rows, reachedMs: null });
}

/** All scans together: what none of them has passed over. */
export const joinReached = (looked: readonly LookedBack<unknown>[]): number | null => {
  const reached = looked.flatMap(({ reachedMs }) => reachedMs ?? []);
  return reached.length === 0 ? null : Math.max(...reached);
};

/**
 * Where in the log something can be that has no index of its own, told by the counters of attempts. A 2xx that arrived
 * is counted at its minute with the time since its acceptance, so each count names a window of acceptances. Between the
 * windows there is nothing to look for. Pure.
 *
 * Invariant: a row that was accepted since the oldest count that is kept is in a window, or it is not there.
 */
import { upperEdgeMs } from "../../../domain/histogram.ts";
import { hoursMs, minutesMs } from "../../../lib/duration.ts";

/** What the rows are counted by: `delivery` where they must have arrived, `attempt` where they must not. */
export type CountedKind = "attempt" | "delivery";

/** A row of counters, of an account or a destination. */
export interface CountedPeriod {
  /** The start of its minute, quarter or hour. */
  readonly atMs: number;
  readonly kind: CountedKind;
  readonly count: number;
  /** JSON: how many are in which bin of the histogram. */
  readonly bins: string;
}

/** Acceptances, `toMs` not included, that what a period counts can have; `count` is how many it counts. */
export interface CountedWindow {
  readonly fromMs: number;
  readonly toMs: number;
  readonly count: number;
  /** The start of its period. */
  readonly atMs: number;
}

/** Clocks of two nodes, or of one that was set, may differ by this much. Guess. */
export const SLACK_MS = minutesMs(2);

/** Those that arrived sooner are one window. */
export const AT_ONCE_MS = minutesMs(1);

/** The one that ends last comes first. */
export const toWindows = (periods: readonly CountedPeriod[]): CountedWindow[] =>
  periods.flatMap(windowsOf).toSorted((one, other) => other.toMs - one.toMs);

function windowsOf(period: CountedPeriod): CountedWindow[] {
  const { atMs, kind, count } = period;
  const toMs = endOfPeriod(atMs) + SLACK_MS;
  // An attempt says nothing about how long its delivery had waited.
  if (kind === "attempt") return [{ fromMs: -Infinity, toMs, count, atMs }];
  const bins = Object.entries(JSON.parse(period.bins) as Record<string, number>);
  const late = bins.filter(([bin]) => upperEdgeMs(Number(bin)) > AT_ONCE_MS);
  const lateCount = late.reduce((sum, [, found]) => sum + found, 0);
  const windows = late.map(([bin, found]) => ({
    fromMs: atMs - Math.ceil(upperEdgeMs(Number(bin))) - SLACK_MS,
    toMs: toMs - Math.floor(upperEdgeMs(Number(bin) - 1)),
    count: found,
    atMs,
  }));
  if (lateCount === count) return windows;
  return [{ fromMs: atMs - AT_ONCE_MS - SLACK_MS, toMs, count: count - lateCount, atMs }, ...windows];
}

/** A count at the start of an hour may be of the whole hour. */
export function endOfPeriod(atMs: number): number {
  if (atMs % hoursMs(1) === 0) return atMs + hoursMs(1);
  return atMs + minutesMs(atMs % minutesMs(15) === 0 ? 15 : 1);
}

/** A span of acceptances to look through, the start included. */
export interface CountedSegment {
  readonly fromMs: number;
  readonly toMs: number;
  /** The periods that say that there is something; `null` where counts are not kept any more. */
  readonly periods: readonly number[] | null;
}

export interface SegmentParams {
  readonly windows: readonly CountedWindow[];
  /** Counts of everything accepted since then are kept. */
  readonly knownFromMs: number;
  /** Nothing older is asked for. */
  readonly oldestMs: number;
  /** Ends where about as many rows as this were counted. */
  readonly rows: number;
  /** Each period may cost a search at each destination. */
  readonly periodsMax: number;
}

/** The newest part before `behindMs` that can have something; `null`: there is nothing any more. */
export function nextSegment(behindMs: number, params: SegmentParams): CountedSegment | null {
  const { windows, oldestMs, rows, periodsMax } = params;
  const knownFromMs = Math.max(params.knownFromMs, oldestMs);
  const open = windows.filter(({ fromMs, toMs }) => fromMs < behindMs && toMs > knownFromMs);
  const [newest] = open;
  if (behindMs <= knownFromMs || newest === undefined) {
    const toMs = Math.min(behindMs, knownFromMs);
    return toMs <= oldestMs ? null : { fromMs: oldestMs, toMs, periods: null };
  }
  const toMs = Math.min(behindMs, newest.toMs);
  let count = 0;
  let end = 0;
  for (; end < open.length; end += 1) {
    const isEnough = count >= rows || end >= periodsMax;
    if (isEnough && (open[end]?.toMs ?? 0) < toMs) break;
    count += open[end]?.count ?? 0;
  }
  const taken = open.slice(0, end);
  const first = Math.min(...taken.map((window) => window.fromMs));
  const fromMs = Math.max(knownFromMs, open[end]?.toMs ?? -Infinity, first);
  return { fromMs, toMs, periods: [...new Set(taken.map(({ atMs }) => atMs))] };
}

/** Periods as ranges, the end not included. */
export function toRanges(periods: readonly number[]): readonly (readonly [fromMs: number, toMs: number])[] {
  const ranges: [number, number][] = [];
  for (const atMs of periods.toSorted((one, other) => one - other)) {
    // A destination's counts may be joined to a longer period than the account's.
    const fromMs = atMs - (atMs % hoursMs(1));
    const last = ranges.at(-1);
    if (last !== undefined && fromMs <= last[1]) last[1] = Math.max(last[1], endOfPeriod(atMs));
    else ranges.push([fromMs, endOfPeriod(atMs)]);
  }
  return ranges;
}

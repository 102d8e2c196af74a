/**
 * Figures for the charts: counters by bucket, joined here. Percentiles come from the histograms of the very bucket or
 * period that they are shown for: those of parts are never averaged, because an average of them means nothing.
 */
import { percentileMs } from "../../domain/histogram.ts";
import { LIMITS } from "../../domain/limits.ts";
import { ok } from "../../lib/result.ts";
import { daysMs, hoursMs, minutesMs } from "../../lib/duration.ts";
import type { AttemptCount, CountAttempts } from "../../store/contract/log.ts";
import type { Percentiles, StatisticsAnswer, StatisticsBucket, StatisticsRange } from "../contract/statistics.ts";
import type { Handler, Handlers } from "../call/operation.ts";

interface Range {
  readonly spanMs: number;
  readonly bucketMs: number;
  /** The range ends with the one of these that has begun. */
  readonly untilMs: number;
}

/**
 * The length of a range and of its buckets: 60 to 96 of them, as many as a chart's width can show. A day is one of
 * whole hours, as a destination's own 24 bars are: the same figures stand in both places.
 */
const RANGES: Readonly<Record<StatisticsRange, Range>> = {
  "1h": { spanMs: hoursMs(1), bucketMs: minutesMs(1), untilMs: minutesMs(1) },
  "24h": { spanMs: daysMs(1), bucketMs: minutesMs(15), untilMs: hoursMs(1) },
  "7d": { spanMs: daysMs(7), bucketMs: hoursMs(2), untilMs: hoursMs(2) },
  "30d": { spanMs: daysMs(30), bucketMs: hoursMs(12), untilMs: hoursMs(12) },
};

/** More bands than these cover a chart. Guess. */
const BANDS_MAX = 200;

const getStatistics: Handler<"GET /statistics"> = async (ctx, { session, query }) => {
  const { range } = query;
  const { accountId } = session;
  const { store, clock } = ctx.accounts;
  const which = query.destination === undefined ? { accountId } : { accountId, destinationIds: [query.destination] };
  const nowMs = clock.nowMs();
  const { fromMs, toMs, spanMs, bucketMs } = spanOf(range, nowMs);
  const counts = await store.countAttempts({ ...which, fromMs, toMs, bucketMs, joined: "destinations" });
  const before = await store.countAttempts(periodBefore(which, { fromMs, spanMs, bucketMs }));
  const listed = await store.listIncidents({ accountId, sinceMs: fromMs, limit: BANDS_MAX });
  const incidents = listed.filter(({ destinationId }) => [undefined, destinationId].includes(query.destination));
  const answer = toAnswer({ range, fromMs, toMs, bucketMs, nowMs, incidents, counts, before });
  return ok(query.destination === undefined ? answer : { ...answer, answers: countAnswers(answer, counts) });
};

/** The range that ends now. */
export function spanOf(range: StatisticsRange, nowMs: number) {
  const { spanMs, bucketMs, untilMs } = RANGES[range];
  const toMs = Math.floor(nowMs / untilMs) * untilMs + untilMs;
  return { fromMs: toMs - spanMs, toMs, spanMs, bucketMs };
}

/** The period of the same length right before. */
function periodBefore(
  which: Pick<CountAttempts, "accountId" | "destinationIds">,
  { fromMs, spanMs, bucketMs }: { readonly fromMs: number; readonly spanMs: number; readonly bucketMs: number },
): CountAttempts {
  return { ...which, fromMs: fromMs - spanMs, toMs: fromMs, bucketMs, joined: "destinations" };
}

interface Figures extends Pick<StatisticsAnswer, "range" | "fromMs" | "toMs" | "bucketMs" | "nowMs" | "incidents"> {
  readonly counts: readonly AttemptCount[];
  readonly before: readonly AttemptCount[];
}

export function toAnswer({ counts, before, incidents, ...span }: Figures): StatisticsAnswer {
  return {
    ...span,
    incidents: incidents.map(({ fromMs, toMs }) => ({ fromMs, toMs })),
    buckets: toBuckets(counts, span),
    codes: countCodes(counts),
    totals: sumTotals(counts),
    before: before.length === 0 ? null : sumTotals(before),
    deadlineMs: LIMITS.attemptDeadlineMs,
  };
}

/** Every bucket of the span, also empty ones: a chart must show a gap where there was nothing. */
function toBuckets(
  counts: readonly AttemptCount[],
  { fromMs, toMs, bucketMs }: Pick<StatisticsAnswer, "fromMs" | "toMs" | "bucketMs">,
): StatisticsBucket[] {
  const byBucket = Map.groupBy(counts, ({ atMs }) => Math.floor(atMs / bucketMs) * bucketMs);
  const starts = Array.from({ length: (toMs - fromMs) / bucketMs }, (_, place) => fromMs + place * bucketMs);
  return starts.map((atMs) => toBucket(atMs, byBucket.get(atMs) ?? []));
}

function toBucket(atMs: number, counts: readonly AttemptCount[]): StatisticsBucket {
  const { delivered, failed, timeouts, responseMs, deliverMs } = sumTotals(counts);
  return { atMs, delivered, willRetry: sum(filterAttempts(counts, "retry")), failed, timeouts, responseMs, deliverMs };
}

function sumTotals(counts: readonly AttemptCount[]): StatisticsAnswer["totals"] {
  const attempts = filterAttempts(counts);
  const delivered = sum(filterAttempts(counts, "delivered"));
  const failed = sum(filterAttempts(counts, "failed"));
  return {
    attempts: sum(attempts),
    delivered,
    failed,
    timeouts: sum(attempts.filter(({ code }) => code === "timeout")),
    // Without the ones that got no answer: they would pile up at the deadline and look like slow answers.
    responseMs: computePercentiles(attempts.filter(({ code }) => isAnswer(code))),
    deliverMs: computePercentiles(counts.filter(({ kind }) => kind === "delivery")),
  };
}

function countCodes(counts: readonly AttemptCount[]): StatisticsAnswer["codes"] {
  const byCode = Map.groupBy(listAttempts(counts), ({ code }) => code);
  return [...byCode]
    .map(([code, same]) => ({ code, count: sum(same) }))
    .toSorted((one, other) => other.count - one.count || (one.code < other.code ? -1 : 1));
}

/** By their hundreds and over time, in the order of the codes. */
function countAnswers(
  { buckets }: Pick<StatisticsAnswer, "buckets">,
  counts: readonly AttemptCount[],
): NonNullable<StatisticsAnswer["answers"]> {
  const byClass = Map.groupBy(listAttempts(counts), ({ code }) => (isAnswer(code) ? `${code[0]}xx` : "none"));
  const bucketOf = (atMs: number): number => buckets.findLastIndex((bucket) => bucket.atMs <= atMs);
  return [...byClass]
    .map(([kind, same]) => {
      const byBucket = Map.groupBy(same, ({ atMs }) => bucketOf(atMs));
      return { kind, counts: buckets.map((_, place) => sum(byBucket.get(place) ?? [])) };
    })
    .toSorted((one, other) => (one.kind < other.kind ? -1 : 1));
}

function filterAttempts(counts: readonly AttemptCount[], result?: AttemptCount["result"]): AttemptCount[] {
  return listAttempts(counts).filter((each) => result === undefined || each.result === result);
}

const listAttempts = (counts: readonly AttemptCount[]) => counts.filter(({ kind }) => kind === "attempt");

const isAnswer = (code: string): boolean => /^\d/.test(code);

const sum = (counts: readonly AttemptCount[]): number => counts.reduce((total, { count }) => total + count, 0);

function computePercentiles(counts: readonly AttemptCount[]): Percentiles | null {
  if (counts.length === 0) return null;
  const bins = new Map<number, number>();
  for (const { bin, count } of counts) bins.set(bin, (bins.get(bin) ?? 0) + count);
  return { p50: percentileMs(bins, 0.5), p95: percentileMs(bins, 0.95), p99: percentileMs(bins, 0.99) };
}

export const statisticsHandlers = {
  "GET /statistics": getStatistics,
} satisfies Handlers;

/** Figures for the charts. Bucketed by the time of the attempt, so that history never changes; tests are left out. */
import type { FormOf } from "../../domain/form.ts";
import type { statisticsQuery } from "../forms/queries.ts";

export type StatisticsRange = FormOf<typeof statisticsQuery>["range"];

export interface StatisticsAnswer {
  readonly range: StatisticsRange;
  readonly fromMs: number;
  readonly toMs: number;
  readonly bucketMs: number;
  readonly nowMs: number;
  /** Times of trouble that reach into the range, newest first; `toMs` is `null` while one lasts. */
  readonly incidents: readonly { readonly fromMs: number; readonly toMs: number | null }[];
  /** Every bucket of the range, oldest first, also empty ones. */
  readonly buckets: readonly StatisticsBucket[];
  /** Answers by code ("200", "503", "timeout", …), most frequent first. */
  readonly codes: readonly { readonly code: string; readonly count: number }[];
  /** Of one destination: answers by their hundreds ("2xx", "5xx", "none" came), one number a bucket. */
  readonly answers?: readonly { readonly kind: string; readonly counts: readonly number[] }[];
  readonly totals: StatisticsTotals;
  /** The period before this one, of the same length; `null` when nothing is kept of it. */
  readonly before: StatisticsTotals | null;
  readonly deadlineMs: number;
}

export interface StatisticsBucket {
  readonly atMs: number;
  /** Attempts that brought a 2xx. */
  readonly delivered: number;
  /** Attempts that failed and will be followed by another. */
  readonly willRetry: number;
  /** Attempts that failed as the last ones. */
  readonly failed: number;
  /** Without an answer by the deadline; they are among the two above and in no percentile. */
  readonly timeouts: number;
  /** The answered attempts, from a histogram; `null` when there was none. */
  readonly responseMs: Percentiles | null;
  /** From the event's acceptance to its 2xx; `null` when nothing was delivered. */
  readonly deliverMs: Percentiles | null;
}

/** Milliseconds; upper edges of the histogram's bins, which are a factor of 1.25 wide. */
export interface Percentiles {
  readonly p50: number;
  readonly p95: number;
  readonly p99: number;
}

export interface StatisticsTotals {
  readonly attempts: number;
  readonly delivered: number;
  readonly failed: number;
  readonly timeouts: number;
  readonly responseMs: Percentiles | null;
  readonly deliverMs: Percentiles | null;
}

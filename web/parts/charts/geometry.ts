/** Where a chart's marks, values and times stand. Pure. */
/**
 * The arithmetic of the charts: round tops, ticks, and paths. Pure, so that every edge (no points, one point, gaps) is
 * a test. `null` is a bucket without data: a gap, never a zero.
 */
export interface Frame {
  readonly width: number;
  readonly height: number;
  /** Room for the labels of both axes. */
  readonly left: number;
  readonly bottom: number;
  readonly top: number;
  readonly right: number;
}

interface Point {
  readonly x: number;
  readonly y: number;
}

export type Values = readonly (number | null)[];

/** Steps that people count in. Times have steps of their own: 60 s, not 100 s. */
export type Steps = "numbers" | "milliseconds";

const NUMBER_STEPS = [1, 2, 5, 10];
const SECOND_MS = 1000;
const MINUTE_MS = 60 * SECOND_MS;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;
const TIME_STEPS = [
  [1, 2, 5, 10, 20, 50, 100, 200, 500],
  [1, 2, 5, 10, 15, 30].map((seconds) => seconds * SECOND_MS),
  [1, 2, 5, 10, 15, 30].map((minutes) => minutes * MINUTE_MS),
  [1, 2, 6, 12].map((hours) => hours * HOUR_MS),
  [1, 2, 5].map((days) => days * DAY_MS),
].flat();

/** From 0 up to a round number at or above the largest value, in about `wanted` steps; counts in whole numbers. */
export function ticksUpTo(largest: number, steps: Steps, wanted = 4): number[] {
  const step = steps === "milliseconds" ? timeStep(largest / wanted) : numberStep(largest / wanted);
  const count = Math.max(1, Math.ceil(largest / step));
  return Array.from({ length: count + 1 }, (_, index) => index * step);
}

function numberStep(least: number): number {
  if (least <= 1) return 1;
  const power = 10 ** Math.floor(Math.log10(least));
  return (NUMBER_STEPS.find((step) => step * power >= least) ?? 10) * power;
}

function timeStep(least: number): number {
  return TIME_STEPS.find((step) => step >= least) ?? Math.ceil(least / DAY_MS) * DAY_MS;
}

/** The middle of each bucket, from left to right. */
export function toX(index: number, count: number, frame: Frame): number {
  return frame.left + ((index + 0.5) * plotWidth(frame)) / Math.max(1, count);
}

/** The place of an instant; one outside of the buckets lies at the chart's edge. */
export function toTimeX(atMs: number, { bucketsAtMs, bucketMs }: Span, frame: Frame): number {
  const [startMs = 0] = bucketsAtMs;
  const share = (atMs - startMs) / Math.max(1, bucketsAtMs.length * bucketMs);
  return frame.left + Math.min(1, Math.max(0, share)) * plotWidth(frame);
}

/** The stretch of time that a chart is about. */
interface Span {
  readonly bucketsAtMs: readonly number[];
  readonly bucketMs: number;
}

export function toY(value: number, top: number, frame: Frame): number {
  const plotHeight = frame.height - frame.top - frame.bottom;
  return frame.top + plotHeight * (1 - (top === 0 ? 0 : Math.min(value, top) / top));
}

export const plotWidth = (frame: Frame): number => Math.max(0, frame.width - frame.left - frame.right);

/** The bucket under a point; a point outside the chart gets the nearest one. */
export function indexAt(x: number, count: number, frame: Frame): number {
  const share = (x - frame.left) / Math.max(1, plotWidth(frame));
  return Math.min(count - 1, Math.max(0, Math.floor(share * count)));
}

/** One path with a move after each gap. A point that stands alone becomes a short dash, or it could not be seen. */
export function linePath(values: Values, top: number, frame: Frame): string {
  const points = values.map((value, index) =>
    value === null ? null : { x: toX(index, values.length, frame), y: toY(value, top, frame) },
  );
  return points
    .map((point, index) => (point === null ? "" : segment(point, points[index - 1] ?? null, points[index + 1] ?? null)))
    .join("");
}

function segment(point: Point, before: Point | null, after: Point | null): string {
  const place = `${round(point.x)} ${round(point.y)}`;
  if (before !== null) return `L${place}`;
  return after === null ? `M${round(point.x - 2)} ${round(point.y)}h4` : `M${place}`;
}

/** Stacks of one bucket: for each series its lower and upper value. */
export function stackAt(series: readonly Values[], index: number): { readonly from: number; readonly to: number }[] {
  let reached = 0;
  return series.map((values) => {
    const from = reached;
    reached += values[index] ?? 0;
    return { from, to: reached };
  });
}

export function findLargest(series: readonly Values[], isStacked: boolean): number {
  const [first = []] = series;
  if (isStacked) return Math.max(0, ...first.map((_, index) => stackAt(series, index).at(-1)?.to ?? 0));
  return Math.max(0, ...series.flatMap((values) => values.map((value) => value ?? 0)));
}

export const isEmpty = (series: readonly Values[]): boolean =>
  series.every((values) => values.every((value) => value === null || value === 0));

const round = (value: number): number => Math.round(value * 10) / 10;

/* The words of a time axis: few labels, in the reader's own time zone. Pure but for that zone. */

const clock = new Intl.DateTimeFormat("en-GB", { hour: "2-digit", minute: "2-digit" });
const day = new Intl.DateTimeFormat("en-GB", { day: "numeric", month: "short" });

interface AxisLabel {
  readonly atMs: number;
  readonly text: string;
}

/** Steps that people count time in. Below a day they begin at midnight. */
const STEPS = [
  ...[1, 5, 10, 15, 30].map((minutes) => minutes * MINUTE_MS),
  ...[1, 2, 3, 6, 12].map((hours) => hours * HOUR_MS),
  ...[1, 2, 3, 5, 7, 10, 15, 30].map((days) => days * DAY_MS),
];

/** At most `wanted` labels, at even times of the reader's day: the time of day within two days, else the date. */
export function timeLabels(fromMs: number, toMs: number, wanted: number): readonly AxisLabel[] {
  const span = toMs - fromMs;
  const format = span > 2 * DAY_MS ? day : clock;
  const stepMs = STEPS.find((step) => (step >= DAY_MS || span <= 2 * DAY_MS) && span / step <= Math.max(1, wanted));
  return ticksBetween(fromMs, toMs, stepMs ?? 10 * DAY_MS).map((atMs) => ({ atMs, text: format.format(atMs) }));
}

/** Counted from each midnight anew: a day on which clocks are set has 23 or 25 hours. */
function ticksBetween(fromMs: number, toMs: number, stepMs: number): number[] {
  const ticks: number[] = [];
  const daysStep = Math.max(1, Math.round(stepMs / DAY_MS));
  let midnightMs = new Date(fromMs).setHours(0, 0, 0, 0);
  for (let place = 0; midnightMs < toMs; place += 1) {
    const nextMs = nextMidnight(midnightMs);
    if (stepMs < DAY_MS) for (let atMs = midnightMs; atMs < nextMs; atMs += stepMs) ticks.push(atMs);
    else if (place % daysStep === 0) ticks.push(midnightMs);
    midnightMs = nextMs;
  }
  return ticks.filter((atMs) => atMs >= fromMs && atMs < toMs);
}

function nextMidnight(midnightMs: number): number {
  const next = new Date(midnightMs);
  return next.setDate(next.getDate() + 1);
}

/** "11:19 to 11:20", "20 Nov, 11:00 to 13:00": what one bucket covers. */
export function bucketWords(atMs: number, bucketMs: number): string {
  const until = clock.format(atMs + bucketMs);
  if (bucketMs < HOUR_MS) return `${clock.format(atMs)} to ${until}`;
  return `${day.format(atMs)}, ${clock.format(atMs)} to ${until}`;
}

/** A sentence in which no line ends between a figure and its unit. Pure. */
export const keepUnits = (sentence: string): string =>
  sentence.replaceAll(/(\d) (?=(?:%|ms|s|min|h|days?)(?:\W|$))/g, "$1\u00a0");

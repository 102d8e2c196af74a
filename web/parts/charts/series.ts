/** The data of a chart: buckets of time, and for each series one value a bucket. */
import type { Percentiles, StatisticsAnswer } from "../../../src/dashboard/contract/statistics.ts";
import { count, duration, number } from "../../words.ts";
import type { Steps, Values } from "./geometry.ts";

type SeriesTone = "ok" | "warn" | "bad" | "info" | "accent";

export interface Series {
  readonly id: string;
  readonly label: string;
  readonly tone: SeriesTone;
  /** Lines differ by their strokes too, for readers who do not see the colours. */
  readonly dash?: string;
  readonly values: Values;
}

/** `toMs` is `null` while it lasts. */
interface Band {
  readonly fromMs: number;
  readonly toMs: number | null;
}

export interface ChartData {
  readonly kind: "stack" | "lines";
  readonly bucketsAtMs: readonly number[];
  readonly bucketMs: number;
  readonly series: readonly Series[];
  readonly steps: Steps;
  readonly format: (value: number) => string;
  /** The present, which lies in the last bucket. */
  readonly nowMs: number;
  /** Times of trouble, as bands behind everything else. */
  readonly incidents: readonly Band[];
  /** A limit to draw as a line, such as the deadline. */
  readonly limit?: { readonly value: number; readonly label: string };
}

export const FILLS: Readonly<Record<SeriesTone, string>> = {
  ok: "fill-ok-mark",
  warn: "fill-warn-mark",
  bad: "fill-bad-mark",
  info: "fill-info-mark",
  accent: "fill-accent",
};

export const STROKES: Readonly<Record<SeriesTone, string>> = {
  ok: "stroke-ok-mark",
  warn: "stroke-warn-mark",
  bad: "stroke-bad-mark",
  info: "stroke-info-mark",
  accent: "stroke-accent",
};

/** Whether one of the bucket's moments is in a time of trouble. */
export function isInIncident({ bucketsAtMs, bucketMs, incidents, nowMs }: ChartData, index: number): boolean {
  const atMs = bucketsAtMs[index] ?? 0;
  return incidents.some(({ fromMs, toMs }) => fromMs < atMs + bucketMs && (toMs ?? nowMs) >= atMs);
}

/** As many as show a course; a guess. */
const YOUNG_BUCKETS_MIN = 15;

/** A young account's charts begin where its data do: one bar at the right edge of an empty hour says nothing. */
export function trimYoung(answer: StatisticsAnswer): StatisticsAnswer {
  const { before, buckets } = answer;
  const first = buckets.findIndex(({ delivered, willRetry, failed }) => delivered + willRetry + failed > 0);
  if (before !== null || first === -1) return answer;
  // One before it, so that the first bar does not touch the axis.
  const kept = buckets.slice(Math.max(0, Math.min(first - 1, buckets.length - YOUNG_BUCKETS_MIN)));
  return { ...answer, buckets: kept, fromMs: kept[0]?.atMs ?? answer.fromMs };
}

/* From the service's figures to what the charts draw, with the sentence over each. Pure. */

interface ChartText {
  readonly summary: string;
  readonly data: ChartData;
}

export function attemptsChart(answer: StatisticsAnswer): ChartText {
  const { buckets, totals } = answer;
  return {
    summary: attemptsSummary(totals),
    data: {
      ...base(answer),
      kind: "stack",
      steps: "numbers",
      format: number,
      series: [
        { id: "delivered", label: "Delivered", tone: "ok", values: buckets.map(({ delivered }) => delivered) },
        { id: "retry", label: "Will retry", tone: "warn", values: buckets.map(({ willRetry }) => willRetry) },
        { id: "failed", label: "Failed for good", tone: "bad", values: buckets.map(({ failed }) => failed) },
      ],
    },
  };
}

function attemptsSummary({ attempts, delivered, failed }: StatisticsAnswer["totals"]): string {
  if (attempts === 0) return "No attempts.";
  // No share: that of attempts is another one than the success rate, which stands above.
  const gone = failed === 0 ? "none failed for good" : `${number(failed)} failed for good`;
  const again = attempts - delivered - failed;
  const retried = again === 0 ? "" : `${number(again)} tried again, `;
  return `${count(attempts, "attempt")}: ${number(delivered)} delivered, ${retried}${gone}.`;
}

/** Of one webhook, by the hundreds of the status. `trimYoung` may have taken buckets from the beginning. */
export function answersChart(answer: StatisticsAnswer, answers: NonNullable<StatisticsAnswer["answers"]>): ChartText {
  const shown = answers.map(({ kind, counts }) => ({ kind, values: counts.slice(-answer.buckets.length) }));
  const words = shown.map(({ kind, values }) => `${number(sum(values))} ${ANSWER_WORDS[kind] ?? kind}`);
  return {
    summary: words.length === 0 ? "No answers." : `${words.join(", ")}.`,
    data: {
      ...base(answer),
      kind: "stack",
      steps: "numbers",
      format: number,
      series: shown.map(({ kind, values }) => ({
        id: kind,
        label: kind === "none" ? "No answer" : kind,
        tone: ANSWER_TONES[kind] ?? "bad",
        values,
      })),
    },
  };
}

const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0);

const ANSWER_WORDS: Readonly<Record<string, string>> = { none: "without an answer" };
const ANSWER_TONES: Readonly<Record<string, SeriesTone>> = {
  "1xx": "accent",
  "2xx": "ok",
  "3xx": "info",
  "4xx": "warn",
  none: "accent",
};

/** Timeouts have no response time, so they are counted in the sentence and are in no line. */
export function responseChart(answer: StatisticsAnswer): ChartText {
  const { responseMs, timeouts } = answer.totals;
  const late = timeouts === 0 ? "" : ` ${count(timeouts, "attempt")} got no answer in time and are not in these lines.`;
  return {
    summary: `${percentileSummary(responseMs, "No answers.")}${late}`,
    data: {
      ...percentileLines(answer, ({ responseMs: bucket }) => bucket),
      limit: { value: answer.deadlineMs, label: `Deadline, ${duration(answer.deadlineMs)}` },
    },
  };
}

export function deliverChart(answer: StatisticsAnswer): ChartText {
  return {
    summary: `${DELIVER_MEANING} ${percentileSummary(answer.totals.deliverMs, "Nothing was delivered.")}`,
    data: percentileLines(answer, ({ deliverMs }) => deliverMs),
  };
}

const DELIVER_MEANING = "From the event to your endpoint’s 2xx, retries included.";

function percentileSummary(figures: Percentiles | null, nothing: string): string {
  if (figures === null) return nothing;
  const [p50, p95, p99] = [figures.p50, figures.p95, figures.p99].map(duration);
  return `Half within ${p50}, 95 % within ${p95}, 99 % within ${p99}.`;
}

function percentileLines(
  answer: StatisticsAnswer,
  pick: (bucket: StatisticsAnswer["buckets"][number]) => Percentiles | null,
): ChartData {
  const line = (key: keyof Percentiles) => answer.buckets.map((bucket) => pick(bucket)?.[key] ?? null);
  return {
    ...base(answer),
    kind: "lines",
    steps: "milliseconds",
    format: duration,
    series: [
      { id: "p50", label: "Median", tone: "ok", values: line("p50") },
      { id: "p95", label: "95 %", tone: "info", dash: "7 4", values: line("p95") },
      { id: "p99", label: "99 %", tone: "bad", dash: "2 3", values: line("p99") },
    ],
  };
}

function base(answer: StatisticsAnswer): Pick<ChartData, "bucketsAtMs" | "bucketMs" | "nowMs" | "incidents"> {
  const { buckets, bucketMs, nowMs } = answer;
  return { bucketsAtMs: buckets.map(({ atMs }) => atMs), bucketMs, nowMs, incidents: findBands(answer) };
}

/** Fewer of the attempts have failed: a few webhooks of many are in trouble, and not what the chart shows. Guess. */
const TROUBLED_SHARE_MIN = 0.25;

/** The parts of incidents in which a good share of what the chart shows was in trouble, as bands. */
export function findBands({ buckets, bucketMs, incidents, nowMs }: StatisticsAnswer): readonly Band[] {
  const troubled = findTroubled(buckets).map(({ atMs }) => ({ fromMs: atMs, toMs: atMs + bucketMs }));
  const parts = incidents.flatMap((incident) =>
    troubled.flatMap(({ fromMs, toMs }): Band[] => {
      const from = Math.max(fromMs, incident.fromMs);
      const lasts = incident.toMs === null && toMs > nowMs;
      const to = Math.min(toMs, incident.toMs ?? toMs);
      // One that began and ended in one moment is a band too.
      return to < from ? [] : [{ fromMs: from, toMs: lasts ? null : to }];
    }),
  );
  return joinBands(parts);
}

/** A bucket without attempts is as the one before it: while a receiver is down there may be none for minutes. */
function findTroubled(buckets: StatisticsAnswer["buckets"]): StatisticsAnswer["buckets"] {
  let isTroubled = false;
  return buckets.filter(({ delivered, willRetry, failed }) => {
    const attempts = delivered + willRetry + failed;
    if (attempts > 0) isTroubled = (willRetry + failed) / attempts >= TROUBLED_SHARE_MIN;
    return isTroubled;
  });
}

/** Those that touch or overlap are one. */
function joinBands(parts: readonly Band[]): readonly Band[] {
  const joined: Band[] = [];
  for (const part of parts.toSorted((one, other) => one.fromMs - other.fromMs)) {
    const last = joined.at(-1);
    if (last === undefined || (last.toMs !== null && last.toMs < part.fromMs)) joined.push(part);
    else if (last.toMs !== null) {
      joined[joined.length - 1] = { ...last, toMs: part.toMs === null ? null : Math.max(last.toMs, part.toMs) };
    }
  }
  return joined;
}

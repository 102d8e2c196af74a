/** The words of a time axis: few labels, in the reader's own time zone. Pure but for that zone. */
const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

const clock = new Intl.DateTimeFormat("en-GB", { hour: "2-digit", minute: "2-digit" });
const day = new Intl.DateTimeFormat("en-GB", { day: "numeric", month: "short" });

export interface AxisLabel {
  readonly atMs: number;
  readonly text: string;
}

const MINUTE_MS = 60_000;

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

/** The words of a time axis: few labels, in the reader's own time zone. Pure but for that zone. */
const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

const clock = new Intl.DateTimeFormat("en-GB", { hour: "2-digit", minute: "2-digit" });
const day = new Intl.DateTimeFormat("en-GB", { day: "numeric", month: "short" });

export interface AxisLabel {
  readonly index: number;
  readonly text: string;
}

/** About `wanted` labels, evenly spread: the time of day within two days, else the date. */
export function timeLabels(bucketsAtMs: readonly number[], wanted: number): AxisLabel[] {
  const step = Math.max(1, Math.ceil(bucketsAtMs.length / Math.max(1, wanted)));
  const span = (bucketsAtMs.at(-1) ?? 0) - (bucketsAtMs[0] ?? 0);
  const format = span > 2 * DAY_MS ? day : clock;
  return bucketsAtMs.flatMap((atMs, index) => (index % step === 0 ? [{ index, text: format.format(atMs) }] : []));
}

/** "11:19 to 11:20", "20 Nov, 11:00 to 13:00": what one bucket covers. */
export function bucketWords(atMs: number, bucketMs: number): string {
  const until = clock.format(atMs + bucketMs);
  if (bucketMs < HOUR_MS) return `${clock.format(atMs)} to ${until}`;
  return `${day.format(atMs)}, ${clock.format(atMs)} to ${until}`;
}

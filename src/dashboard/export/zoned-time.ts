/** Instants as ISO 8601 with the offset of a person's time zone, such as `2026-11-22T13:00:00.000+01:00`. Pure. */
import { minutesMs } from "../../lib/duration.ts";

export type FormatInstant = (atMs: number) => string;

/** Offsets change at quarters of an hour, nowhere more often. */
const QUARTER_MS = minutesMs(15);
const KNOWN_MAX = 10_000;

/** `null` for a zone that is not known. Offsets are remembered: a million rows would ask for each for seconds. */
export function createZonedFormat(zone: string): FormatInstant | null {
  const format = findFormat(zone);
  if (format === null) return null;
  const offsets = new Map<number, string>();
  return (atMs) => {
    const quarter = Math.floor(atMs / QUARTER_MS);
    let offset = offsets.get(quarter);
    if (offset === undefined) {
      if (offsets.size >= KNOWN_MAX) offsets.clear();
      offset = readOffset(format, quarter * QUARTER_MS);
      offsets.set(quarter, offset);
    }
    return new Date(atMs + toMs(offset)).toISOString().replace("Z", offset);
  };
}

function findFormat(timeZone: string): Intl.DateTimeFormat | null {
  try {
    return new Intl.DateTimeFormat("en", { timeZone, timeZoneName: "longOffset" });
  } catch (error) {
    if (error instanceof RangeError) return null;
    throw error;
  }
}

/** "GMT+01:00", and "GMT" alone for none. Seconds, which zones had a century ago, are dropped. */
function readOffset(format: Intl.DateTimeFormat, atMs: number): string {
  const name = format.formatToParts(atMs).find(({ type }) => type === "timeZoneName")?.value ?? "";
  return /[+-]\d\d:\d\d/.exec(name.replace("\u2212", "-"))?.[0] ?? "+00:00";
}

function toMs(offset: string): number {
  const [, sign, hours, minutes] = /^([+-])(\d\d):(\d\d)$/.exec(offset) ?? [];
  const ms = minutesMs(Number(hours) * 60 + Number(minutes));
  return sign === "-" ? -ms : ms;
}

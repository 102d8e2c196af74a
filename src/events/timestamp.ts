/**
 * Instants in records and bodies. Intake gives ISO 8601 with an offset; bodies carry the same instant with the same
 * offset in one shape, `2026-11-20T12:00:00.000+00:00`. Pure text work: no time zone database, no local time.
 * Source: decisions §2 (times); specification §2.
 */
import { assert } from "../lib/assert.ts";

/** What `bodyTimestampText` writes, for schemas. */
export const TIMESTAMP_PATTERN = "^\\d{4}-\\d{2}-\\d{2}T\\d{2}:\\d{2}:\\d{2}\\.\\d{3}[+-]\\d{2}:\\d{2}$";

export const TIMESTAMP_EXAMPLE = "2026-11-20T12:00:00.000+00:00";

/** The widest offset on earth is +14:00 (Kiritimati). */
const OFFSET_MINUTES_MAX = 14 * 60;

/** Nanoseconds are the finest that any common clock writes; digits after the third are cut. */
const ISO = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{1,9})?(?:Z|[+-]\d\d:\d\d)$/;

/** Where the parts of a matching text begin. The offset is found from the end. */
const AT = { month: 5, day: 8, hour: 11, minute: 14, second: 17, afterSecond: 19 } as const;
const BODY_TEXT_CHARS = TIMESTAMP_EXAMPLE.length;

/**
 * Whether the text is `YYYY-MM-DDThh:mm:ss[.fraction](Z|±hh:mm)` and exists in the calendar. Not so: no offset, a day
 * that its month does not have, hour 24, a leap second, an offset beyond ±14:00.
 * Reads digits in place: with captured groups it took ten times as long (0.6 µs against 0.06 µs).
 */
export function isTimestamp(value: string): boolean {
  return ISO.test(value) && isDay(value) && isTimeOfDay(value) && isOffset(value);
}

/** The body's shape of a text that `isTimestamp` accepts: milliseconds and a numeric offset. */
export function bodyTimestampText(value: string): string {
  const zone = zoneOf(value);
  const hasBodyOffset = zone !== "Z" && zone !== "-00:00";
  if (hasBodyOffset && value.length === BODY_TEXT_CHARS) return value;
  const fraction = value.slice(AT.afterSecond + 1, value.length - zone.length);
  // ISO 8601 does not know -00:00, which RFC 3339 uses for "offset not known".
  const offset = hasBodyOffset ? zone : "+00:00";
  return `${value.slice(0, AT.afterSecond)}.${fraction.slice(0, 3).padEnd(3, "0")}${offset}`;
}

/** Milliseconds since the Unix epoch of a text that `isTimestamp` accepts. */
export function epochMs(value: string): number {
  const instant = Date.parse(bodyTimestampText(value));
  assert(Number.isFinite(instant), "a time that was not checked got past intake");
  return instant;
}

function isDay(value: string): boolean {
  const month = twoDigits(value, AT.month);
  const day = twoDigits(value, AT.day);
  return month >= 1 && month <= 12 && day >= 1 && day <= daysInMonth(Number(value.slice(0, 4)), month);
}

function daysInMonth(year: number, month: number): number {
  if (month === 2) return isLeapYear(year) ? 29 : 28;
  return month === 4 || month === 6 || month === 9 || month === 11 ? 30 : 31;
}

const isLeapYear = (year: number): boolean => (year % 4 === 0 && year % 100 !== 0) || year % 400 === 0;

function isTimeOfDay(value: string): boolean {
  const [hour, minute, second] = [twoDigits(value, AT.hour), twoDigits(value, AT.minute), twoDigits(value, AT.second)];
  return hour <= 23 && minute <= 59 && second <= 59;
}

function isOffset(value: string): boolean {
  const zone = zoneOf(value);
  if (zone === "Z") return true;
  const minutes = twoDigits(zone, 4);
  return minutes <= 59 && twoDigits(zone, 1) * 60 + minutes <= OFFSET_MINUTES_MAX;
}

const zoneOf = (value: string): string => (value.endsWith("Z") ? "Z" : value.slice(-6));

const twoDigits = (text: string, at: number): number => text.charCodeAt(at) * 10 + text.charCodeAt(at + 1) - ZERO * 11;
const ZERO = 48;

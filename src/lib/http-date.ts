/**
 * Dates in HTTP headers: the three forms of RFC 9110 §5.6.7, which are UTC always, in any case and with any blanks.
 * `Date.parse` reads the third in the zone of the process, and takes much that is no such date. Pure.
 *
 *     Sun, 06 Nov 1994 08:49:37 GMT     Sunday, 06-Nov-94 08:49:37 GMT     Sun Nov  6 08:49:37 1994
 */
const MONTHS = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];
const MONTH = `(?<month>${MONTHS.join("|")})`;
const SHORT_DAY = "(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun)";
const LONG_DAY = "(?:Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)day";
/** 60 is a leap second. */
const TIME = String.raw`(?<hour>[01]\d|2[0-3]):(?<minute>[0-5]\d):(?<second>[0-5]\d|60)`;
const ZONE = String.raw`(?:GMT|UTC|[+-]0000)`;

const FORMS: readonly RegExp[] = [
  new RegExp(String.raw`^${SHORT_DAY}, (?<day>\d\d?) ${MONTH} (?<year>\d{4}) ${TIME} ${ZONE}$`, "i"),
  new RegExp(String.raw`^${LONG_DAY}, (?<day>\d\d)-${MONTH}-(?<year>\d\d) ${TIME} ${ZONE}$`, "i"),
  new RegExp(String.raw`^${SHORT_DAY} ${MONTH} (?<day>\d\d?) ${TIME} (?<year>\d{4})$`, "i"),
];

/** A year of two digits that seems to be more than 50 years ahead is the latest past one with these digits. */
const AHEAD_YEARS_MAX = 50;

/** `null` for anything else, a day that its month does not have included. The day of the week is not compared. */
export function readHttpDate(text: string, nowMs: number): number | null {
  const spaced = text.trim().replace(/\s+/g, " ");
  for (const form of FORMS) {
    const parts = form.exec(spaced)?.groups;
    if (parts !== undefined) return toInstant(parts, nowMs);
  }
  return null;
}

function toInstant(parts: Readonly<Record<string, string>>, nowMs: number): number | null {
  const { day, month = "", year = "", hour, minute, second } = parts;
  const date = new Date(0);
  date.setUTCFullYear(
    year.length === 2 ? fullYear(Number(year), nowMs) : Number(year),
    MONTHS.findIndex((name) => name.toLowerCase() === month.toLowerCase()),
    Number(day),
  );
  if (date.getUTCDate() !== Number(day)) return null;
  return date.setUTCHours(Number(hour), Number(minute), Number(second));
}

function fullYear(digits: number, nowMs: number): number {
  const thisYear = new Date(nowMs).getUTCFullYear();
  const year = thisYear - (thisYear % 100) + digits;
  return year > thisYear + AHEAD_YEARS_MAX ? year - 100 : year;
}

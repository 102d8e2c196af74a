/** Figures, times and plurals as the page writes them: one place, so that "1.2 s" is never "1200ms" elsewhere. */
const LOCALE = "en";

const numbers = new Intl.NumberFormat(LOCALE);
const plurals = new Intl.PluralRules(LOCALE);
const relatives = new Intl.RelativeTimeFormat(LOCALE, { numeric: "always", style: "short" });

export function number(value: number): string {
  return numbers.format(value);
}

/** "1 delivery", "1,204 deliveries". The plural is given where it is not the singular with an s. */
export function count(value: number, one: string, many = `${one}s`): string {
  return `${number(value)} ${plurals.select(value) === "one" ? one : many}`;
}

/**
 * "212 ms", "1.2 s", "3 min 5 s", "2 h 10 min", "3 days 4 h". Rounded, as the service's own sentences are: an attempt
 * that ended a millisecond before its deadline of 15 s took "15 s" in both.
 */
export function duration(ms: number): string {
  if (ms < 999.5) return `${Math.round(ms)} ms`;
  if (ms < 9_950) return `${(ms / 1000).toFixed(1)} s`;
  const seconds = Math.round(ms / 1000);
  if (seconds < 60) return `${seconds} s`;
  if (seconds < 3600) return pair([Math.floor(seconds / 60), "min"], [seconds % 60, "s"]);
  if (seconds < 86_400) return pair([Math.floor(seconds / 3600), "h"], [Math.floor((seconds % 3600) / 60), "min"]);
  const days = Math.floor(seconds / 86_400);
  return pair([days, days === 1 ? "day" : "days"], [Math.floor((seconds % 86_400) / 3600), "h"]);
}

function pair([large, largeUnit]: [number, string], [small, smallUnit]: [number, string]): string {
  return small === 0 ? `${large} ${largeUnit}` : `${large} ${largeUnit} ${small} ${smallUnit}`;
}

const STEPS: readonly (readonly [unit: Intl.RelativeTimeFormatUnit, seconds: number])[] = [
  ["day", 86_400],
  ["hour", 3600],
  ["minute", 60],
  ["second", 1],
];

/** "4 min. ago" as "4 min ago", "in 2 hr" as "in 2 h", "now" within a second; a date beyond 30 days. */
export function relative(atMs: number, nowMs: number): string {
  const seconds = Math.trunc((atMs - nowMs) / 1000);
  const size = Math.abs(seconds);
  if (size === 0) return "now";
  if (size > 30 * 86_400) return date(atMs);
  const [unit, length] = STEPS.find(([, each]) => size >= each) ?? ["second", 1];
  return relatives
    .format(Math.trunc(seconds / length), unit)
    .replace(/\bhr\b/, "h")
    .replace(".", "");
}

/** "21 Nov 2026". */
export function date(atMs: number): string {
  return new Intl.DateTimeFormat("en-GB", { dateStyle: "medium" }).format(atMs);
}

/** "11:52". */
export function timeOfDay(atMs: number): string {
  return new Intl.DateTimeFormat("en-GB", { timeStyle: "short" }).format(atMs);
}

/** "21 Nov 2026, 11:52": where the second says nothing. */
export function minute(atMs: number): string {
  return `${date(atMs)}, ${timeOfDay(atMs)}`;
}

/** "21 Nov 2026, 11:52:07.123" in the reader's own time zone. */
export function exact(atMs: number): string {
  return `${stamp.format(atMs)}.${String(Math.trunc(atMs) % 1000).padStart(3, "0")}`;
}

/** "2026-11-21 10:52:07.123 UTC". */
export function exactUtc(atMs: number): string {
  return new Date(atMs).toISOString().replace("T", " ").replace("Z", " UTC");
}

/** "Europe/Berlin": named once where times of a chart are shown. */
export function timeZone(): string {
  return new Intl.DateTimeFormat().resolvedOptions().timeZone;
}

const stamp = new Intl.DateTimeFormat("en-GB", { dateStyle: "medium", timeStyle: "medium" });

/*
 * The service's sentences name instants in UTC, because it does not know where their reader is. The page does, and
 * writes them in the reader's time, as every other time on it. Pure.
 */

/** As `src/lib/written-times.ts` writes them: "14:05 UTC on 20 Nov 2026". */
const INSTANT = /(\d\d:\d\d) UTC on (\d{1,2} [A-Z][a-z]{2} \d{4})/g;

export function withLocalTimes(sentence: string): string {
  return sentence.replace(INSTANT, (words, clock: string, day: string) => {
    const atMs = Date.parse(`${day} ${clock} UTC`);
    return Number.isNaN(atMs) ? words : minute(atMs);
  });
}

export const upperFirst = (text: string): string => text.replace(/^./, (first) => first.toUpperCase());

/** The beginning of a longer text, to its last whole word; a single long word, such as an address, is cut inside. */
export function shortened(text: string, charsMax: number): string {
  return text.length <= charsMax ? text : `${text.slice(0, charsMax).replace(/(?<=\S)\s+\S*$/, "")}…`;
}

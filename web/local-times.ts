/**
 * The service's sentences name instants in UTC, because it does not know where their reader is. The page does, and
 * writes them in the reader's time, as every other time on it. Pure.
 */
import { minute } from "./words.ts";

/** As `src/lib/time-in-words.ts` writes them: "14:05 UTC on 20 Nov 2026". */
const INSTANT = /(\d\d:\d\d) UTC on (\d{1,2} [A-Z][a-z]{2} \d{4})/g;

export function withLocalTimes(sentence: string): string {
  return sentence.replace(INSTANT, (words, clock: string, day: string) => {
    const atMs = Date.parse(`${day} ${clock} UTC`);
    return Number.isNaN(atMs) ? words : minute(atMs);
  });
}

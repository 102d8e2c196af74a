/**
 * When an owner is told that a client certificate ends: three times before, so that there is time to get a new one and
 * none to forget it. Pure.
 */
import { daysMs } from "../lib/duration.ts";

/** Guess; the first is also from when on the dashboard shows it. */
export const CERTIFICATE_NEWS_DAYS = [30, 7, 1] as const;

export const CERTIFICATE_WARNING_MS = daysMs(CERTIFICATE_NEWS_DAYS[0]);

/** News that could not be told before is told for so long after the end. */
export const CERTIFICATE_NEWS_AFTER_MS = daysMs(1);
